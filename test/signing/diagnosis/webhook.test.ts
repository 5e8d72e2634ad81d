import { isDeepStrictEqual } from 'node:util';
import { json, oneof, record, sample, string, uint8Array, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_BYTES, Readings, search } from '../../../src/signing/diagnosis/search.js';
import { WEBHOOK_DIMENSIONS } from '../../../src/signing/diagnosis/webhook-mistakes.js';
import { webhookCase } from '../../../src/signing/diagnosis/webhook.js';
import {
  ENTRY_MISTAKE_IDS,
  webhookReadings,
  WRITING_MISTAKE_IDS,
} from '../../../src/signing/diagnosis/writing.js';
import type { Finding, KnownSecret } from '../../../src/signing/index.js';
import { diagnoseWebhook, signWebhook, verifyWebhook } from '../../../src/signing/index.js';
import { inTurn, tries } from '../../helpers/whole.js';
import { drawPairs } from './pairs.js';
import type { Draft, SenderMistake, Sent } from './sender.js';
import {
  credentialsBeside,
  OTHER_WEBHOOK_SECRET,
  PREVIOUS_WEBHOOK_SECRET,
  send,
  SENT_AT_S,
  WEBHOOK_SECRET,
  webhookDraft,
} from './sender.js';
import { WEBHOOK_MISTAKES } from './webhook-mistakes.js';

const EVENT = {
  id: 'evt_ffeeddccbbaa99887766554433221100',
  type: 'pix.settled',
  schema_version: 1,
  timestamp: '2025-10-09T08:55:21.250Z',
  environment: 'TEST',
  data: {
    object: {
      id: '0b9c1f0a-9f5e-4c61-8a3c-2a7c9d1e4f10',
      code: 'pedido/42',
      amount: '10.50',
      payer_name: 'João & Cia <Ltda>',
      metadata: { loja: 'São Paulo' },
      note: null,
    },
  },
};

const BODIES = {
  'an event in compact JSON': JSON.stringify(EVENT),
  'an event in spaced JSON': JSON.stringify(EVENT).replaceAll(',"', ', "').replaceAll('":', '": '),
  'an event in indented JSON with a line break behind': `${JSON.stringify(EVENT, null, 2)}\n`,
  'bytes that are no text': Buffer.from([0xff, 0x00, 0x7b, 0x0a, 0x20]),
};

const SECRETS: readonly KnownSecret[] = [
  { secret: WEBHOOK_SECRET, note: 'current' },
  { name: 'until noon', secret: PREVIOUS_WEBHOOK_SECRET, note: 'previous' },
  { name: 'second endpoint', secret: OTHER_WEBHOOK_SECRET, note: 'other' },
  ...credentialsBeside(WEBHOOK_SECRET),
];
const KNOWN = { secrets: SECRETS, nowS: SENT_AT_S + 2 };

/** Pairs of mistakes that are drawn for each of two messages. */
const PAIRS = tries({ part: 4, whole: 40 });
/** Messages under unknown secrets. */
const UNKNOWN = tries({ part: 3, whole: 50 });

function draftWith(body: string | Buffer, ...mistakes: SenderMistake[]): Draft {
  const draft = webhookDraft(body);
  for (const mistake of mistakes) mistake.make(draft);
  return draft;
}

function holds(sent: Sent): boolean {
  return verifyWebhook({ ...sent, secrets: WEBHOOK_SECRET, nowS: KNOWN.nowS }).ok;
}

function named(findings: readonly Finding[]): Set<string> {
  return new Set(findings.flatMap(({ id, alike }) => [id, ...alike]));
}

describe('single mistakes in a webhook', () => {
  test('are at least 40, and every row of the tables is among them', () => {
    const made = new Set(WEBHOOK_MISTAKES.map(({ id }) => id));
    expect(made.size).toBeGreaterThanOrEqual(40);
    const ids = [
      ...WEBHOOK_DIMENSIONS.flatMap(({ mistakes }) => mistakes.map(({ id }) => id)),
      ...WRITING_MISTAKE_IDS,
      ...ENTRY_MISTAKE_IDS,
    ];
    expect(new Set(ids).size).toBe(ids.length);
    // A webhook always has a body, and base64 is its right encoding.
    const elsewhere = new Set(['body-empty-form', 'signature-base64']);
    expect(ids.filter((id) => !made.has(id) && !elsewhere.has(id))).toEqual([]);
  });

  test.each(Object.entries(BODIES))('leave %s as it is when none is made', (_name, body) => {
    const sent = send(draftWith(body));
    expect(holds(sent)).toBe(true);
    expect(diagnoseWebhook(sent, KNOWN)).toEqual([]);
  });

  test('each change the verdict of some message', () => {
    const idle = WEBHOOK_MISTAKES.filter((mistake) =>
      Object.values(BODIES).every((body) => holds(send(draftWith(body, mistake)))),
    );
    expect(idle.map(({ id }) => id)).toEqual([]);
  });

  const cases = WEBHOOK_MISTAKES.flatMap((mistake, index) => {
    const wrong = Object.entries(BODIES).filter(([, body]) => !holds(send(draftWith(body, mistake))));
    return inTurn(wrong, index).map(([name, body]) => ({
      id: `${mistake.id} (${index})`,
      name,
      mistake,
      body,
    }));
  });

  test.each(cases)('$id in $name', ({ mistake, body }) => {
    const findings = diagnoseWebhook(send(draftWith(body, mistake)), KNOWN);
    expect([...named(findings)]).toContain(mistake.id);
    expect(findings.length).toBeLessThanOrEqual(2);
  });
});

