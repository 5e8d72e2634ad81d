import { bodies } from '../body-rows.js';
import { objectOf } from '../json-forms.js';
import { type Mistake, mistake, type Subject, type Variant, variantsOf } from '../mistake.js';

const SIGN_THE_BODY = 'Sign the whole raw body: the bytes on the wire.';

/** Mistakes that only the body of a webhook can have. */
export const WEBHOOK_BODY_MISTAKES: readonly Mistake[] = [
  mistake('body-data-only', 'Only the inner object of the event was signed.', SIGN_THE_BODY, innerObjects),
];

/** Forms of the body that may have been signed instead of it. */
export const WEBHOOK_DIGEST_MISTAKES: readonly Mistake[] = [
  mistake('body-digested', 'A digest of the body was signed, not the body.', SIGN_THE_BODY, () =>
    variantsOf('bodyForm', [
      (_body, sha256) => sha256().toString('hex'),
      (_body, sha256) => sha256().toString('base64'),
      (_body, sha256) => sha256(),
      (_body, sha256) => sha256().toString('hex').toUpperCase(),
    ]),
  ),
];

function innerObjects({ json }: Subject): Variant[] {
  const envelope = objectOf(json?.value);
  const data = envelope?.['data'];
  const parts = [data, objectOf(data)?.['object'], envelope?.['type']];
  return bodies(
    ...parts.map((part) =>
      part === undefined ? undefined : typeof part === 'string' ? part : JSON.stringify(part),
    ),
  );
}
