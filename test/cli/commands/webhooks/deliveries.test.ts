import { describe, expect, test } from 'vitest';
import { SandboxError } from '../../../../src/client/control.js';
import { CliError, EXIT } from '../../../../src/cli/program/errors.js';
import { cliSandbox, LOCAL, settledFor, settleFor } from '../../../helpers/cli/cli-sandbox.js';
import type { Receiver } from '../../../helpers/delivery/receivers.js';
import { answering } from '../../../helpers/delivery/receivers.js';
import { startRawReceiver } from '../../../helpers/delivery/receiver-server.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

const HOSTILE = 'no\u001b[2J\ntwo\nthree\nfour\nfive\nsix\nseven';

/** A receiver that refuses with seven lines, the first of which would clear the screen. */
function hostileReceiver(): Promise<Receiver> {
  return startRawReceiver((socket) => {
    socket.write(`HTTP/1.1 500 No\r\ncontent-length: ${Buffer.byteLength(HOSTILE)}\r\n\r\n${HOSTILE}`);
  });
}

describe('deliveries', () => {
  test('list fits a wide and a narrow terminal', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    await using receiver = await answering(500).start();
    const { delivery } = await settledFor(sandbox, receiver.url);
    const narrow = await sandbox.run('deliveries list', { columns: 80 });
    expect(narrow.stdout.split('\n')).toEqual([
      'ID                        CODE     EVENT        STATUS   TRIES  LAST  AGE  NEXT',
      `${delivery.id.slice(0, 23)}…  order-1  pix.settled  PENDING  1/8    500   now  in 1m`,
      '',
    ]);
    const wide = await sandbox.run('deliveries list', { columns: 130 });
    expect(wide.stdout.split('\n')[1]).toBe(
      `${delivery.id}  order-1  pix.settled  PENDING  1/8    500   now  in 1m  ${receiver.url}`,
    );
    const coloured = await sandbox.run('deliveries list', { columns: 80, colourLevel: 1 });
    expect(coloured.stdout).toContain('\u001b[33mPENDING\u001b[39m');
  });

  test('list filters by status, type, endpoint and event', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    await using receiver = await answering(200).start();
    const { delivery, endpoint, event } = await settledFor(sandbox, receiver.url);
    const all = { status: 'DELIVERED', type: 'pix.settled', endpoint: endpoint.id, event: event.id };
    expect(await sandbox.runJson('deliveries list', { options: all })).toMatchObject({
      data: [{ id: delivery.id, status: 'DELIVERED' }],
    });
    for (const other of [{ status: 'FAILED' }, { type: 'pix.failed' }]) {
      const options = { ...all, ...other };
      expect(await sandbox.runJson('deliveries list', { options })).toMatchObject({ data: [] });
    }
    const unknown = sandbox.run('deliveries list', { options: { ...all, endpoint: event.id } });
    expect((await rejectionOf(unknown, SandboxError)).code).toBe('NOT_FOUND');
    const error = await rejectionOf(
      sandbox.run('deliveries list', { options: { status: 'failed' } }),
      CliError,
    );
    expect(error.hint).toBe('Did you mean FAILED? Known: PENDING, FAILED, DELIVERED.');
  });

  test('show prints every attempt with its answer, harmless, and what comes next', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    await using receiver = await hostileReceiver();
    const { delivery, endpoint, event } = await settledFor(sandbox, receiver.url);
    await sandbox.server.sandbox.travel.advanceTo(Date.parse('2026-01-01T00:01:01Z'));
    const { stdout, exitCode } = await sandbox.run('deliveries show', {
      args: [delivery.id],
      columns: 80,
    });
    const attempt = [
      '    HTTP_STATUS: The receiver answered with a status outside 200 to 299.',
      '    | no\\x1b[2J',
      '    | two',
      '    | three',
      '    | four',
      '    | five',
      '    | … 2 more lines',
    ];
    expect(stdout.replaceAll(/\d+(?:\.\d+)? ms/g, 'N ms').split('\n')).toEqual([
      `delivery  ${delivery.id}`,
      `event     pix.settled ${event.id}`,
      `charge    order-1 (${event.resource.id})`,
      `to        ${receiver.url} (endpoint`,
      `          ${endpoint.id})`,
      'status    PENDING',
      'attempts  2 of 8',
      'schedule  1 failed, 2 failed, 3 in 4m 59s, 4 in 34m 59s, 5 in 2h 34m, 6 in 8h',
      '          34m, 7 in 20h 34m, 8 in 1d 20h',
      'created   1m 1s ago (2026-01-01T00:00:00Z)',
      '',
      'attempt 1  1m 1s ago (2026-01-01T00:00:00Z)  500  N ms',
      ...attempt,
      '',
      'attempt 2  1s ago (2026-01-01T00:01:00Z)  500  N ms',
      ...attempt,
      '',
      'next  attempt 3 of 8 in 4m 59s (2026-01-01T00:06:00Z);',
      '  `npx sandbox clock next` jumps to what is due',
      '',
    ]);
    expect(exitCode).toBe(0);
  });

  test('show names the meaning of an error that is no answer, and of one without an attempt', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    const { delivery, endpoint } = await settledFor(sandbox, 'http://127.0.0.1:1/webhooks');
    const refused = await sandbox.run('deliveries show', { args: [delivery.id] });
    expect(refused.stdout).toMatch(
      /CONNECTION_REFUSED {2}[\d.]+ ms\n {4}CONNECTION_REFUSED: Nothing listens at/,
    );
    sandbox.server.sandbox.dispatch({ type: 'endpoint.disable', endpointId: endpoint.id });
    const disabled = await sandbox.run('deliveries show', { args: [delivery.id] });
    expect(disabled.stdout).toContain(
      '\nbecause   ENDPOINT_DISABLED: The endpoint was disabled or deleted.\n',
    );
    expect(disabled.stdout).toContain(
      `\nnext  nothing; \`npx sandbox endpoints enable ${endpoint.id}\`, then retry it`,
    );
    sandbox.server.sandbox.dispatch({ type: 'endpoint.delete', endpointId: endpoint.id });
    const deleted = await sandbox.run('deliveries show', { args: [delivery.id] });
    expect(deleted.stdout).toContain(`\`npx sandbox events resend ${delivery.event.id}\``);
  });

  test('show says when it was delivered, and gives all as JSON', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    await using receiver = await answering(200).start();
    const { delivery } = await settledFor(sandbox, receiver.url);
    const { stdout } = await sandbox.run('deliveries show', { args: [delivery.id] });
    expect(stdout).toMatch(/\nnext {2}nothing: delivered at 2026-01-01T00:00:00Z\n$/);
    expect(stdout).not.toContain('because');
    expect(await sandbox.runJson('deliveries show', { args: [delivery.id] })).toMatchObject({
      id: delivery.id,
      attempt_log: [{ number: 1, response_status: 200, error: null, response: { body: 'ok' } }],
    });
  });

  test('retry answers at once with what comes next', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    await using receiver = await answering(500).start();
    const { delivery } = await settledFor(sandbox, receiver.url);
    const early = await rejectionOf(sandbox.run('deliveries retry', { args: [delivery.id] }), SandboxError);
    expect(early.body.code).toBe('DELIVERY_NOT_FAILED');
    await sandbox.server.sandbox.travel.advanceTo(Date.parse('2026-01-02T21:00:00Z'));
    const { stdout, stderr } = await sandbox.run('deliveries retry', { args: [delivery.id] });
    expect(stdout).toMatch(
      new RegExp(`^delivery ${delivery.id} of pix.settled is PENDING\nnext {2}attempt 9`),
    );
    expect(stderr).toContain(`npx sandbox deliveries show ${delivery.id}`);
    await sandbox.server.sandbox.idle();
    const again = await sandbox.runJson('deliveries retry', { args: [delivery.id] });
    expect(again).toMatchObject({ id: delivery.id, status: 'PENDING', attempt_limit: 10 });
  });
});

