import { describe, expect, test } from 'vitest';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { Listening } from '../../../helpers/cli/listening.js';

/** What `listen` prints until a first attempt, on a terminal of so many columns; its times are not those of the run. */
async function screen(columns: number, given: Readonly<Record<string, unknown>>): Promise<string> {
  await using sandbox = await cliSandbox();
  await using listening = new Listening(sandbox.server.url, given, { json: false, columns });
  await listening.until(() => listening.notes.some((note) => note.includes('Ctrl-C')));
  sandbox.server.sandbox.dispatch({ type: 'trigger', event: 'pix.settled', late: false });
  await listening.until(() => listening.lines.length > 0);
  const text = [...listening.notes, ...listening.lines].join('\n');
  // Commands stay whole, to be copied.
  const broken = text.split('\n').filter((line) => line.length > columns && !line.includes('`'));
  expect(broken).toEqual([]);
  return text.replaceAll(/\d\d:\d\d:\d\d/g, '12:00:00').replaceAll(/ +\d+ ms/g, '       0 ms');
}

const NOWHERE = { forwardTo: ['localhost:1/hook'], retries: 'off' };

describe('on a terminal of 40 columns no word is broken', () => {
  test('where nothing is forwarded', async () => {
    expect(await screen(40, {})).toMatchInlineSnapshot(`
      "Nothing is forwarded: every delivery is
      verified here and answered 200. To
      forward: --forward-to 3000/webhooks
      Ready. Receiving every event.
      Deliveries are signed with whsec_cG…E=
      (SANDBOX_WEBHOOK_SECRET). Ctrl-C
      leaves.

      12:00:00 200 pix.settled       0 ms
        evt_170a268adb9a0a84fb7188dc1201cbe3
        ✓ signed  attempt 1"
    `);
  });

  test('where an application is not there', async () => {
    expect(await screen(40, NOWHERE)).toMatchInlineSnapshot(`
      "Ready. Forwarding every event to
      http://localhost:1/hook
      Deliveries are signed with whsec_cG…E=
      (SANDBOX_WEBHOOK_SECRET). Ctrl-C
      leaves.

      12:00:00 ERR pix.settled       0 ms
        evt_170a268adb9a0a84fb7188dc1201cbe3
        ✓ signed
               CONNECTION_REFUSED: Nothing
               listens on localhost:1: is your
               application running?
               attempt 1 of 1; the delivery is
               FAILED:
               \`NPX sandbox deliveries retry 868bb82f-5f1b-418f-a79c-03757ecc4a1e\`"
    `);
  });
});
