import {
  array,
  assert,
  base64String,
  constantFrom,
  integer,
  property,
  record,
  stringMatching,
  uint8Array,
} from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SecretFormatError, signWebhook, verifyWebhook, webhookKey } from '../../src/signing/webhook.js';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const NOW_S = 1_614_265_330;
const KNOWN = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampS: NOW_S,
  body: '{"test": 2432232314}',
  secrets: SECRET,
};
const KNOWN_SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

const secret = uint8Array({ minLength: 1, maxLength: 100 }).map(
  (key) => `whsec_${Buffer.from(key).toString('base64')}`,
);
const body = uint8Array({ maxLength: 400 });
const id = stringMatching(/^[A-Za-z0-9_.-]{1,40}$/);

describe('signWebhook', () => {
  test('makes the signature of the published example', () => {
    expect(signWebhook(KNOWN)).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': KNOWN_SIGNATURE,
    });
  });

  test('makes one signature for each secret, in their order', () => {
    const other = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
    const header = signWebhook({ ...KNOWN, secrets: [other, SECRET] })['webhook-signature'];
    expect(header.split(' ')).toEqual([
      signWebhook({ ...KNOWN, secrets: other })['webhook-signature'],
      KNOWN_SIGNATURE,
    ]);
  });

  test('takes text as its UTF-8 bytes', () => {
    const text = { ...KNOWN, body: '{"nome":"João"}' };
    expect(signWebhook(text)).toEqual(signWebhook({ ...text, body: Buffer.from(text.body) }));
  });

  test.each([
    ['no secret', { secrets: [] }, SecretFormatError],
    ['a secret that is none', { secrets: 'sk_test_1' }, SecretFormatError],
    ['milliseconds', { timestampS: NOW_S * 1000 + 1 }, RangeError],
    ['a fraction of a second', { timestampS: NOW_S + 0.5 }, RangeError],
    ['a time before 1970', { timestampS: -1 }, RangeError],
    ['an empty id', { id: '' }, RangeError],
    ['an id with a line break', { id: 'evt\n1' }, RangeError],
  ])('refuses %s', (_name, change, error) => {
    expect(() => signWebhook({ ...KNOWN, ...change })).toThrow(error);
  });
});

