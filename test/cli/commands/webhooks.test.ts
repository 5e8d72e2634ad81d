import { describe, expect, test } from 'vitest';
import { createDeliveryColumns, formatDelivery } from '../../../src/cli/commands/webhooks.js';
import { formatTable } from '../../../src/cli/terminal/text.js';
import type { DeliveryView } from '../../../src/http/control/exchanges.js';
import { CALLED, fakeIo } from '../../helpers/cli/cli-io.js';
import { CliError } from '../../../src/cli/program/errors.js';
import { cliSandbox, LOCAL, settledFor, trigger } from '../../helpers/cli/cli-sandbox.js';
import type { Receiver } from '../../helpers/delivery/receivers.js';
import { startRawReceiver } from '../../helpers/delivery/receiver-server.js';
import { rejectionOf } from '../../helpers/thrown-by.js';

const HOSTILE = 'no\u001b[2J\ntwo\nthree\nfour\nfive\nsix\nseven';

/** A receiver that refuses with seven lines, the first of which would clear the screen. */
function hostileReceiver(): Promise<Receiver> {
  return startRawReceiver((socket) => {
    socket.write(`HTTP/1.1 500 No\r\ncontent-length: ${Buffer.byteLength(HOSTILE)}\r\n\r\n${HOSTILE}`);
  });
}

describe('deliveries', () => {
  test('deliveries show prints the beginning of a response, escaped', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    await using receiver = await hostileReceiver();
    const { delivery } = await settledFor(sandbox, receiver.url);
    const { stdout, exitCode } = await sandbox.run('deliveries show', {
      args: [delivery.id],
      columns: 80,
    });
    expect(
      stdout
        .split('\n')
        .filter((line) => line.startsWith('    |'))
        .slice(0, 6),
    ).toEqual([
      '    | no\\x1b[2J',
      '    | two',
      '    | three',
      '    | four',
      '    | five',
      '    | … 2 more lines',
    ]);
    expect(exitCode).toBe(0);
  });

  test('deliveries show finds a delivery by the code of its payment behind many newer ones', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    await using receiver = await hostileReceiver();
    const { delivery } = await settledFor(sandbox, receiver.url);
    for (let count = 0; count < 120; count += 1) trigger(sandbox);
    expect(await sandbox.runJson('deliveries show', { args: ['order-1'] })).toMatchObject({
      id: delivery.id,
    });
  });

  test('deliveries list prints only failures with --failed, and a status in any case', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    await using receiver = await hostileReceiver();
    const { delivery } = await settledFor(sandbox, receiver.url);
    const ids = async (options: object) => {
      const { data } = await sandbox.runJson('deliveries list', { options: { ...options } });
      return (data as { readonly id: string }[]).map(({ id }) => id);
    };
    expect(await ids({ failed: true, status: 'pending' })).toEqual([delivery.id]);
    expect(await ids({ failed: true, status: 'Delivered' })).toEqual([]);
    expect(await ids({ code: 'order-1' })).toEqual([delivery.id]);
    const none = await sandbox.run('deliveries list', { options: { status: 'FAILED' } });
    expect(`${none.stdout}${none.stderr}`).toMatch(/No deliveries\.\n.*deliveries list --failed/);
  });

  test('deliveries show prints the request that was sent', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    await using receiver = await hostileReceiver();
    const { delivery } = await settledFor(sandbox, receiver.url);
    const { stdout } = await sandbox.run('deliveries show', { args: [delivery.id] });
    expect(stdout).toMatch(/\nrequest of attempt 1\n(?: +[\w-]+: .*\n)*? +webhook-signature: v1,/);
    expect(stdout).toContain('"type": "pix.settled"');
  });

  test('deliveries retry rejects an id together with --failed', async () => {
    await using sandbox = await cliSandbox();
    const retry = sandbox.run('deliveries retry', { args: ['an-id'], options: { failed: true } });
    const error = await rejectionOf(retry, CliError);
    expect([error.exitCode, error.message]).toEqual([2, 'Pass either a delivery id or --failed, not both.']);
  });

  test('deliveries show explains an error without a response, and one without an attempt', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    const { delivery, endpoint } = await settledFor(sandbox, 'http://127.0.0.1:1/webhooks');
    const refused = await sandbox.run('deliveries show', { args: [delivery.id] });
    expect(refused.stdout).toMatch(
      /CONNECTION_REFUSED {2}[\d.]+ ms\n {4}CONNECTION_REFUSED: Nothing is listening at/,
    );
    sandbox.server.sandbox.dispatch({ type: 'endpoint.disable', endpointId: endpoint.id });
    const disabled = await sandbox.run('deliveries show', { args: [delivery.id] });
    expect(disabled.stdout).toContain(
      '\nreason    ENDPOINT_DISABLED: The endpoint was disabled or deleted.\n',
    );
    expect(disabled.stdout).toContain(
      `\nnext  nothing; \`npx sandbox endpoints enable ${endpoint.id}\`, then retry it`,
    );
    sandbox.server.sandbox.dispatch({ type: 'endpoint.delete', endpointId: endpoint.id });
    const deleted = await sandbox.run('deliveries show', { args: [delivery.id] });
    expect(deleted.stdout).toContain(`\`npx sandbox events resend ${delivery.event.id}\``);
  });
});

