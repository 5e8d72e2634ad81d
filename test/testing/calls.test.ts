import { AssertionError } from 'node:assert';
import { describe, expect, test } from 'vitest';
import { createSandbox } from '../../src/index.js';

const PIX = '/api/public/v1/pix';
const LIST = '/api/public/v1/withdrawals';

async function called() {
  const sandbox = await createSandbox({ port: false });
  const authorization = `Bearer ${sandbox.env.SANDBOX_TOKEN}`;
  await sandbox.fetch(`${LIST}?limit=1`, { headers: { authorization } });
  await sandbox.fetch(PIX, { method: 'POST', body: '{}', headers: { authorization } });
  return sandbox;
}

describe('calls.expect', () => {
  test('resolves to the matching requests', async () => {
    await using sandbox = await called();
    expect(await sandbox.calls.expect({ method: 'get', path: LIST })).toHaveLength(1);
    expect(await sandbox.calls.expect({ status: '4xx', times: 1 })).toMatchObject([{ method: 'POST' }]);
    expect(await sandbox.calls.expect({ path: '/api/*', times: 2 })).toHaveLength(2);
    expect(await sandbox.calls.expect({ status: 500, times: 0 })).toEqual([]);
    expect(await sandbox.calls.expect({ api: 'identity', times: 0 })).toEqual([]);
    expect(await sandbox.calls.list({ method: 'POST' })).toMatchObject([{ error: 'SIGNATURE_MISSING' }]);
  });

  test('names the nearest misses, with their differences', async () => {
    await using sandbox = await called();
    const expected = sandbox.calls.expect({ method: 'POST', path: PIX, status: 201, times: 1 });
    await expect(expected).rejects.toThrow(AssertionError);
    const lines = await expected.catch((error: Error) => error.message.split('\n'));
    expect(lines).toEqual([
      `Expected 1 request matching POST ${PIX} with status 201; got 0.`,
      'Closest requests:',
      expect.stringMatching(
        /^ {2}POST \/api\/public\/v1\/pix → 401 SIGNATURE_MISSING \(.+\) {3}\(different status\)$/,
      ),
    ]);
  });

  test('shows the requests when there are too many', async () => {
    await using sandbox = await called();
    await expect(sandbox.calls.expect({ path: LIST, times: 0 })).rejects.toThrow(
      `Expected 0 requests matching ${LIST}; got 1:\n  GET ${LIST}?limit=1 → 200`,
    );
  });

  test('asks whether the sandbox is used at all', async () => {
    await using sandbox = await called();
    await sandbox.calls.clear();
    await expect(sandbox.calls.expect({ method: 'POST' })).rejects.toThrow('SANDBOX_BASE_URL');
  });

  test('rejects an invalid status', async () => {
    await using sandbox = await called();
    await expect(sandbox.calls.expect({ status: 99 })).rejects.toThrow(
      'The status must be a code such as 401 or a class such as 4xx',
    );
  });
});

test('calls.unmatched finds requests without a route, and no unknown id', async () => {
  await using sandbox = await called();
  await sandbox.fetch('/api/public/v1/webhook-endpoints/unknown');
  await sandbox.fetch('/favicon.ico');
  expect(await sandbox.calls.unmatched()).toEqual([]);
  await sandbox.fetch('/api/public/v1/charges', { method: 'POST' });
  expect(await sandbox.calls.unmatched()).toMatchObject([
    { path: '/api/public/v1/charges', hint: `Did you mean POST ${PIX}?` },
  ]);
});
