import { describe, expect, test } from 'vitest';
import { searchErrors } from '../../../src/signing/diagnosis/diagnose.js';
import { readRequest } from '../../../src/signing/diagnosis/request.js';
import { listReadings, listWebhookReadings } from '../../../src/signing/diagnosis/signature-text.js';
import { readWebhook } from '../../../src/signing/diagnosis/webhook.js';
import type { RequestDiagnosis } from '../../../src/signing/index.js';
import { diagnoseRequest, diagnoseWebhook, signRequest, signWebhook } from '../../../src/signing/index.js';
import { REQUEST_MISTAKES } from './request-bugs.js';
import type { Draft, SenderMistake } from './sender.js';
import {
  credentialsBeside,
  digestOf,
  hmacOf,
  KYC_TOKEN,
  OTHER_APPLICATION_SECRET,
  PREVIOUS_WEBHOOK_SECRET,
  REQUEST_SECRET,
  requestDraft,
  send,
  SENT_AT_S,
  WEBHOOK_SECRET,
  webhookDraft,
} from './sender.js';
import { WEBHOOK_MISTAKES } from './webhook-bugs.js';

const BODY = '{"code":"a","amount":"10.50"}';
const REQUEST = { method: 'POST', target: '/api/public/v1/pix?b=2&a=1', body: BODY };
const KNOWN: RequestDiagnosis = { secret: REQUEST_SECRET, nowS: SENT_AT_S };

function ids(findings: ReturnType<typeof diagnoseRequest>): string[] {
  return findings.map(({ id }) => id);
}

describe('all findings', () => {
  const secrets = [
    { secret: WEBHOOK_SECRET },
    { name: 'old', secret: PREVIOUS_WEBHOOK_SECRET, note: 'previous' as const },
    ...credentialsBeside(WEBHOOK_SECRET),
  ];
  const right = send(requestDraft(REQUEST)).headers['x-signature'] ?? '';
  const rightWebhook = (send(webhookDraft(BODY)).headers['webhook-signature'] ?? '').slice(3);
  const findings = [
    ...REQUEST_MISTAKES.map((mistake) => {
      const draft = requestDraft(REQUEST);
      mistake.make(draft);
      const otherSecrets = [
        { name: 'other', secret: OTHER_APPLICATION_SECRET },
        ...credentialsBeside(REQUEST_SECRET),
      ];
      return diagnoseRequest(send(draft), { ...KNOWN, otherSecrets });
    }),
    ...WEBHOOK_MISTAKES.map((mistake) => {
      const draft = webhookDraft(BODY);
      mistake.make(draft);
      return diagnoseWebhook(send(draft), { secrets, nowS: SENT_AT_S });
    }),
  ].flat();

  test('findings show no secret, key, token or expected signature', () => {
    const text = JSON.stringify(findings);
    const forbidden = [
      REQUEST_SECRET,
      OTHER_APPLICATION_SECRET,
      WEBHOOK_SECRET.slice(6),
      PREVIOUS_WEBHOOK_SECRET.slice(6),
      Buffer.from(WEBHOOK_SECRET.slice(6), 'base64').toString('hex'),
      'tk_test_0123456789abcdef',
      KYC_TOKEN,
      right,
      Buffer.from(right, 'hex').toString('base64'),
      rightWebhook,
      Buffer.from(rightWebhook, 'base64').toString('hex'),
    ];
    expect(forbidden.filter((word) => text.includes(word))).toEqual([]);
  });

  test('findings state the problem, the expected value and the fix in sentences', () => {
    expect(findings.length).toBeGreaterThan(200);
    for (const { id, did, expected, fix } of findings) {
      expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      for (const sentence of [did, expected, fix]) expect(sentence).toMatch(/^[A-Zvwx].+\.$/s);
    }
  });

  test('findings report errors in headers and in the signature format word for word', async () => {
    await expect(wordsOf(findings)).toMatchFileSnapshot('tables/findings.txt');
  });
});

/** The findings beside those of the tables, each once. */
function wordsOf(findings: ReturnType<typeof diagnoseRequest>): string {
  const byId = new Map(findings.map((finding) => [finding.id, finding]));
  const others = [...byId.values()].filter(
    ({ id, certainty }) => certainty !== 'proved' || id.startsWith('signature-'),
  );
  return others
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ id, certainty, did, expected, fix }) => `${id} (${certainty}): ${did} ${expected} ${fix}\n`)
    .join('');
}