describe('retrying all dead letters', () => {
  test('skips those whose endpoint is disabled or deleted, at no attempt, and counts them', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    const { sandbox: world } = sandbox.server;
    const endpoint = settleFor(sandbox, 'http://127.0.0.1:1/one');
    const gone = settleFor(sandbox, 'http://127.0.0.1:1/two');
    await world.idle();
    await world.travel.advanceTo(Date.parse('2026-01-03T00:00:00Z'));
    world.dispatch({ type: 'endpoint.delete', endpointId: gone.id });
    expect(await sandbox.runJson('deliveries retry', { options: { failed: true } })).toEqual({
      retried: 2,
      skipped: 1,
      skipped_for: { deleted: 1 },
    });
    await world.idle();
    world.dispatch({ type: 'endpoint.disable', endpointId: endpoint.id });
    const { stdout, stderr, exitCode } = await sandbox.run('deliveries retry', { options: { failed: true } });
    expect([stdout, exitCode]).toEqual(['Retried 0 deliveries.\n', EXIT.done]);
    expect(stderr).toContain('Skipped 3, by their endpoint: 2 disabled, 1 deleted.');
    expect(world.world.deliveries.rows.map(({ attempts }) => attempts)).toEqual([9, 9, 8]);
  });
});

describe('retrying by a filter', () => {
  test('takes an event type and an endpoint', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    const { sandbox: world } = sandbox.server;
    const { id } = settleFor(sandbox, 'http://127.0.0.1:1/one');
    await world.idle();
    await world.travel.advanceTo(Date.parse('2026-01-03T00:00:00Z'));
    const retried = async (options: object) => {
      const answer = await sandbox.runJson('deliveries retry', { options: { failed: true, ...options } });
      await world.idle();
      return (answer as { readonly retried: number }).retried;
    };
    expect(await retried({ event: 'withdrawal.*' })).toBe(0);
    expect(await retried({ event: 'pix.*', endpoint: id.slice(0, 6) })).toBe(1);
    const args = [world.world.deliveries.rows[0]?.id ?? ''];
    const both = sandbox.run('deliveries retry', { args, options: { event: 'pix.*' } });
    expect((await rejectionOf(both, CliError)).message).toBe('--event and --endpoint go with --failed.');
  });
});

