import { expect, test } from 'vitest';
import { signRequest } from '../../src/signing/request.js';
import { createSandbox } from '../../src/testing/create-sandbox.js';
import { smallShop } from '../helpers/check/small-shop.js';

/** A shop that creates a charge for each order, and is paid by webhooks. */
function shopOn(sandbox: Awaited<ReturnType<typeof createSandbox>>) {
  const shop = smallShop(sandbox.env.SANDBOX_WEBHOOK_SECRET);
  const order = async ({ code }: { readonly code: string }) => {
    const path = '/api/public/v1/pix';
    const body = JSON.stringify({ code, account_id: sandbox.env.SANDBOX_ACCOUNT_ID, amount: '49.90' });
    const secret = sandbox.env.SANDBOX_SIGNING_SECRET;
    const { headers } = signRequest({
      method: 'POST',
      target: path,
      body,
      secret,
      timestampS: Math.floor(Date.now() / 1000),
    });
    const authorization = `Bearer ${sandbox.env.SANDBOX_TOKEN}`;
    const json = { 'content-type': 'application/json' };
    await sandbox.fetch(path, { method: 'POST', body, headers: { ...headers, ...json, authorization } });
  };
  return { shop, order };
}

test('check passes a correct shop with its own orders, in this process', async () => {
  await using sandbox = await createSandbox({ port: false });
  const { shop, order } = shopOn(sandbox);
  const { checks, ok } = await sandbox.check({
    to: shop,
    probe: shop.probe,
    order,
    only: ['order', 'new', 'mix', 'dup.again'],
    strict: true,
  });
  expect(checks.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
  expect(ok).toBe(true);
  const kept = await (await sandbox.fetch('/_sandbox/check')).json();
  expect(kept).toMatchObject({ report: { ok, checks: [{ id: checks[0]?.id }, ...checks.slice(1)] } });
});

test('check is not ok without a required order, or if nothing was observed', async () => {
  await using sandbox = await createSandbox({ port: false });
  const { shop, order } = shopOn(sandbox);
  const only = ['accept.raw', 'dup.again', 'order.returned'];
  const wire = await sandbox.check({ to: shop, only, requireEffects: true });
  expect(wire).toMatchObject({ ok: false, scope: 'wire', not_observed: [] });
  expect(wire.headline).toMatch(/Effects are required, but were not checked: add --probe and --order/);
  const blind = { to: shop, only, order, probe: 'no-such-probe {code}', without: ['withdrawals'] } as const;
  const unobserved = await sandbox.check(blind);
  expect(unobserved).toMatchObject({ ok: false, scope: 'effects', not_observed: [{ id: 'dup.again' }] });
  expect(unobserved.checks.map(({ id }) => id)).toEqual(['accept.raw', 'dup.again']);
  expect((await sandbox.check({ ...blind, allowUnobserved: ['dup'] })).ok).toBe(true);
  await expect(sandbox.check({ ...blind, allowUnobserved: ['*'] })).rejects.toThrow(TypeError);
  await expect(sandbox.check({ ...blind, without: ['deposits' as never] })).rejects.toThrow('withdrawals');
});

test('check rejects an unknown check id, and unknown options', async () => {
  await using sandbox = await createSandbox({ port: false });
  const to = { fetch: () => new Response() };
  await expect(sandbox.check({ to, only: ['refuse.prefx'] })).rejects.toThrow('Did you mean refuse.prefix?');
  await expect(sandbox.check({ to: {} as never })).rejects.toThrow('check expects a URL');
  await expect(sandbox.check({ to, probes: 'x' } as never)).rejects.toThrow('Did you mean probe?');
});