describe('the form of a signature under an unknown secret', () => {
  const keys = Array.from({ length: 8 }, (_key, number) => `unknown secret ${number}`);
  const secrets = [{ secret: WEBHOOK_SECRET }, ...credentialsBeside(WEBHOOK_SECRET)];
  const otherSecrets = credentialsBeside(REQUEST_SECRET);

  /** Writes the signature of a draft under each unknown key in the form of a sender. */
  function signaturesOf(draft: Draft, { make }: SenderMistake): string[] {
    make(draft);
    return keys.map((key) => send({ ...draft, key }).headers[draft.names.signature] ?? '');
  }

  const ofForms = (mistakes: readonly SenderMistake[]) =>
    mistakes.filter(({ about }) => about === 'signature');

  test('does not explain the signature of a request by its form', () => {
    const draft = requestDraft(REQUEST);
    const received = readRequest(send(draft), { ...KNOWN, otherSecrets });
    const texts = ofForms(REQUEST_MISTAKES).flatMap((form) => signaturesOf(requestDraft(REQUEST), form));
    const readings = texts.flatMap((text) => listReadings(text, 'hex'));
    expect(searchErrors({ ...received, readings }, 'singles')).toBe('unexplained');
  });

  test('does not explain the signature of a webhook by its form', () => {
    const draft = webhookDraft(BODY);
    const received = readWebhook(send(draft), { secrets, nowS: SENT_AT_S });
    const texts = ofForms(WEBHOOK_MISTAKES).flatMap((form) => signaturesOf(webhookDraft(BODY), form));
    const readings = texts.flatMap(listWebhookReadings);
    expect(searchErrors({ ...received, readings }, 'singles')).toBe('unexplained');
  });
});

describe('a signature without an explanation', () => {
  test('names the secret and a request’s string to sign as the remaining causes', () => {
    const draft = requestDraft(REQUEST);
    draft.signed.token = 'a nonce of its own, drawn twice';
    const [finding] = diagnoseRequest(send(draft), KNOWN);
    expect(finding?.did).toBe(
      'No known signing error explains the signature: the secret differs, or your code signed a different nonce, time or body than it sent.',
    );
    const string = [
      SENT_AT_S,
      draft.sent.token,
      'POST',
      '/api/public/v1/pix',
      digestOf('sha256', BODY).toString('hex'),
    ].join('.');
    expect(finding?.fix).toContain(`it must be "${string}".`);
  });

  test('names the secret and a webhook’s body, with its size and SHA-256, as the remaining causes', () => {
    const sent = send({ ...webhookDraft(BODY), key: 'unknown' });
    const [finding] = diagnoseWebhook(sent, { secrets: [{ secret: WEBHOOK_SECRET }], nowS: SENT_AT_S });
    expect(finding?.did).toBe(
      'No known signing error explains the signature: the secret differs, or the signed body differs from the received one.',
    );
    expect(finding?.fix).toContain(
      `is "evt_0A1b2c3d4e5f60718293a4b5c6d7e8f9.${SENT_AT_S}." and then a body of ${BODY.length} bytes whose SHA-256 begins with ${digestOf('sha256', BODY).toString('hex').slice(0, 16)}.`,
    );
  });

  test('reports a key that is shorter than those of the service', () => {
    const sent = send({ ...webhookDraft(BODY), key: 'unknown' });
    const [finding] = diagnoseWebhook(sent, { secrets: [{ secret: 'whsec_AAAAAAAA' }], nowS: SENT_AT_S });
    expect(finding?.did).toMatch(
      /: the secret is too short \(its key has 6 bytes; 32 are usual\), or the signed body /,
    );
  });

  test.each(['x', 'nonsense', 'not-a-signature-at-all!', 'A'.repeat(2000)])(
    'does not search for text that is not a signature: %.20s',
    (signature) => {
      const request = { ...send(requestDraft(REQUEST)) };
      const headers = { ...request.headers, 'x-signature': signature };
      expect(ids(diagnoseRequest({ ...request, headers }, KNOWN))).toEqual(['signature-unreadable']);
    },
  );

  test('reports that some signing errors were not tried', () => {
    const sent = send({ ...requestDraft(REQUEST), key: 'unknown' });
    const [finding] = diagnoseRequest(sent, { ...KNOWN, maxBytes: 10_000 });
    expect(finding?.did).toMatch(
      /^The search reached its limit without an explanation: the error was not tried, or the secret differs,/,
    );
  });

  test('the fix is short, whatever the length of a path or an id', () => {
    const long = requestDraft({ ...REQUEST, target: `/${'x'.repeat(2000)}` });
    const [request] = diagnoseRequest(send({ ...long, key: 'unknown' }), KNOWN);
    expect(request?.fix.length).toBeLessThan(500);
    const headers = {
      id: 'x'.repeat(2000),
      timestamp: String(SENT_AT_S),
      signature: `v1,${'A'.repeat(43)}=`,
    };
    const [webhook] = diagnoseWebhook(
      { body: BODY, headers },
      { secrets: [{ secret: WEBHOOK_SECRET }], nowS: SENT_AT_S },
    );
    expect(webhook?.fix.length).toBeLessThan(500);
  });
});