describe('pausing', () => {
  test('says how many are held back, here and where an event is triggered', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    await using receiver = await answering(200).start();
    const paused = await sandbox.run('deliveries pause');
    expect(paused.stdout).toBe('Deliveries are paused. Held back: 0.\n');
    expect(paused.stderr).toContain('npx sandbox deliveries resume');
    const { delivery } = await settledFor(sandbox, receiver.url);
    expect(delivery.attempts).toBe(0);
    const triggered = await sandbox.run('trigger', { args: ['pix.settled'] });
    expect(triggered.stderr).toContain('Deliveries are paused');
    expect(triggered.exitCode).toBe(EXIT.done);
    const resumed = await sandbox.run('deliveries resume');
    expect(resumed.stdout).toBe('Deliveries resumed. Released: 2.\n');
    expect(await sandbox.runJson('deliveries pause')).toEqual({ paused: true, waiting: 0 });
    expect(await sandbox.runJson('deliveries resume')).toEqual({ paused: false, waiting: 0 });
  });
});

describe('deliveries diff', () => {
  test('compares the last two attempts, or those that are named', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    await using receiver = await startRawReceiver((socket, ordinal) => {
      const body = `{"error":${ordinal}}`;
      socket.write(`HTTP/1.1 ${499 + ordinal} No\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    });
    const { delivery } = await settledFor(sandbox, receiver.url);
    const args = (...numbers: string[]) => ({ args: [delivery.id, ...numbers] });
    const refusal = (...numbers: string[]) =>
      rejectionOf(sandbox.run('deliveries diff', args(...numbers)), CliError);
    expect((await refusal()).message).toContain('has 1');
    await sandbox.server.sandbox.travel.advanceTo(Date.parse('2026-01-01T00:10:00Z'));
    const { stdout } = await sandbox.run('deliveries diff', args());
    expect(stdout).toMatch(
      /^attempt 2 -> attempt 3\nanswer {3}status: 501 -> 502\nanswer {3}body error: 2 -> 3\n(?:As in any two, also: .*\n)?$/,
    );
    expect((await sandbox.run('deliveries diff', args('3', '1'))).stdout).toContain('status: 502 -> 500');
    expect(await sandbox.runJson('deliveries diff', args())).toMatchObject({ from: 2, to: 3, not_kept: [] });
    expect((await refusal('1')).message).toContain('two attempts');
    expect((await refusal('1', '9')).hint).toBe('There are 1, 2, 3.');
    expect((await refusal('1', 'last')).message).toBe(
      'An attempt must be a whole number from 1 on; got last.',
    );
  });
});

describe('deliveries show', () => {
  test('--attempt shows one attempt alone', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    const { delivery } = await settledFor(sandbox, 'http://127.0.0.1:1/webhooks');
    await sandbox.server.sandbox.travel.advanceTo(Date.parse('2026-01-01T00:02:00Z'));
    const { stdout } = await sandbox.run('deliveries show', {
      args: [delivery.id],
      options: { attempt: '2' },
    });
    expect(stdout).toContain('\nattempt 2 ');
    expect(stdout).not.toContain('\nattempt 1 ');
    const other = sandbox.run('deliveries show', {
      args: [delivery.id],
      options: { attempt: '7', curl: true },
    });
    expect(await rejectionOf(other, CliError)).toMatchObject({
      exitCode: EXIT.usage,
      hint: 'There are 1, 2.',
    });
  });

  test('--curl goes to where a listener forwards, and says what to do where that is not known', async () => {
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
    expect((await rejectionOf(curl(), CliError)).message).toContain('holds a secret');
    sandbox.server.sandbox.world.endpoints.delete(endpoint.id);
    expect((await rejectionOf(curl(), CliError)).message).toContain('was deleted');
  });
});
