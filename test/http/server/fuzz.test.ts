import { describe, expect, test } from 'vitest';
import { startServer } from '../../../src/http/server/start.js';
import { answerValidator } from '../../helpers/http/answer-validator.js';
import { problemOf } from '../../helpers/http/fuzz/answers.js';
import type { Draft } from '../../helpers/http/fuzz/draft.js';
import { MISTAKES } from '../../helpers/http/fuzz/mistakes.js';
import { fuzz } from '../../helpers/http/fuzz/run.js';
import type { WireResponse } from '../../helpers/http/in-process-http.js';
import { exchange, withoutSockets } from '../../helpers/http/in-process-http.js';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1_000);
const FIXED_SEED = 1;
const REQUEST_ID = `req_${'0'.repeat(32)}`;
const fresh = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 1_000_000));

test(
  `no request breaks a rule, whatever is wrong with it (FUZZ_SEED=${fresh})`,
  { timeout: 120_000 },
  async () => {
    const { statuses, operations, mistakes } = await fuzz({ seed: fresh, requests: REQUESTS });
    if (REQUESTS < 1_000) return;
    expect(Object.keys(statuses)).toEqual(
      expect.arrayContaining(['200', '201', '400', '401', '403', '404', '405', '413', '415']),
    );
    expect(operations.size, 'operations that succeeded').toBeGreaterThan(45);
    expect(mistakes.size, 'kinds of mistakes').toBeGreaterThan(MISTAKES.length * 0.9);
  },
);

test('a client that ends its side at once is answered, also where the body is not HTTP', async () => {
  const { result, connect } = await withoutSockets(() => startServer({ port: 0 }));
  try {
    const head = ['QUERY /_sandbox/charges HTTP/1.1', 'Host: localhost', 'Content-Type: application/json'];
    const lines = [...head, 'Transfer-Encoding: chunked', 'Connection: close', '', 'no chunk'];
    const ask = () => exchange(connect(), Buffer.from(lines.join('\r\n')), { end: true });
    expect((await ask())?.status, 'while the doors load').toBe(400);
    expect((await ask())?.status, 'afterwards').toBe(400);
  } finally {
    await result.close(0);
  }
});

// The fuzzer is trusted because it has been seen to fail.
describe('a broken rule is noticed:', () => {
  test('money that no command moved', async () => {
    const spoiled = fuzz({
      seed: FIXED_SEED,
      requests: 3,
      meanwhile: ({ world }) => {
        for (const account of world.accounts.values()) account.balanceCents += 1n;
      },
    });
    await expect(spoiled).rejects.toThrow(
      /transactions add up to[^]+FUZZ_SEED=1 FUZZ_REQUESTS=\d[^]+Alone, it breaks no rule/,
    );
  });

  test('an attempt that never ends', async () => {
    const spoiled = fuzz({
      seed: FIXED_SEED,
      requests: 3,
      meanwhile: ({ world }, index) => {
        const [delivery] = world.deliveries.rows;
        if (index < 2 || delivery === undefined) return;
        // Whatever comes of the attempt, it stays in flight.
        Object.defineProperty(delivery, 'inFlight', {
          get: () => true,
          set() {},
          enumerable: true,
        });
      },
    });
    await expect(spoiled).rejects.toThrow('deliveries are in flight');
  });
});

describe('an answer is wrong', () => {
  const draft = { method: 'GET', path: '/api/public/v1/withdrawals', breaksOff: false } as Draft;
  const error = (fields: object = {}) => ({
    error: { code: 'UNAUTHENTICATED', message: 'No.', request_id: REQUEST_ID, details: [], ...fields },
  });
  const answer = (fields: Partial<WireResponse>, body: unknown = error()): WireResponse => ({
    status: 401,
    headers: new Map([
      ['content-type', 'application/json'],
      ['x-request-id', REQUEST_ID],
    ]),
    text: JSON.stringify(body),
    isWhole: true,
    rest: '',
    ...fields,
  });

  test('in none of these ways', async () => {
    const validator = await answerValidator();
    expect(problemOf(answer({}), draft, validator, [])).toBeUndefined();
    expect(problemOf(undefined, draft, validator, ['reset'])).toBeUndefined();
    expect(problemOf(answer({ isWhole: false }), draft, validator, ['cut'])).toBeUndefined();
  });

  test.each<[string, WireResponse | undefined, string]>([
    ['that never came', undefined, 'closed without an answer'],
    ['of a bug', answer({ status: 500 }, error({ code: 'INTERNAL' })), 'It answered 500'],
    ['that no document has', answer({ status: 410 }), 'not documented'],
    ['without a body', answer({ text: '' }), 'without a body'],
    ['of another type', answer({ headers: new Map() }), 'An error of type undefined'],
    ['of another form', answer({}, { error: 'no' }), 'No error body'],
    ['with a field too many', answer({}, error({ stack: 'at x' })), 'Another error body'],
    ['with another request id', answer({}, error({ request_id: 'req_2' })), 'Two request ids'],
    ['that is cut', answer({ isWhole: false }), 'not as long as was said'],
    ['with more after it', answer({ rest: 'HTTP/1.1 200 OK' }), 'More came than the answer'],
  ])('when it is one %s', async (_, seen, words) => {
    expect(problemOf(seen, draft, await answerValidator(), [])).toContain(words);
  });
});