test('a secret without + and / is not said to be base64url', () => {
  const secret = `whsec_${Buffer.from('a key of 16 byte').toString('base64')}`;
  const text = secret.slice('whsec_'.length).replace('==', '');
  const sent = send({ ...webhookDraft('{}'), key: text });
  const findings = diagnoseWebhook(sent, { ...KNOWN, secrets: [{ secret }] });
  expect(findings).toMatchObject([{ id: 'secret-without-padding', alike: [] }]);
});

describe('pairs of mistakes in a webhook', () => {
  test('are named in at least 95 of 100 cases', () => {
    const missed: string[] = [];
    let count = 0;
    for (const body of Object.values(BODIES).slice(0, 2)) {
      for (const [one, other] of drawPairs(WEBHOOK_MISTAKES, { count: PAIRS, seed: 22 })) {
        const pair = send(draftWith(body, one, other));
        if (isHidden(pair, body, one) || isHidden(pair, body, other)) continue;
        const ids = named(diagnoseWebhook(pair, { ...KNOWN, effort: 'pairs' }));
        count += 1;
        if (!ids.has(one.id) || !ids.has(other.id))
          missed.push(`${one.id} + ${other.id}: ${[...ids].join(' ')}`);
      }
    }
    expect(count).toBeGreaterThan(PAIRS);
    expect(missed.slice(Math.floor(count * 0.05))).toEqual([]);
  }, 60_000);

  /** Whether the other mistake alone makes the same message, so that nothing of this one is left to be seen. */
  function isHidden(pair: Sent, body: Parameters<typeof draftWith>[0], only: SenderMistake): boolean {
    return isDeepStrictEqual(pair, send(draftWith(body, only)));
  }
});

describe('webhooks under unknown secrets', () => {
  const key = uint8Array({ minLength: 16, maxLength: 48 });
  const manyKeys = uniqueArray(key, { minLength: 200, maxLength: 200, selector: String });
  const bodies = oneof(json(), string()).map((text) => Buffer.from(text));

  test.each(['singles', 'pairs'] as const)('are said to be so, with effort %s', (effort) => {
    const numRuns = effort === 'singles' ? tries({ part: 4, whole: 100 }) : tries({ part: 1, whole: 5 });
    for (const one of sample(record({ body: bodies, key }), { seed: 3, numRuns })) {
      const sent = send({ ...webhookDraft(one.body), key: Buffer.from(one.key) });
      expect(diagnoseWebhook(sent, { ...KNOWN, effort }).map(({ id }) => id)).toEqual(['unknown-secret']);
    }
  });

  test(`are never explained by a mistake: ${200 * UNKNOWN} signatures over ${UNKNOWN} messages`, () => {
    for (const [index, { body, keys }] of sample(record({ body: bodies, keys: manyKeys }), {
      seed: 4,
      numRuns: UNKNOWN,
    }).entries()) {
      const draft = webhookDraft(body);
      const { task } = webhookCase(send(draft), KNOWN);
      const headers = keys.map(
        (key) => send({ ...draft, key: Buffer.from(key) }).headers['webhook-signature'] ?? '',
      );
      // Every signature that the search makes is compared with all 200, as 200 searches would.
      const readings = new Readings(headers.flatMap(webhookReadings));
      const effort = index % 10 === 0 ? 'pairs' : 'singles';
      expect(search({ ...task, readings, effort, maxBytes: MAX_BYTES[effort] })).toBe('unexplained');
    }
  }, 60_000);
});

describe('a webhook of several signatures', () => {
  const body = JSON.stringify(EVENT);
  const headers = signWebhook({
    id: 'evt_1',
    timestampS: SENT_AT_S,
    body,
    secrets: [OTHER_WEBHOOK_SECRET, WEBHOOK_SECRET],
  });

  test('is pointed out when only a later one is right', () => {
    const findings = diagnoseWebhook({ body, headers }, KNOWN);
    expect(findings).toMatchObject([{ id: 'only-first-signature-compared', certainty: 'possible' }]);
  });

  test('needs no advice when the first is right', () => {
    const secrets: KnownSecret[] = [
      { secret: OTHER_WEBHOOK_SECRET },
      { secret: WEBHOOK_SECRET, note: 'previous' },
    ];
    expect(diagnoseWebhook({ body, headers }, { ...KNOWN, secrets })).toEqual([]);
  });
});

describe('what a diagnosis of a webhook refuses', () => {
  const sent = send(webhookDraft('{}'));

  test('a current secret that is malformed', () => {
    expect(() => diagnoseWebhook(sent, { ...KNOWN, secrets: [{ secret: 'sk_test_1' }] })).toThrow(
      /whsec_<base64>/,
    );
  });

  test('no current secret at all', () => {
    expect(() => diagnoseWebhook(sent, { ...KNOWN, secrets: SECRETS.slice(1) })).toThrow(
      /at least one current/,
    );
  });
});