describe('a request under another scheme', () => {
  const scheme = { signatureEncoding: 'base64', digestEncoding: 'base64', pathForm: 'target' } as const;
  const message = { ...REQUEST, body: Buffer.from(BODY), headers: {} };
  const diagnose = (canonical: { path: string; digest: string }, encoding: 'hex' | 'base64'): string[] => {
    const [timestamp, nonce] = [String(SENT_AT_S), 'n'.repeat(20)];
    const content = [timestamp, nonce, 'POST', canonical.path, canonical.digest].join('.');
    const signature = hmacOf('sha256', REQUEST_SECRET, content).toString(encoding);
    return ids(
      diagnoseRequest(
        { ...message, headers: { timestamp, nonce, signature } },
        { ...KNOWN, scheme, effort: 'pairs' },
      ),
    );
  };
  const right = { path: REQUEST.target, digest: digestOf('sha256', BODY).toString('base64') };

  test('accepts a request that follows its scheme', () => {
    expect(diagnose(right, 'base64')).toEqual([]);
  });

  test('reports the opposite errors under the opposite scheme', () => {
    expect(diagnose({ ...right, path: '/api/public/v1/pix' }, 'base64')).toEqual(['path-without-query']);
    expect(diagnose({ ...right, digest: digestOf('sha256', BODY).toString('hex') }, 'base64')).toEqual([
      'digest-hex',
    ]);
    expect(diagnose(right, 'hex')).toEqual(['signature-hex']);
    expect(diagnose({ ...right, path: '/api/public/v1/pix' }, 'hex')).toEqual([
      'path-without-query',
      'signature-hex',
    ]);
  });
});

describe('a secret with spaces and plus signs', () => {
  const secret = ' blank + plus ';
  const diagnose = (used: string): string[] => {
    const headers = signRequest({ ...REQUEST, secret: used, timestampS: SENT_AT_S }).headers;
    return ids(diagnoseRequest({ ...REQUEST, headers }, { ...KNOWN, secret }));
  };

  test('recognizes a trimmed and URL-encoded secret', () => {
    expect(diagnose(secret)).toEqual([]);
    expect(diagnose(secret.trim())).toEqual(['secret-trimmed']);
    expect(diagnose(encodeURIComponent(secret))).toEqual(['secret-url-encoded']);
  });
});

describe('clock skew', () => {
  const ageing = (shiftS: number): string[] => {
    const headers = signWebhook({
      id: 'evt_1',
      timestampS: SENT_AT_S + shiftS,
      body: BODY,
      secrets: WEBHOOK_SECRET,
    });
    const findings = diagnoseWebhook(
      { body: BODY, headers },
      { secrets: [{ secret: WEBHOOK_SECRET }], nowS: SENT_AT_S },
    );
    return findings.map(({ id, did }) => `${id}: ${did}`);
  };

  test('reports the sign and the size of the clock skew', () => {
    expect(ageing(301)).toEqual(['clock-ahead: webhook-timestamp is 5 min 1 s in the future (+301 s).']);
    expect(ageing(-301)).toEqual(['clock-behind: webhook-timestamp is 5 min 1 s in the past (-301 s).']);
    expect(ageing(-4 * 3600 + 20)).toEqual([
      'clock-time-zone: webhook-timestamp is 3 h 59 min in the past (-14380 s).',
    ]);
    expect(ageing(-90_061)).toEqual([
      'timestamp-stale: webhook-timestamp is 1 d 1 h in the past (-90061 s).',
    ]);
  });

  test('accepts a clock at the edge of the tolerance', () => {
    expect([...ageing(300), ...ageing(-300)]).toEqual([]);
  });
});

