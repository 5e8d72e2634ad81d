import { type Mistake, mistake } from '../mistake.js';
import { type BodyForm, formedBody } from '../plan.js';

const FIX =
  'Sign timestamp, nonce, METHOD, path and body digest, joined by dots; this API has its own scheme.';
const rawBody: BodyForm = (body) => body;

/** Schemes of other services that may have been used instead of this one. */
export const SCHEME_MISTAKES: readonly Mistake[] = [
  mistake(
    'scheme-of-webhooks',
    'The request was signed like a webhook: nonce, timestamp and the raw body.',
    FIX,
    () => [{ change: { order: ['id', 'timestamp', 'body'], bodyForm: rawBody } }],
  ),
  mistake('scheme-timestamp-and-body', 'Only the timestamp and the raw body were signed.', FIX, () => [
    { change: { order: ['timestamp', 'body'], bodyForm: rawBody } },
    { change: { order: ['timestamp', 'body'], bodyForm: rawBody, separator: '' } },
  ]),
  mistake('scheme-body-only', 'Only the raw body was signed.', FIX, () => [
    { change: { order: ['body'], bodyForm: rawBody } },
  ]),
  mistake('scheme-json-object', 'The parts were signed as a JSON object or array.', FIX, ({ right }) => {
    const { timestamp, id: nonce, method, path } = right;
    const digest = formedBody(right);
    return [
      { timestamp, nonce, method, path, body: digest },
      { timestamp, nonce, method, path, digest },
      { timestamp, nonce, method, path, bodyHash: digest },
      { timestamp, nonce, method, path, body_hash: digest },
      [timestamp, nonce, method, path, digest],
    ].map((parts) => ({ change: { order: [], ending: JSON.stringify(parts) } }));
  }),
];
