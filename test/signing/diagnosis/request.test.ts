import { isDeepStrictEqual } from 'node:util';
import { json, oneof, record, sample, string, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requestDimensions } from '../../../src/signing/diagnosis/request-mistakes.js';
import { requestCase } from '../../../src/signing/diagnosis/request.js';
import { MAX_BYTES, Readings, search } from '../../../src/signing/diagnosis/search.js';
import { readingsOf, WRITING_MISTAKE_IDS } from '../../../src/signing/diagnosis/writing.js';
import type { Finding } from '../../../src/signing/index.js';
import { diagnoseRequest } from '../../../src/signing/index.js';
import { verifyRequest } from '../../../src/signing/request.js';
import { pathTexts } from '../../helpers/signing/path-texts.js';
import { inTurn, tries } from '../../helpers/whole.js';
import { drawPairs } from './pairs.js';
import { REQUEST_MISTAKES } from './request-mistakes.js';
import type { Draft, SenderMistake, Sent } from './sender.js';
import {
  credentialsBeside,
  OTHER_APPLICATION_SECRET,
  REQUEST_SECRET,
  requestDraft,
  send,
  SENT_AT_S,
} from './sender.js';

const CHARGE = {
  code: 'pedido/42',
  account_id: '0b9c1f0a-9f5e-4c61-8a3c-2a7c9d1e4f10',
  amount: '10.50',
  payer_document: '39053344705',
  payer_name: 'João & Cia <Ltda>',
  metadata: { loja: 'São Paulo', vendedor: 'Zé' },
  note: null,
};
const RETRY =
  '/api/public/v1/webhook-endpoints/0b9c1f0a-9f5e-4c61-8a3c-2a7c9d1e4f10/deliveries/5d7a3c1e-1b2f-4e6a-9c8d-7e6f5a4b3c2d/retry';

const MESSAGES = {
  'a charge in compact JSON': { method: 'POST', target: '/api/public/v1/pix', body: JSON.stringify(CHARGE) },
  'a charge in spaced JSON, with a query': {
    method: 'POST',
    target: '/api/public/v1/pix?b=2&a=1',
    body: JSON.stringify(CHARGE).replaceAll(',"', ', "').replaceAll('":', '": '),
  },
  'a charge in indented JSON with a line break behind': {
    method: 'POST',
    target: '/api/public/v1/pix',
    body: `${JSON.stringify(CHARGE, null, 2)}\n`,
  },
  'a retry without a body': { method: 'POST', target: RETRY, body: '' },
  'a path with escapes and double slashes': {
    method: 'POST',
    target: '/api/public/v1//Caf%C3%A9/./x?b=2&a=1',
    body: Buffer.from([0xff, 0x00, 0x7b, 0x0a, 0x20]),
  },
};

const KNOWN = {
  secret: REQUEST_SECRET,
  otherSecrets: [
    { name: 'second application', secret: OTHER_APPLICATION_SECRET },
    ...credentialsBeside(REQUEST_SECRET),
  ],
  nowS: SENT_AT_S + 2,
};

/** Pairs of mistakes that are drawn for each of two messages. */
const PAIRS = tries({ part: 4, whole: 40 });
/** Messages under unknown secrets. */
const UNKNOWN = tries({ part: 3, whole: 50 });

function draftWith(message: Parameters<typeof requestDraft>[0], ...mistakes: SenderMistake[]): Draft {
  const draft = requestDraft(message);
  for (const mistake of mistakes) mistake.make(draft);
  return draft;
}

function holds(sent: Sent): boolean {
  return verifyRequest({ ...sent, secret: REQUEST_SECRET, nowS: KNOWN.nowS }).ok;
}

function named(findings: readonly Finding[]): Set<string> {
  return new Set(findings.flatMap(({ id, alike }) => [id, ...alike]));
}