describe('renamed headers', () => {
  const { headers } = signRequest({ ...REQUEST, secret: REQUEST_SECRET, timestampS: SENT_AT_S });
  const raw = [
    'Host',
    'localhost',
    'X_Timestamp',
    headers['x-timestamp'],
    'Nonce',
    headers['x-nonce'],
    'X-Signature',
    headers['x-signature'],
  ];

  test('finds renamed headers in rawHeaders', () => {
    const given = { timestamp: undefined, nonce: undefined, signature: headers['x-signature'] };
    const findings = diagnoseRequest({ ...REQUEST, headers: given, rawHeaders: raw }, KNOWN);
    expect(findings.map(({ did }) => did)).toEqual([
      'x-timestamp was sent under the name "X_Timestamp".',
      'x-nonce was sent under the name "Nonce".',
    ]);
  });

  test('finds renamed headers in a fetch Headers', () => {
    const fetched = new Headers({
      'x-timestamp': headers['x-timestamp'],
      'x-nonce': headers['x-nonce'],
      signature: headers['x-signature'],
    });
    expect(ids(diagnoseRequest({ ...REQUEST, headers: fetched }, KNOWN))).toEqual(['header-misnamed']);
  });

  test('reports missing headers', () => {
    expect(ids(diagnoseRequest({ ...REQUEST, headers: {} }, KNOWN))).toEqual([
      'header-missing',
      'header-missing',
      'header-missing',
    ]);
  });
});

describe('the time budget', () => {
  const large = { ...REQUEST, body: Buffer.alloc(256 * 1024, 0x20) };
  const sent = {
    ...large,
    headers: signRequest({ ...large, secret: 'unknown', timestampS: SENT_AT_S }).headers,
  };

  test('ends a diagnosis that exceeds its budget, and reports it', () => {
    expect(ids(diagnoseRequest(sent, { ...KNOWN, maxBytes: 300_000 }))).toEqual(['tries-exhausted']);
  });

  test('tries errors that need no other body even on a large body', () => {
    const draft = requestDraft(large);
    draft.signed.method = 'post';
    expect(ids(diagnoseRequest(send(draft), KNOWN))).toEqual(['method-lower-case']);
  });

  test('counts the digest of a body once, however many forms of it are tried', () => {
    const draft = requestDraft(large);
    draft.form = (body) => `b'${digestOf('sha256', body).toString('base64')}'`;
    const found = diagnoseRequest(send(draft), { ...KNOWN, maxBytes: 4_000_000 });
    expect(ids(found)).toEqual(['digest-python-bytes']);
  });

  test('the time budget is sufficient for every single error on the largest accepted body', () => {
    expect(ids(diagnoseRequest(sent, KNOWN))).toEqual(['unknown-secret']);
  });
});

test('recognizes an amount signed as a string or a number with all of its digits', () => {
  const pairs = [
    ['{"amount": 1234.56}', '{"amount": "1234.56"}'],
    ['{"amount": -10.05,"code":"a"}', '{"amount": "-10.05","code":"a"}'],
    ['{"amount": "7"}', '{"amount": 7}'],
    ['{"amount": "1234.50"}', '{"amount": 1234.5}'],
  ] as const;
  for (const [sent, signed] of pairs) {
    const draft = requestDraft({ ...REQUEST, body: sent });
    draft.signed.body = Buffer.from(signed);
    expect(ids(diagnoseRequest(send(draft), KNOWN))).toEqual(['body-amount-type']);
  }
});

test('reports a time beyond all dates like any other', () => {
  const { headers } = signRequest({ ...REQUEST, secret: REQUEST_SECRET, timestampS: SENT_AT_S });
  const found = diagnoseRequest({ ...REQUEST, headers: { ...headers, 'x-timestamp': '9e12' } }, KNOWN);
  expect(ids(found).slice(0, 2)).toEqual(['timestamp-header-exponent', 'clock-ahead']);
});

describe('a body that cannot be serialized again', () => {
  test('diagnoses everything except the body', () => {
    const deep = '['.repeat(40_000) + ']'.repeat(40_000);
    const draft = requestDraft({ ...REQUEST, body: deep });
    draft.signed.method = 'post';
    expect(ids(diagnoseRequest(send(draft), KNOWN))).toEqual(['method-lower-case']);
  });

  test('recognizes rewritten numbers and escapes', () => {
    const draft = requestDraft({ ...REQUEST, body: '{"amount": 10.00, "payer_name": "Jo\\u00e3o"}' });
    draft.signed.body = Buffer.from('{"amount":10,"payer_name":"João"}');
    expect(ids(diagnoseRequest(send(draft), KNOWN))).toEqual(['body-reserialised']);
  });
});
