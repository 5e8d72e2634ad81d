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
import { signWebhook, verifyWebhook, webhookKey } from '../../src/signing/webhook.js';

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
  test('reproduces the signature of the published example', () => {
    expect(signWebhook(KNOWN)).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': KNOWN_SIGNATURE,
    });
  });

  test('returns one signature per secret, in their order', () => {
    const other = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
    const header = signWebhook({ ...KNOWN, secrets: [other, SECRET] })['webhook-signature'];
    expect(header.split(' ')).toEqual([
      signWebhook({ ...KNOWN, secrets: other })['webhook-signature'],
      KNOWN_SIGNATURE,
    ]);
  });

  test('encodes text as UTF-8', () => {
    const text = { ...KNOWN, body: '{"nome":"João"}' };
    expect(signWebhook(text)).toEqual(signWebhook({ ...text, body: Buffer.from(text.body) }));
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

  test('rejects a message with any bit of its body, id or timestamp changed', () => {
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

  test('skips unknown versions, and counts them', () => {
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

  test('accepts past and future timestamps up to the tolerance and nothing beyond', () => {
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

  test('never repeats a secret or the expected signature in an error', () => {
    const verdict = verifyWebhook({ ...message, body: 'other' });
    expect(JSON.stringify(verdict)).not.toContain(SECRET.slice(6));
    const right = signWebhook({ ...KNOWN, body: 'other' })['webhook-signature'];
    expect(JSON.stringify(verdict)).not.toContain(right.slice(3));
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

  test('does not repeat the secret in an error', () => {
    expect(() => webhookKey('hunter2hunter2')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});
