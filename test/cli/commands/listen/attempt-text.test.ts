import { describe, expect, test } from 'vitest';
import {
  formatAttempt,
  formatSimulated,
  type PrintedAttempt,
} from '../../../../src/cli/commands/listen/attempt-text.js';
import { FailureGroups } from '../../../../src/cli/commands/listen/failure-hints.js';
import type { AttemptResult } from '../../../../src/delivery/http-attempt.js';
import type { DeliveryLine } from '../../../../src/http/control/exchanges.js';
import { PROGRAM_NAME } from '../../../../src/text/program-name.js';
import { fakeIo } from '../../../helpers/cli/cli-io.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { Listening } from '../../../helpers/cli/starting.js';
import { attemptResult } from '../../../helpers/delivery/attempts.js';

const ID = `evt_${'0'.repeat(32)}`;
const DELIVERY: DeliveryLine = {
  id: 'f8b91e6e-611a-43a3-a812-1e72b6525268',
  event_id: ID,
  event_type: 'withdrawal.settled',
  resource: { type: 'withdrawal', id: '849e0378-bb69-4963-9fcd-10e97bbc2ef9', code: 'payout-1' },
  status: 'PENDING',
  attempts: 2,
  last_attempt_at: '2026-01-01T00:01:00.000Z',
  last_response_status: 500,
  last_error: 'HTTP_STATUS',
  next_attempt_at: '2026-01-01T00:06:00.000Z',
  delivered_at: null,
  created_at: '2026-01-01T00:00:00.000Z',
  endpoint_id: '849e0378-bb69-4963-9fcd-10e97bbc2ef9',
  endpoint_url: null,
  endpoint_name: null,
  attempt_limit: 8,
  in_flight: false,
  blocked_by: null,
  last_latency_ms: 2,
};

function shown(columns: number, result: AttemptResult): PrintedAttempt {
  return {
    attempt: {
      attempt_id: 'a',
      delivery_id: DELIVERY.id,
      attempt: 2,
      headers: { 'webhook-id': ID },
      body: '',
      timeout_ms: 10_000,
    },
    body: Buffer.from(`{"id":"${ID}","type":"withdrawal.settled"}`),
    check: { verified: true, problem: null },
    result,
    delivery: DELIVERY,
    target: new URL('http://localhost:3000/webhooks'),
    io: fakeIo({ columns, program: PROGRAM_NAME }).io,
  };
}

function refused(): AttemptResult {
  return { ...attemptResult(500), status: null, error: 'CONNECTION_REFUSED', latencyMs: 12_345 };
}

function answered(status: number, body: string): AttemptResult {
  const response = { headers: [], body: Buffer.from(body), truncated: false };
  return { ...attemptResult(status), response };
}

