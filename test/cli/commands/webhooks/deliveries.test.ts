import { describe, expect, test } from 'vitest';
import { CliError } from '../../../../src/cli/program/errors.js';
import { cliSandbox, LOCAL, settledFor } from '../../../helpers/cli/cli-sandbox.js';
import type { Receiver } from '../../../helpers/delivery/receivers.js';
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
});

describe('deliveries show', () => {
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
