import { expect, test } from 'vitest';
import { signWebhook, verifyWebhook } from '../../src/signing/index.js';
import { thrownBy } from '../helpers/thrown-by.js';

const SECRET = 'whsec_c2FuZGJveC10ZXN0LXNlY3JldC0wMDAwMDAwMDA=';
const WEBHOOK = { id: 'evt_1', timestampS: 1000, body: '{}', secrets: SECRET };

function messages(acts: readonly (() => unknown)[]): string[] {
  return acts.map((act) => thrownBy(act, Error).message);
}

/** The verdicts without `ok`, as a caller reads them. */
function verdicts(found: readonly { readonly ok: boolean }[]): string[] {
  return found.map((verdict) => {
    const { ok, ...rest } = verdict;
    return ok ? JSON.stringify(verdict) : JSON.stringify(rest);
  });
}

test('a signature that cannot be made says why', () => {
  expect(
    messages([
      () => signWebhook({ ...WEBHOOK, timestampS: -1 }),
      () => signWebhook({ ...WEBHOOK, timestampS: 1e12 }),
      () => signWebhook({ ...WEBHOOK, id: 'evt 1' }),
      () => signWebhook({ ...WEBHOOK, secrets: [] }),
    ]),
  ).toMatchInlineSnapshot(`
    [
      "Expected timestampS in whole Unix seconds, 0 to 999999999999, got -1. For milliseconds, use Math.floor(ms / 1000).",
      "Expected timestampS in whole Unix seconds, 0 to 999999999999, got 1000000000000. For milliseconds, use Math.floor(ms / 1000).",
      "Expected a webhook id of visible ASCII characters without blanks.",
      "Expected at least one webhook secret (whsec_<base64>), got none.",
    ]
  `);
});

test('a secret in another form is told what is wrong with it, and is never shown', () => {
  const forms = [
    '',
    ` ${SECRET}`,
    `"${SECRET}"`,
    SECRET.slice(6),
    'whsec_',
    'whsec_abcde',
    'whsec_abcd=',
    'whsec_abcd==',
    'whsec_abc',
    'whsec_abc-',
    'whsec_abc!',
    'whsec_abd=',
    'whsec_abf=',
  ];
  expect(messages(forms.map((secrets) => () => signWebhook({ ...WEBHOOK, secrets })))).toMatchInlineSnapshot(`
    [
      "Expected a webhook secret of the form whsec_<base64>, got nothing. Give the secret that creating or rotating the endpoint returned.",
      "Expected a webhook secret of the form whsec_<base64>, got one with blanks or a line break around it. Trim it.",
      "Expected a webhook secret of the form whsec_<base64>, got one in quotes. Take the quotes off.",
      "Expected a webhook secret of the form whsec_<base64>, got one without the prefix whsec_. Give it whole, prefix included.",
      "Expected a webhook secret of the form whsec_<base64>, got the prefix with nothing after it. Give the secret whole.",
      "Expected a webhook secret of the form whsec_<base64>, got base64 that is cut short or lacks its = padding. Copy the secret whole.",
      "Expected a webhook secret of the form whsec_<base64>, got base64 with 1 surplus = at its end. Remove it.",
      "Expected a webhook secret of the form whsec_<base64>, got base64 with 2 surplus = at its end. Remove them.",
      "Expected a webhook secret of the form whsec_<base64>, got base64 that is cut short or lacks its = padding. Copy the secret whole.",
      "Expected a webhook secret of the form whsec_<base64>, got base64url (- and _) after the prefix. Use + and / instead.",
      "Expected a webhook secret of the form whsec_<base64>, got something after the prefix that is not base64. Copy the secret again.",
      "Expected a webhook secret of the form whsec_<base64>, got base64 with a last character that ends no byte. Copy the secret again.",
      "Expected a webhook secret of the form whsec_<base64>, got base64 with a last character that ends no byte. Copy the secret again.",
    ]
  `);
});

