import { describe, expect, test } from 'vitest';
import { CliError, EXIT } from '../../../../src/cli/program/errors.js';
import { cliSandbox, LOCAL, settledFor } from '../../../helpers/cli/cli-sandbox.js';
import { answering } from '../../../helpers/delivery/receivers.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

describe('events', () => {
  test('list fits a wide and a narrow terminal', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    await using receiver = await answering(200).start();
    const { event } = await settledFor(sandbox, receiver.url);
    const expected = `ID                                    EVENT        CODE     AGE\n${event.id}  pix.settled  order-1  now\n`;
    expect((await sandbox.run('events list', { columns: 120 })).stdout).toBe(expected);
    expect((await sandbox.run('events list', { columns: 80 })).stdout).toBe(expected);
    const none = await sandbox.run('events list', { options: { type: 'pix.failed' } });
    expect(none.stdout).toBe('No events.\n');
    expect(await sandbox.runJson('events list', { options: { type: 'pix.settled' } })).toMatchObject({
      data: [{ id: event.id, resource: { code: 'order-1' } }],
    });
  });

  test('list names the close ones of an unknown type', async () => {
    await using sandbox = await cliSandbox();
    const error = await rejectionOf(
      sandbox.run('events list', { options: { type: 'pix.setled' } }),
      CliError,
    );
    expect(error.exitCode).toBe(EXIT.usage);
    expect(error.hint).toContain('Did you mean pix.settled?');
  });

  test('show prints the payload and the deliveries', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    await using receiver = await answering(200).start();
    const { event, delivery } = await settledFor(sandbox, receiver.url);
    const { stdout } = await sandbox.run('events show', { args: [event.id] });
    const [head, payload, deliveries] = stdout.split('\n\n');
    expect(head).toBe(
      [
        `event    ${event.id}`,
        'type     pix.settled',
        `charge   order-1 (${event.resource.id})`,
        'created  now (2026-01-01T00:00:00Z)',
      ].join('\n'),
    );
    expect(JSON.parse(payload ?? '')).toMatchObject({ id: event.id, data: { object: { code: 'order-1' } } });
    expect(deliveries).toContain(`${delivery.id}  order-1  pix.settled  DELIVERED  1/8`);
    expect(await sandbox.runJson('events show', { args: [event.id] })).toMatchObject({
      id: event.id,
      deliveries: [{ id: delivery.id }],
    });
  });

  test('resend makes a delivery to one endpoint, or says that no endpoint takes it', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    await using receiver = await answering(200).start();
    const { event, endpoint } = await settledFor(sandbox, receiver.url);
    const { stdout } = await sandbox.run('events resend', {
      args: [event.id],
      options: { endpoint: endpoint.id },
    });
    const resent = sandbox.server.sandbox.world.deliveries.rows.at(-1);
    expect(stdout).toMatch(new RegExp(`^ID.*\\n${resent?.id}  order-1  pix.settled  `));
    await sandbox.server.sandbox.idle();
    expect(receiver.requests()).toBe(2);
    sandbox.server.sandbox.dispatch({ type: 'endpoint.delete', endpointId: endpoint.id });
    expect((await sandbox.run('events resend', { args: [event.id] })).stdout).toBe(
      'No deliveries: no endpoint takes this event.\n',
    );
    expect(await sandbox.runJson('events resend', { args: [event.id] })).toEqual({ deliveries: [] });
  });
});