describe('single mistakes in a request', () => {
  test('are at least 60, and every row of the tables is among them', () => {
    const made = new Set(REQUEST_MISTAKES.map(({ id }) => id));
    expect(made.size).toBeGreaterThanOrEqual(60);
    const ids = tableIds();
    expect(new Set(ids).size).toBe(ids.length);
    // These need another scheme or another secret than the messages here have; they have tests of their own.
    const elsewhere = new Set([
      'path-without-query',
      'digest-hex',
      'signature-hex',
      'secret-trimmed',
      'secret-url-encoded',
    ]);
    expect(ids.filter((id) => !made.has(id) && !elsewhere.has(id))).toEqual([]);
  });

  test.each(Object.entries(MESSAGES))('leave %s as it is when none is made', (_name, message) => {
    const sent = send(draftWith(message));
    expect(holds(sent)).toBe(true);
    expect(diagnoseRequest(sent, KNOWN)).toEqual([]);
  });

  test('each change the verdict of some message', () => {
    const idle = REQUEST_MISTAKES.filter((mistake) =>
      Object.values(MESSAGES).every((message) => holds(send(draftWith(message, mistake)))),
    );
    expect(idle.map(({ id }) => id)).toEqual([]);
  });

  const cases = REQUEST_MISTAKES.flatMap((mistake, index) => {
    const wrong = Object.entries(MESSAGES).filter(([, message]) => !holds(send(draftWith(message, mistake))));
    return inTurn(wrong, index).map(([name, message]) => ({
      id: `${mistake.id} (${index})`,
      name,
      mistake,
      message,
    }));
  });

  test.each(cases)('$id in $name', ({ mistake, message }) => {
    const findings = diagnoseRequest(send(draftWith(message, mistake)), KNOWN);
    expect([...named(findings)]).toContain(mistake.id);
    expect(findings.length).toBeLessThanOrEqual(2);
  });
});

describe('pairs of mistakes in a request', () => {
  test('are named in at least 95 of 100 cases', () => {
    const missed: string[] = [];
    let count = 0;
    for (const message of Object.values(MESSAGES).slice(0, 2)) {
      for (const [one, other] of drawPairs(REQUEST_MISTAKES, { count: PAIRS, seed: 20 })) {
        const pair = send(draftWith(message, one, other));
        if (isHidden(pair, message, one) || isHidden(pair, message, other)) continue;
        const ids = named(diagnoseRequest(pair, { ...KNOWN, effort: 'pairs' }));
        count += 1;
        if (!ids.has(one.id) || !ids.has(other.id))
          missed.push(`${one.id} + ${other.id}: ${[...ids].join(' ')}`);
      }
    }
    expect(count).toBeGreaterThan(PAIRS);
    expect(missed.slice(Math.floor(count * 0.05))).toEqual([]);
  }, 60_000);

  /** Whether the other mistake alone makes the same message, so that nothing of this one is left to be seen. */
  function isHidden(pair: Sent, message: Parameters<typeof draftWith>[0], only: SenderMistake): boolean {
    return isDeepStrictEqual(pair, send(draftWith(message, only)));
  }
});

describe('requests under unknown secrets', () => {
  const message = record({
    target: pathTexts.map((path) => `/api/public/v1/pix${path}`),
    body: oneof(json(), string()).map((text) => Buffer.from(text)),
  });
  const secret = string({ minLength: 12, maxLength: 64 });
  const secrets = uniqueArray(secret, { minLength: 200, maxLength: 200 });

  test.each(['singles', 'pairs'] as const)('are said to be so, with effort %s', (effort) => {
    const numRuns = effort === 'singles' ? tries({ part: 4, whole: 100 }) : tries({ part: 1, whole: 5 });
    for (const one of sample(record({ message, secret }), { seed: 1, numRuns })) {
      const draft = requestDraft({ method: 'POST', ...one.message });
      draft.key = one.secret;
      expect(diagnoseRequest(send(draft), { ...KNOWN, effort }).map(({ id }) => id)).toEqual([
        'unknown-secret',
      ]);
    }
  });

  test(`are never explained by a mistake: ${200 * UNKNOWN} signatures over ${UNKNOWN} messages`, () => {
    for (const [index, one] of sample(record({ message, secrets }), {
      seed: 2,
      numRuns: UNKNOWN,
    }).entries()) {
      const draft = requestDraft({ method: 'POST', ...one.message });
      const { task } = requestCase(send(draft), KNOWN);
      const signatures = one.secrets.map((key) => send({ ...draft, key }).headers['x-signature'] ?? '');
      // Every signature that the search makes is compared with all 200, as 200 searches would.
      const readings = new Readings(signatures.flatMap((signature) => readingsOf(signature, 'hex')));
      const effort = index % 10 === 0 ? 'pairs' : 'singles';
      expect(search({ ...task, readings, effort, maxBytes: MAX_BYTES[effort] })).toBe('unexplained');
    }
  }, 60_000);
});

function tableIds(): string[] {
  const dimensions = requestDimensions({ signatureEncoding: 'hex', digestEncoding: 'hex', pathForm: 'path' });
  return [...dimensions.flatMap(({ mistakes }) => mistakes.map(({ id }) => id)), ...WRITING_MISTAKE_IDS];
}