test('a refused webhook says what was expected and what came', () => {
  const headers = signWebhook(WEBHOOK);
  const verify = (changed: Readonly<Record<string, string>>, nowS = 1000) =>
    verifyWebhook({ body: '{}', secrets: SECRET, nowS, headers: { ...headers, ...changed } });
  expect(
    verdicts([
      verify({}),
      verify({}, 1300.9),
      verify({}, 1301),
      verify({}, 699),
      verify({ 'webhook-id': '' }),
      verify({ 'webhook-id': '', 'webhook-timestamp': '', 'webhook-signature': '' }),
      verify({ 'webhook-timestamp': '1000.5' }),
      verify({ 'webhook-timestamp': '1'.repeat(90) }),
      verify({ 'webhook-signature': ' ' }),
      verify({ 'webhook-signature': 'v2,abc' }),
      verify({ 'webhook-signature': 'v2,abc v3,abc' }),
      verify({ 'webhook-signature': 'v1,abc' }),
      verify({ 'webhook-signature': `v2,abc ${headers['webhook-signature']}` }),
      verify({ 'webhook-signature': `v1,${'A'.repeat(43)}=` }),
      verify({ 'webhook-signature': `v1,${'A'.repeat(43)}= v1,${'B'.repeat(42)}A=` }),
      verifyWebhook({
        body: '{}',
        secrets: [SECRET, SECRET],
        nowS: 1000,
        headers: { ...headers, 'webhook-id': 'x' },
      }),
    ]),
  ).toMatchInlineSnapshot(`
    [
      "{"ok":true,"secretIndex":0,"signatureIndex":0,"ageS":0}",
      "{"ok":true,"secretIndex":0,"signatureIndex":0,"ageS":300}",
      "{"cause":"timestamp_too_old","ageS":301,"toleranceS":300,"message":"Expected webhook-timestamp within 300 s of now, got one 301 s in the past."}",
      "{"cause":"timestamp_too_new","ageS":-301,"toleranceS":300,"message":"Expected webhook-timestamp within 300 s of now, got one 301 s in the future."}",
      "{"cause":"missing_header","missing":["webhook-id"],"message":"Expected the headers webhook-id, webhook-timestamp and webhook-signature; missing or empty: webhook-id."}",
      "{"cause":"missing_header","missing":["webhook-id","webhook-timestamp","webhook-signature"],"message":"Expected the headers webhook-id, webhook-timestamp and webhook-signature; missing or empty: webhook-id, webhook-timestamp, webhook-signature."}",
      "{"cause":"invalid_timestamp","message":"Expected webhook-timestamp in Unix seconds (1 to 12 digits), got a number with a fraction."}",
      "{"cause":"invalid_timestamp","message":"Expected webhook-timestamp in Unix seconds (1 to 12 digits), got 90 digits."}",
      "{"cause":"no_supported_signature","message":"Expected a v1 signature (v1,<base64>) in webhook-signature, got 0 of other versions or forms."}",
      "{"cause":"no_supported_signature","message":"Expected a v1 signature (v1,<base64>) in webhook-signature, got 1 of other versions or forms."}",
      "{"cause":"no_supported_signature","message":"Expected a v1 signature (v1,<base64>) in webhook-signature, got 2 of other versions or forms."}",
      "{"cause":"malformed_signature","message":"Expected v1,<base64 of 32 bytes> in webhook-signature, got a v1 signature of another form."}",
      "{"ok":true,"secretIndex":0,"signatureIndex":1,"ageS":0}",
      "{"cause":"signature_mismatch","message":"None of 1 v1 signature(s) matches the body, id and timestamp under any of 1 secret(s)."}",
      "{"cause":"signature_mismatch","message":"None of 2 v1 signature(s) matches the body, id and timestamp under any of 1 secret(s)."}",
      "{"cause":"signature_mismatch","message":"None of 1 v1 signature(s) matches the body, id and timestamp under any of 2 secret(s)."}",
    ]
  `);
});
