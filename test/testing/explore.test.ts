import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { signRequest } from '../../src/signing/request.js';
import type { TestSandbox } from '../../src/testing/create-sandbox.js';
import type { ExploredScenario } from '../../src/testing/explore.js';
import { explore, ExploreError } from '../../src/testing/explore.js';
import { createReceiver } from '../../src/testing/receiver.js';
import { tempFolder } from '../helpers/temp-folder.js';

const OPTIONS = { sandbox: { port: false }, pairs: 0 } as const;

async function order(sandbox: TestSandbox, code: string): Promise<void> {
  const path = '/api/public/v1/pix';
  const {
    SANDBOX_ACCOUNT_ID: account_id,
    SANDBOX_SIGNING_SECRET: secret,
    SANDBOX_TOKEN: token,
  } = sandbox.env;
  const body = JSON.stringify({ code, account_id, amount: '10.00' });
  const timestampS = Math.floor(Date.now() / 1000);
  const { headers } = signRequest({ method: 'POST', target: path, body, secret, timestampS });
  const sent = { ...headers, 'content-type': 'application/json', authorization: `Bearer ${token}` };
  await sandbox.fetch(path, { method: 'POST', body, headers: sent });
}

/** A shop that counts payments; `counts` says which of the arrivals it counts. */
function paying(counts: 'events' | 'arrivals'): ExploredScenario {
  return async (sandbox, { probe }) => {
    const receiver = createReceiver({ secret: sandbox.env.SANDBOX_WEBHOOK_SECRET });
    const paid = () =>
      counts === 'events'
        ? receiver.events.filter(({ type }) => type === 'pix.settled').length
        : receiver.arrivals.filter(({ status, body }) => status === 200 && body.includes('pix.settled'))
            .length;
    probe(({ code }) => ({ code, paid: paid() }));
    sandbox.forwardTo(receiver);
    await order(sandbox, 'order-1');
    await sandbox.charges.settle('order-1');
    await sandbox.idle();
    expect(paid()).toBe(1);
  };
}

test('a correct scenario passes, and all planned runs are accounted for', async () => {
  const { ok, planned, run, missed, not_run, left, findings } = await explore(paying('events'), OPTIONS);
  expect({ ok, findings, missed, left }).toEqual({ ok: true, findings: [], missed: [], left: 0 });
  expect(not_run.map(({ faults }) => faults[0]?.action)).toEqual(['restart', 'restart']);
  expect(planned).toBe(run + not_run.length);
  // Each promised fault met the delivery or the call.
  expect(run).toBe(11);
});

test('describes, saves and reproduces a finding by its line', async () => {
  using folder = tempFolder();
  const out = join(folder.path, 'results');
  const file = join(out, 'faults-1.json');
  const error = await explore(paying('arrivals'), { ...OPTIONS, out, seed: '7' }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ExploreError);
  const { message, report } = error as ExploreError;
  expect(message).toContain('When pix.settled of order-1 is delivered twice');
  expect(message).toContain('expected 2 to be 1');
  expect(message).toContain('attempt 1 of pix.settled');
  expect(message).toContain(`await explore(scenario, { seed: "7", only: ${JSON.stringify(file)} })`);
  expect(report.findings[0]).toMatchObject({ class: 'promised', confirmed: '3/3', file });
  expect(JSON.parse(folder.read('results/faults-1.json').toString())).toMatchObject({
    seed: '7',
    faults: report.findings[0]?.faults,
  });
  expect(existsSync(join(out, 'faults-2.json'))).toBe(report.findings.length > 1);

  expect(JSON.parse(folder.read('results/report.json').toString())).toEqual(
    JSON.parse(JSON.stringify(report)),
  );

  const again = explore(paying('arrivals'), { ...OPTIONS, only: file });
  await expect(again).rejects.toMatchObject({ report: { planned: 1, failing: 1 } });
  await expect(explore(paying('events'), { ...OPTIONS, only: file })).resolves.toMatchObject({
    planned: 1,
    ok: true,
  });
});

test('leaves a file in place of the results unchanged', async () => {
  using folder = tempFolder();
  folder.write('package.json', '{"name":"shop"}');
  let runs = 0;
  const out = join(folder.path, 'package.json');
  await expect(explore(() => (runs += 1), { ...OPTIONS, out })).rejects.toThrow(
    /exists and is not an empty directory.*for out/,
  );
  expect([runs, folder.read('package.json').toString()]).toEqual([0, '{"name":"shop"}']);
});

test('finds what only the probe sees', async () => {
  const scenario: ExploredScenario = async (sandbox, context) => {
    const receiver = createReceiver({ secret: sandbox.env.SANDBOX_WEBHOOK_SECRET });
    context.probe(({ code }) => ({ code, arrivals: receiver.arrivals.length }));
    sandbox.forwardTo(receiver);
    await order(sandbox, 'order-1');
    await sandbox.charges.settle('order-1');
    await sandbox.idle();
  };
  const only = [{ action: 'duplicate', event: 'pix.settled' }] as const;
  await expect(explore(scenario, { ...OPTIONS, only })).rejects.toMatchObject({
    report: {
      findings: [
        { failure: { category: 'invariant', name: 'settled payments are known to the application' } },
      ],
    },
  });
});

test('finds an application that accepts forgeries', async () => {
  const scenario: ExploredScenario = async (sandbox) => {
    sandbox.forwardTo({ fetch: () => new Response('Thank you.') });
    await order(sandbox, 'order-1');
    await sandbox.charges.settle('order-1');
    await sandbox.idle();
  };
  await expect(explore(scenario, OPTIONS)).rejects.toMatchObject({
    report: {
      findings: [
        { failure: { name: 'no unverified acceptance' }, words: [expect.stringContaining('wrong secret')] },
      ],
    },
  });
});

test('rejects a scenario that fails without faults, and unknown options', async () => {
  const red = explore(() => Promise.reject(new Error('No such table.')), OPTIONS);
  await expect(red).rejects.toThrow(/fail without faults in all 3 runs.*\n.*No such table/s);
  await expect(explore(paying('events'), { pair: 3 } as never)).rejects.toThrow('Did you mean pairs?');
  await expect(explore('x' as never)).rejects.toThrow('explore expects a function');
});
