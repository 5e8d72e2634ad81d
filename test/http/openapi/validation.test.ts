import { expect, test } from 'vitest';
import type { SeenAnswer } from '../../helpers/http/response-validator.js';
import { answerValidator } from '../../helpers/http/response-validator.js';

const validator = await answerValidator();

function answer(seen: Partial<SeenAnswer> & { readonly body?: unknown }): SeenAnswer {
  const { body = { data: [], paging: { before: null, after: null } }, ...rest } = seen;
  return {
    method: 'GET',
    target: '/api/public/v1/withdrawals?limit=1',
    status: 200,
    mediaType: 'application/json',
    text: JSON.stringify(body),
    ...rest,
  };
}

// The check of all responses is trusted because it has been seen to fail.
test.each<[string, SeenAnswer, string]>([
  ['an operation', answer({ target: '/api/public/v1/unknown' }), 'no document has this operation'],
  ['a status', answer({ status: 201 }), '/api/public/v1/withdrawals → 201 application/json: not documented'],
  ['a field', answer({ body: { data: [] } }), "must have required property 'paging'"],
  ['a form of errors', answer({ status: 401, body: { error: 'no' } }), '/error must be object'],
])('detects %s that no document has', (_, seen, words) => {
  expect(validator.problemOf(seen)).toContain(words);
});

test('detects a stream message that no document has', () => {
  const target = '/_sandbox/stream/timeline';
  const problemOf = (message: object) =>
    validator.problemOfMessage({ method: 'GET', target, text: JSON.stringify(message) });
  expect(problemOf({ type: 'ready', run: 'x', newest: 1 })).toBeUndefined();
  expect(problemOf({ type: 'reset' })).toContain('a message of GET /_sandbox/stream/timeline');
});
