import { describe, test } from 'vitest';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { Listening } from '../../../helpers/cli/listening.js';
import { RECEIVER_LIMIT_MS, receiverModes } from '../../../helpers/delivery/receivers.js';

/** A listener trusts the usual authorities alone, so what is good for our own is not for it. */
const MODES = Object.entries(receiverModes).filter(([name]) => name !== 'TLS good');

describe.concurrent('listen reports what became of an attempt at an application of this kind:', () => {
  test.for(MODES)('%s', { timeout: 30_000 }, async ([, mode], { expect }) => {
    await using sandbox = await cliSandbox();
    const limitMs = mode.slow === true ? RECEIVER_LIMIT_MS : 10_000;
    await using receiver = await mode.start(limitMs);
    const options = { forwardTo: [receiver.url], retries: 'off', timeout: `${limitMs}ms` };
    await using listening = new Listening(sandbox.server.url, options);
    await listening.come('ready');
    const { sandbox: core } = sandbox.server;
    core.dispatch({ type: 'trigger', event: 'pix.settled' });
    const [line] = await listening.come('attempt');
    const { error, status } = mode.expect;
    expect(line).toMatchObject({
      error,
      response_status: status,
      delivery: { status: error === null ? 'DELIVERED' : 'FAILED', last_error: error },
    });
    expect(core.world.deliveries.rows[0]?.log).toMatchObject([{ number: 1, status, error }]);
  });
});
