import { describe, expect, test } from 'vitest';
import type { FailOn } from '../../../../src/cli/commands/exec/findings.js';
import { FAIL_ON } from '../../../../src/cli/program/shared-options.js';
import { findingsOf } from '../../../../src/cli/commands/exec/findings.js';
import { UnmatchedCalls } from '../../../../src/cli/commands/exec/unmatched-calls.js';
import type { Call } from '../../../../src/sandbox/call-log.js';
import type { Sandbox } from '../../../../src/sandbox/sandbox.js';
import { startSandbox, TestListener } from '../../../helpers/sandbox/sandbox.js';
import { turns } from '../../../helpers/delivery/attempts.js';

const FORGED = {
  match: { on: 'delivery', eventType: null, endpointId: null, attempt: null },
  action: 'wrong-signature',
  status: null,
  delayMs: null,
  copies: null,
  probability: 1,
  count: null,
} as const;

function found(sandbox: Sandbox, kinds: readonly FailOn[]) {
  return findingsOf(sandbox.world, new UnmatchedCalls(sandbox.calls), kinds);
}

describe('findings', () => {
  test('are none where all is well', async () => {
    const sandbox = startSandbox();
    const listener = new TestListener(sandbox);
    for (const event of ['pix.settled', 'withdrawal.settled', 'withdrawal.failed'] as const) {
      sandbox.dispatch({ type: 'trigger', event });
    }
    await turns();
    expect(listener.received).toHaveLength(3);
    expect(found(sandbox, FAIL_ON)).toEqual([]);
  });

  test('name what was not delivered, and how far it came', async () => {
    const sandbox = startSandbox();
    const listener = new TestListener(sandbox, { status: () => 500 });
    sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code: 'order-1' } });
    await turns();
    expect(listener.received).toHaveLength(1);
    expect(found(sandbox, FAIL_ON)).toEqual([
      {
        kind: 'undelivered',
        message:
          'pix.settled of order-1 is PENDING (https://listener.listen.sandbox.localhost/) after 1 attempt, the last HTTP_STATUS 500',
      },
    ]);
    expect(found(sandbox, ['ledger'])).toEqual([]);
  });

  test('name forgeries that were accepted, and not those that were refused', async () => {
    const sandbox = startSandbox();
    let status = 400;
    const listener = new TestListener(sandbox, { status: () => status });
    sandbox.dispatch({ type: 'fault.add', fault: FORGED });
    sandbox.dispatch({ type: 'trigger', event: 'pix.settled' });
    await turns();
    expect(listener.received).toHaveLength(1);
    expect(found(sandbox, ['unverified'])).toEqual([]);
    status = 200;
    sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code: 'order-2' } });
    await turns();
    expect(found(sandbox, ['unverified'])).toEqual([
      {
        kind: 'unverified',
        message: 'pix.settled of order-2: attempt 1 had a wrong-signature and was accepted',
      },
    ]);
  });

  test('name accounts that do not add up', () => {
    const sandbox = startSandbox();
    sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code: 'order-1' } });
    const [account] = sandbox.world.accounts.values();
    account?.transactions.pop();
    const messages = found(sandbox, ['ledger']).map(({ message }) => message);
    expect(messages).toEqual([
      expect.stringMatching(/: transactions add up to 10100.00, the balance is 10099.20$/),
      expect.stringMatching(/: order-1 moved 100.00 instead of 99.20$/),
    ]);
  });

  test('name calls that met nothing, and only where they are asked for', () => {
    const sandbox = startSandbox();
    const calls = new UnmatchedCalls(sandbox.calls);
    sandbox.calls.add(aCall({ path: '/pix', hint: 'Did you mean POST /api/public/v1/pix?' }));
    sandbox.calls.add(aCall({ path: '/api/public/v1/webhook-endpoints/x', matched: true }));
    expect(findingsOf(sandbox.world, calls, ['undelivered', 'unverified', 'ledger'])).toEqual([]);
    expect(findingsOf(sandbox.world, calls, ['unmatched'])).toEqual([
      {
        kind: 'unmatched',
        message: 'POST /pix met nothing (404 NOT_FOUND). Did you mean POST /api/public/v1/pix?',
      },
    ]);
  });
});

function aCall(call: Partial<Call>): Call {
  return {
    requestId: 'request-1',
    at: 0,
    realAt: 0,
    door: 'api',
    method: 'POST',
    path: '/',
    status: 404,
    matched: false,
    appId: null,
    resourceId: null,
    error: 'NOT_FOUND',
    hint: null,
    warnings: [],
    faults: [],
    ...call,
  };
}