describe('deliveries show', () => {
  test('sends with --curl to the target of a listener, and says what to do if it is unknown', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    const { endpoint, delivery } = await settledFor(sandbox, 'http://127.0.0.1:1/webhooks');
    const curl = () => sandbox.run('deliveries show', { args: [delivery.id], options: { curl: true } });
    expect((await curl()).stdout).toContain('curl -X POST http://127.0.0.1:1/webhooks \\\n');
    const row = sandbox.server.sandbox.world.endpoints.get(endpoint.id);
    Object.assign(row ?? {}, {
      transport: 'listener',
      url: 'https://shop.listen.sandbox.localhost/',
      description: 'listener → http://localhost:3000/hook',
    });
    expect((await curl()).stdout).toContain('curl -X POST http://localhost:3000/hook \\\n');
    Object.assign(row ?? {}, { description: 'listener of a test' });
    expect((await rejectionOf(curl(), CliError)).hint).toContain('sign webhook body.json --curl URL');
    Object.assign(row ?? {}, { description: 'listener → http://localhost:3000/?token=…' });
    expect((await rejectionOf(curl(), CliError)).message).toContain('contains a secret');
    sandbox.server.sandbox.world.endpoints.delete(endpoint.id);
    expect((await rejectionOf(curl(), CliError)).message).toContain('was deleted');
  });
});

const NOW_MS = Date.parse('2026-01-01T23:59:00Z');
const DELIVERY: DeliveryView = {
  id: 'f8b91e6e-611a-43a3-a812-1e72b6525268',
  event_id: `evt_${'0'.repeat(32)}`,
  event_type: 'withdrawal.settled',
  resource: { type: 'withdrawal', id: '849e0378-bb69-4963-9fcd-10e97bbc2ef9', code: 'payout-of-a-long-name' },
  status: 'DELIVERED',
  attempts: 8,
  last_attempt_at: '2026-01-01T00:01:00.000Z',
  last_response_status: null,
  last_error: 'CONNECTION_REFUSED',
  next_attempt_at: null,
  delivered_at: '2026-01-01T00:06:00.000Z',
  created_at: '2026-01-01T00:00:00.000Z',
  endpoint_id: '849e0378-bb69-4963-9fcd-10e97bbc2ef9',
  endpoint_url: null,
  endpoint_name: 'http://localhost:3000/webhooks',
  attempt_limit: 8,
  in_flight: false,
  blocked_by: null,
  last_latency_ms: 2,
  target_url: null,
  own_secret: false,
  attempt_log: [],
  schedule: [],
};

test('shows the whole code of the widest delivery in 80 columns, and its outcome below', () => {
  const { io } = fakeIo({ columns: 80 });
  const code = 'payout-6c2b7c7c-afb0-4d49-a7a2-2432';
  const wide = { ...DELIVERY, resource: { ...DELIVERY.resource, code } };
  const lines = formatTable(io, [wide], createDeliveryColumns(io, NOW_MS)).split('\n');
  expect(lines.map((line) => line.trim().split(/ +/))).toEqual([
    ['ID', 'CODE', 'EVENT', 'STATUS'],
    ['TRIES', 'LAST'],
    ['f8b91e6e-61…', code, 'withdrawal.settled', 'DELIVERED'],
    ['8/8', 'CONNECTION_REFUSED'],
  ]);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
});

test('shows how to start the listener of a held delivery again', () => {
  const held = {
    ...DELIVERY,
    status: 'PENDING',
    blocked_by: 'away',
    endpoint_url: 'https://shop.listen.sandbox.localhost/',
    endpoint_name: 'listener → http://localhost:3000/webhooks',
  } as const;
  const { io } = fakeIo();
  expect(formatDelivery(io, held, NOW_MS)).toContain(
    `\`${CALLED} listen --name shop --forward-to http://localhost:3000/webhooks\` again`,
  );
});

test('shows the length of a response that is not text', () => {
  const attempt = {
    number: 1,
    started_at: '2026-01-01T00:00:00.000Z',
    response_status: 500,
    error: 'HTTP_STATUS',
    faults: [],
    response: { headers: [], body_base64: '/2E=', truncated: false },
  } as const;
  const { io } = fakeIo();
  expect(formatDelivery(io, { ...DELIVERY, attempt_log: [attempt] }, NOW_MS)).toContain(
    '    | 2 bytes, not UTF-8\n',
  );
});