describe('verifyWebhook', () => {
  const headers = signWebhook(KNOWN);
  const message = { body: KNOWN.body, headers, secrets: SECRET, nowS: NOW_S };

  test('accepts what signWebhook signs: any key, any body, any of several secrets and signatures', () => {
    const secrets = array(secret, { minLength: 1, maxLength: 4 });
    assert(
      property(
        record({
          id,
          body,
          mine: secret,
          before: secrets,
          after: secrets,
          timestampS: integer({ min: 0, max: 999_999_999_999 }),
        }),
        (one) => {
          const { mine, before, after, timestampS } = one;
          const signed = signWebhook({ ...one, secrets: [...before, mine] });
          const verdict = verifyWebhook({
            body: one.body,
            headers: signed,
            secrets: [mine, ...after],
            nowS: timestampS,
          });
          expect(verdict).toMatchObject({ ok: true, secretIndex: 0, ageS: 0 });
          const signatureIndex = verdict.ok ? verdict.signatureIndex : -1;
          expect([...before, mine][signatureIndex]).toBe(mine);
        },
      ),
    );
  });

  test('refuses a message with any bit of its body, id or timestamp changed', () => {
    assert(
      property(
        record({
          id,
          body: uint8Array({ minLength: 1, maxLength: 100 }),
          secret,
          at: integer({ min: 0, max: 1e6 }),
        }),
        ({ at, ...one }) => {
          const signed = signWebhook({ ...one, timestampS: NOW_S, secrets: one.secret });
          const whole = { headers: signed, secrets: one.secret, nowS: NOW_S, body: one.body };
          const body = one.body.slice();
          body[at % body.length] = (body[at % body.length] ?? 0) ^ (1 << (at % 8));
          const changed = [
            { ...whole, body },
            { ...whole, headers: { ...signed, 'webhook-id': `${one.id}x` } },
            { ...whole, headers: { ...signed, 'webhook-timestamp': String(NOW_S + 1) } },
          ];
          for (const wrong of changed)
            expect(verifyWebhook(wrong)).toMatchObject({ ok: false, cause: 'signature_mismatch' });
        },
      ),
    );
  });

  test('skips versions that it does not know, and counts them', () => {
    assert(
      property(
        array(record({ version: constantFrom('v0', 'v1a', 'v2', 'V1', 'v11'), text: base64String() }), {
          maxLength: 5,
        }),
        (others) => {
          const entries = [...others.map(({ version, text }) => `${version},${text}`), KNOWN_SIGNATURE];
          const verdict = verifyWebhook({
            ...message,
            headers: { ...headers, 'webhook-signature': entries.join(' ') },
          });
          expect(verdict).toMatchObject({ ok: true, signatureIndex: others.length });
        },
      ),
    );
  });

  test('accepts up to the tolerance and nothing beyond, both ways', () => {
    assert(
      property(
        integer({ min: 0, max: 100_000 }),
        integer({ min: 1, max: 100_000 }),
        (toleranceS, beyondS) => {
          const at = (ageS: number) => verifyWebhook({ ...message, nowS: NOW_S + ageS, toleranceS });
          expect(at(toleranceS)).toMatchObject({ ok: true, ageS: toleranceS });
          expect(at(-toleranceS).ok).toBe(true);
          expect(at(toleranceS + beyondS)).toMatchObject({
            cause: 'timestamp_too_old',
            ageS: toleranceS + beyondS,
            toleranceS,
          });
          expect(at(-toleranceS - beyondS)).toMatchObject({ cause: 'timestamp_too_new' });
        },
      ),
    );
  });

  test('tolerates 300 s unless told otherwise, and drops the fraction of now', () => {
    const at = (nowS: number): boolean => verifyWebhook({ ...message, nowS }).ok;
    expect([NOW_S + 300, NOW_S + 300.9, NOW_S - 300].map(at)).toEqual([true, true, true]);
    expect([NOW_S + 301, NOW_S - 301, NOW_S - 300.1].map(at)).toEqual([false, false, false]);
  });

  test('reads headers in any form', () => {
    const upper = {
      'Webhook-Id': headers['webhook-id'],
      'WEBHOOK-TIMESTAMP': headers['webhook-timestamp'],
      'Webhook-Signature': [KNOWN_SIGNATURE],
    };
    const short = {
      id: headers['webhook-id'],
      timestamp: headers['webhook-timestamp'],
      signature: KNOWN_SIGNATURE,
    };
    for (const form of [upper, short, new Headers(headers)])
      expect(verifyWebhook({ ...message, headers: form }).ok).toBe(true);
  });

  test('never repeats a secret or the right signature in a refusal', () => {
    const verdict = verifyWebhook({ ...message, body: 'other' });
    expect(JSON.stringify(verdict)).not.toContain(SECRET.slice(6));
    const right = signWebhook({ ...KNOWN, body: 'other' })['webhook-signature'];
    expect(JSON.stringify(verdict)).not.toContain(right.slice(3));
  });

  test('throws where the caller is wrong and not the message', () => {
    expect(() => verifyWebhook({ ...message, nowS: Number.NaN })).toThrow(RangeError);
    expect(() => verifyWebhook({ ...message, toleranceS: Number.NaN })).toThrow(RangeError);
    expect(() => verifyWebhook({ ...message, toleranceS: -1 })).toThrow(RangeError);
    expect(() => verifyWebhook({ ...message, secrets: [] })).toThrow(SecretFormatError);
    expect(() => verifyWebhook({ ...message, secrets: [SECRET, 'whsec_?'] })).toThrow(SecretFormatError);
  });
});

describe('webhookKey', () => {
  test('decodes any bytes', () => {
    assert(
      property(uint8Array({ minLength: 1, maxLength: 200 }), (key) => {
        expect(Buffer.from(webhookKey(`whsec_${Buffer.from(key).toString('base64')}`))).toEqual(
          Buffer.from(key),
        );
      }),
    );
  });

  test.each([
    [`${SECRET}\n`, /Trim/],
    ['whsec_MfKQ9r8', /cut short/],
    ['whsec_MfKQ9r8_', /base64url/],
    ['whsec_MfKQ9r8_YQ==', /base64url/],
    [`${SECRET}=`, /surplus = at its end/],
    ['whsec_YWI==', /surplus = at its end/],
    ['whsec_YQ=', /cut short/],
    ['whsec_YWJjZ=', /cut short/],
    ['whsec_YR==', /last character/],
    ['whsec_YQ==YQ==', /not base64/],
    ['whsec_====', /not base64/],
    ['whsec_MfKQ 9r8', /not base64/],
    ['WHSEC_MfKQ9r8G', /without the prefix/],
  ])('refuses %j and says what to do', (wrong, message) => {
    expect(() => webhookKey(wrong)).toThrow(SecretFormatError);
    expect(() => webhookKey(wrong)).toThrow(message);
  });

  test('does not repeat the secret', () => {
    expect(() => webhookKey('hunter2hunter2')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});