describe('an attempt for people', () => {
  test('fits on one line if there is room, with all its facts', () => {
    const [head, ...rest] = formatAttempt(shown(0, answered(200, '')));
    expect(head).toMatch(
      /^\d\d:\d\d:\d\d 200 withdrawal\.settled +\d+ ms {2}evt_0{32} {2}✓ signed {2}attempt 2$/,
    );
    expect(rest).toEqual([]);
  });

  test('shows the reason, the response and the next attempt after a failure', () => {
    const text = formatAttempt(shown(0, answered(500, '{"error":"boom"}'))).join('\n');
    expect(text).toContain('│ {"error":"boom"}');
    expect(text).toContain('attempt 2 of 8; next attempt 5m later');
    const nobody = formatAttempt(shown(0, refused())).join('\n');
    expect(nobody).toMatch(
      /CONNECTION_REFUSED: Nothing is listening on localhost:3000\.\n +Start the application, /,
    );
  });

  test('shows that the next attempt waits for a frozen clock', () => {
    const failed = shown(0, answered(500, ''));
    const lines = formatAttempt({ ...failed, delivery: { ...DELIVERY, blocked_by: 'frozen' } });
    expect(lines.at(-1)).toContain(`(sandbox time), but the clock is frozen: \`${PROGRAM_NAME} clock next\``);
  });

  test('preserves its columns without a status', () => {
    const [answer = ''] = formatAttempt(shown(0, answered(500, '')));
    const [none = ''] = formatAttempt(shown(0, refused()));
    expect(none.slice(9)).toMatch(/^ERR withdrawal\.settled 12345 ms {2}/);
    expect(none.indexOf('withdrawal.settled')).toBe(answer.indexOf('withdrawal.settled'));
    const [simulated = '', reason] = formatSimulated(
      {
        action: 'lose-answer',
        attempt: 2,
        delivery: { ...DELIVERY, last_response_status: null, last_error: 'CONNECTION_RESET' },
      },
      fakeIo({ program: PROGRAM_NAME }).io,
    );
    expect(simulated.slice(9)).toMatch(/^ERR withdrawal\.settled simulated/);
    expect(reason).toContain('CONNECTION_RESET: The receiver closed the connection');
  });

  test.for([400, 401, 403, 404, 405, 409, 413, 415, 418, 422, 429, 500, 503, 504])(
    'suggests `verify --delivery` after a response of %i to a signed delivery',
    (status) => {
      const command = `\`npx sandbox verify --delivery ${DELIVERY.id}\``;
      const given = shown(80, answered(status, 'no'));
      expect(formatAttempt(given).join('\n')).toContain(command);
      expect(formatAttempt({ ...given, endsSoon: true }).join('\n')).not.toContain('npx sandbox verify');
      const { headers } = given.attempt;
      expect(formatAttempt({ ...given, attempt: { headers } }).join('\n')).not.toContain(
        'npx sandbox verify',
      );
      const check = { verified: false, problem: 'SIGNATURE_MISMATCH: it was changed' };
      expect(formatAttempt({ ...given, check }).join('\n')).not.toContain('npx sandbox verify');
    },
  );

  test('explains equal failures once, until the cause changes or an attempt succeeds', () => {
    const { io, stderr } = fakeIo({ program: PROGRAM_NAME });
    const failures = new FailureGroups();
    const texts = [401, 401, 500, 401, 200, 401].map((status, index) => {
      const given = { ...shown(0, answered(status, index === 1 ? 'another body' : 'no')), failures };
      return formatAttempt(given).join('\n');
    });
    const isExplained = (text: string) => text.includes('npx sandbox verify');
    expect(texts.map(isExplained)).toEqual([true, false, true, true, false, true]);
    expect(texts.map((text) => text.includes('│'))).toEqual([true, true, true, true, false, true]);
    failures.note(io, true);
    failures.note(io, false);
    const cause = 'First cause, 4 times: The receiver rejected a valid webhook \\(401\\)\\. Most likely, .*';
    expect(stderr()).toMatch(
      new RegExp(`^${cause} To find out why: \`npx sandbox verify .*\\.\n${cause}\\)\\.\n$`),
    );
  });

  test.for([
    [200, 2_000.4, false],
    [200, 2_001, true],
    [500, 9_000, true],
  ] as const)(
    'an attempt with a response of %i in %d ms is marked as slow: %s',
    ([status, latencyMs, isSlow]) => {
      const text = formatAttempt(shown(80, { ...answered(status, ''), latencyMs })).join(' ');
      expect(/slower than the 2s\s+recommended\s+by\s+the\s+contract \(§6\)/.test(text)).toBe(isSlow);
    },
  );

  test('breaks its advice between words, and breaks no command', () => {
    const lines = formatAttempt(shown(60, answered(401, '')));
    expect(lines.filter((line) => line.includes('`npx sandbox clock next`'))).toHaveLength(1);
    expect(lines.filter((line) => line.length > 60 && !line.includes('`'))).toEqual([]);
  });

  test('does not blame the path for a 404 of the application', () => {
    const [router, handler] = ['Cannot POST /webhooks', '{"error":"order not found"}'].map((body) =>
      formatAttempt(shown(0, answered(404, body))).join('\n'),
    );
    expect(router).toContain('POST /webhooks does not exist (404). Check the path');
    expect(handler).not.toContain('--forward-to');
    expect(handler).toContain(
      'The application itself responded with 404. Every response other than 2xx is retried: return 2xx even',
    );
  });

  test('suggests no command to a sandbox that ends soon', () => {
    const [plain, soon] = [undefined, true].map((endsSoon) =>
      formatAttempt({ ...shown(0, answered(500, '')), ...(endsSoon && { endsSoon }) }).at(-1),
    );
    expect(plain).toMatch(/next attempt 5m later \(sandbox time\): `npx sandbox clock next`$/);
    expect(soon).toMatch(/next attempt 5m later \(sandbox time\): sooner with --retries fast$/);
    const failed = { ...DELIVERY, status: 'FAILED' } as const;
    const simulated = (isSoon: boolean) =>
      formatSimulated(
        { action: 'answer', attempt: 8, delivery: failed },
        fakeIo({ program: PROGRAM_NAME }).io,
        isSoon,
      ).at(-1);
    expect(simulated(false)).toContain('npx sandbox deliveries retry');
    expect(simulated(true)).toMatch(/; the delivery is FAILED$/);
  });

  test('escapes control sequences and forged lines of a response', () => {
    const lines = formatAttempt(shown(80, answered(500, '\u001B[2J\u001B[1;1Hok\r12:00:00 200 forged')));
    expect(lines.join('\n')).not.toContain('\u001B');
    expect(lines.join('\n')).not.toContain('\r');
    expect(lines.filter((line) => /^\d\d:\d\d:\d\d/.test(line))).toHaveLength(1);
  });
});

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

describe('a terminal of 40 columns', () => {
  test('breaks no word if an application is missing', async () => {
    expect(await screen(40, NOWHERE)).toMatchInlineSnapshot(`
      "Ready. Forwarding every event to
      http://localhost:1/hook
      Deliveries are signed with whsec_cG…E=
      (SANDBOX_WEBHOOK_SECRET). Press Ctrl-C
      to stop.

      12:00:00 ERR pix.settled       0 ms
        evt_170a268adb9a0a84fb7188dc1201cbe3
        ✓ signed
               CONNECTION_REFUSED: Nothing is
               listening on localhost:1.
               Start the application, and
               check the host and port after
               --forward-to.
               attempt 1 of 1; the delivery is
               FAILED:
               \`NPX sandbox deliveries retry 868bb82f-5f1b-418f-a79c-03757ecc4a1e\`"
    `);
  });
});
