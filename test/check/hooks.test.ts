import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createOrderHook, createProbeHook } from '../../src/check/hooks.js';
import { RestartError, runRestart } from '../../src/child.js';
import { OrderError } from '../../src/check/orders.js';
import { StateObserver, ProbeError } from '../../src/check/probe.js';
import { tempFolder } from '../helpers/temp-folder.js';
import { rejectionOf } from '../helpers/thrown-by.js';

const WHERE = { cwd: '/', env: { ...process.env, SHOP: 'open' } };
const SUBJECT = { code: 'check-abc123-0001', id: '11111111-1111-4111-8111-111111111111' };
const ORDER = { code: SUBJECT.code, amount: '73.19' };
const { signal } = new AbortController();

/** A code that the API accepts. */
const HOSTILE = 'ord;touch${IFS}X$(touch${IFS}Y)`touch${IFS}Z`\'"$&%\\';

describe('user commands', () => {
  test('user commands receive any code as one literal value, in placeholders and as SANDBOX_CODE', async () => {
    using folder = tempFolder();
    const where = { ...WHERE, cwd: folder.path };
    const subject = { code: HOSTILE, id: SUBJECT.id };
    const command = `printf '%s|' {code} "{code}" '{code}' "$SANDBOX_CODE" "$SANDBOX_ID"`;
    const printed = `${[HOSTILE, HOSTILE, HOSTILE, HOSTILE, subject.id].join('|')}|`;
    expect(await createProbeHook(command, where)(subject, signal)).toBe(printed);
    await createOrderHook(`printf %s {code} > order; printf %s "$SANDBOX_ID" > id`, {
      ...where,
      env: { ...where.env, SANDBOX_ID: 'inherited' },
    })({ code: HOSTILE, amount: '73.19' }, signal);
    expect(folder.read('order').toString()).toBe(HOSTILE);
    expect(folder.read('id').toString()).toBe('');
    expect(readdirSync(folder.path).toSorted()).toEqual(['id', 'order']);
  });

  test('percent-encode the code in the URL of a probe', async () => {
    const paths: (string | undefined)[] = [];
    const server = createServer(({ url }, response) => {
      paths.push(url);
      response.end('held');
    }).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const probe = createProbeHook(`http://127.0.0.1:${port}/orders/{code}/{id}`, WHERE);
      expect(await probe({ code: 'a/b?c#d$&', id: SUBJECT.id }, signal)).toBe('held');
      expect(paths).toEqual([`/orders/a%2Fb%3Fc%23d%24%26/${SUBJECT.id}`]);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  test('user commands pass the amount to an order as {amount} and SANDBOX_AMOUNT, but not to a probe', async () => {
    using folder = tempFolder();
    const where = { ...WHERE, cwd: folder.path };
    await createOrderHook(`printf '%s %s %s' {code} '{amount}' "$SANDBOX_AMOUNT" > order`, where)(
      ORDER,
      signal,
    );
    expect(folder.read('order').toString()).toBe(`${ORDER.code} 73.19 73.19`);
    expect(await createProbeHook(`printf '%s %s' {code} '{amount}'`, where)(SUBJECT, signal)).toBe(
      `${SUBJECT.code} {amount}`,
    );
  });

  test('post to the URL of an order, or use its own method, and require success', async () => {
    const requests: string[] = [];
    const server = createServer(({ method, url = '' }, response) => {
      requests.push(`${method} ${url}`);
      response.writeHead(url.includes('sold') ? 409 : 303).end('sold out');
    }).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const to = `http://127.0.0.1:${port}`;
      await createOrderHook(`${to}/orders?code={code}&amount={amount}`, WHERE)(
        { code: 'a&b', amount: '0.30' },
        signal,
      );
      await createOrderHook(`PUT ${to}/orders/{code}`, WHERE)(ORDER, signal);
      expect(requests).toEqual(['POST /orders?code=a%26b&amount=0.30', `PUT /orders/${ORDER.code}`]);
      const refused = await rejectionOf(
        createOrderHook(`${to}/sold/{code}`, WHERE)(ORDER, signal),
        OrderError,
      );
      expect(refused.message).toBe('The order request got 409: sold out');
    } finally {
      server.close();
      server.closeAllConnections();
    }
    const closed = createOrderHook('http://127.0.0.1:1/orders/{code}', WHERE)(ORDER, signal);
    expect((await rejectionOf(closed, OrderError)).message).toContain('got no response');
  });

  test('user commands accept the output of a failing probe, but not a missing one', async () => {
    expect(await createProbeHook('echo {code}; exit 22', WHERE)(SUBJECT, signal)).toBe(
      `exit 22\n${SUBJECT.code}\n`,
    );
    const missing = await rejectionOf(
      createProbeHook('no-such-probe {code}', WHERE)(SUBJECT, signal),
      ProbeError,
    );
    expect(missing.message).toContain('cannot be run');
    const url = 'http://127.0.0.1:1/orders/{code}';
    await rejectionOf(createProbeHook(url, WHERE)(SUBJECT, signal), ProbeError);
  });

  test('user commands reject a probe that prints another order', async () => {
    const observer = new StateObserver(createProbeHook('echo {code} check-abc123-0002', WHERE), signal);
    const error = await rejectionOf(observer.read(SUBJECT), ProbeError);
    expect(error.message).toContain('also prints check-abc123-0002');
  });

  test('user commands report how a restart failed', async () => {
    const failed = await rejectionOf(runRestart('exit 3', WHERE), RestartError);
    expect(failed.message).toBe('The restart command exited with code 3.');
    await runRestart('true', WHERE);
  });

  test('user commands report how an order failed, and stop all its processes when aborted', async () => {
    const failed = await rejectionOf(
      createOrderHook('echo sold out >&2; exit 3', WHERE)(ORDER, signal),
      OrderError,
    );
    expect(failed.message).toBe('The order command exited with code 3: sold out');
    const stopping = new AbortController();
    const stopped = createOrderHook('sleep 60 | cat', WHERE)(ORDER, stopping.signal);
    stopping.abort(new Error('stopped'));
    await expect(stopped).rejects.toThrow('stopped');
  });
});
