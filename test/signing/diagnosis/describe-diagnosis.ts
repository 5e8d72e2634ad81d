import { isDeepStrictEqual } from 'node:util';
import type { Arbitrary } from 'fast-check';
import { record, sample } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ReceivedSignature, searchErrors } from '../../../src/signing/diagnosis/diagnose.js';
import type { SignatureReading } from '../../../src/signing/diagnosis/signature-text.js';
import type { Effort, SigningFinding } from '../../../src/signing/index.js';
import { inTurn, tries } from '../../helpers/soak-scale.js';
import { drawPairs } from './pairs.js';
import type { Draft, SenderMistake, Sent } from './sender.js';
import { send } from './sender.js';

/** A kind of message, its senders' mistakes, and how it is verified and diagnosed. */
interface Diagnosed<Message> {
  readonly kind: string;
  readonly messages: Readonly<Record<string, Message>>;
  readonly mistakes: readonly SenderMistake[];
  readonly leastMistakes: number;
  /** The ids of all rows of the tables. */
  readonly ids: readonly string[];
  /** Rows that need other messages, with tests of their own. */
  readonly elsewhere: readonly string[];
  readonly pairSeed: number;
  readonly draftOf: (message: Message) => Draft;
  readonly holds: (sent: Sent) => boolean;
  readonly diagnose: (sent: Sent, effort: Effort) => readonly SigningFinding[];
  readonly read: (sent: Sent) => ReceivedSignature;
  readonly readingsOf: (signature: string) => readonly SignatureReading[];
  /** Messages and keys that no secret explains. */
  readonly unknown: {
    readonly seed: number;
    readonly message: Arbitrary<Message>;
    readonly key: Arbitrary<string | Buffer>;
    readonly keys: Arbitrary<(string | Buffer)[]>;
  };
}

/** Pairs of mistakes that are drawn for each of two messages. */
const PAIRS = tries({ part: 4, whole: 40 });
/** Messages under unknown secrets. */
const UNKNOWN = tries({ part: 3, whole: 50 });

function named(findings: readonly SigningFinding[]): Set<string> {
  return new Set(findings.flatMap(({ id, alike }) => [id, ...alike]));
}

/** Tests that a diagnosis names each mistake of a sender, alone and in pairs, and none under an unknown secret. */
export function describeDiagnosis<Message>(diagnosed: Diagnosed<Message>): void {
  const { kind, messages, mistakes, draftOf, holds, diagnose, unknown } = diagnosed;
  const sentWith = (message: Message, ...made: readonly SenderMistake[]): Sent => {
    const draft = draftOf(message);
    for (const mistake of made) mistake.make(draft);
    return send(draft);
  };

  describe(`single signing errors in a ${kind}`, () => {
    test('covers every row of the tables with many signing errors', () => {
      const made = new Set(mistakes.map(({ id }) => id));
      const { ids, elsewhere, leastMistakes } = diagnosed;
      expect(made.size).toBeGreaterThanOrEqual(leastMistakes);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.filter((id) => !made.has(id) && !elsewhere.includes(id))).toEqual([]);
    });

    test.each(Object.entries(messages))('leaves %s unchanged without a signing error', (_name, message) => {
      const sent = sentWith(message);
      expect(holds(sent)).toBe(true);
      expect(diagnose(sent, 'singles')).toEqual([]);
    });

    test('changes the verdict of some message by each signing error', () => {
      const idle = mistakes.filter((mistake) =>
        Object.values(messages).every((message) => holds(sentWith(message, mistake))),
      );
      expect(idle.map(({ id }) => id)).toEqual([]);
    });

    const cases = mistakes.flatMap((mistake, index) => {
      const wrong = Object.entries(messages).filter(([, message]) => !holds(sentWith(message, mistake)));
      return inTurn(wrong, index).map(([name, message]) => {
        return { id: `${mistake.id} (${index})`, name, mistake, message };
      });
    });

    test.each(cases)('$id in $name', ({ mistake, message }) => {
      const findings = diagnose(sentWith(message, mistake), 'singles');
      expect([...named(findings)]).toContain(mistake.id);
      expect(findings.length).toBeLessThanOrEqual(2);
    });
  });

  test(`names pairs of signing errors in a ${kind} in at least 95 of 100 cases`, () => {
    const missed: string[] = [];
    let count = 0;
    for (const message of Object.values(messages).slice(0, 2)) {
      for (const pair of drawPairs(mistakes, { count: PAIRS, seed: diagnosed.pairSeed })) {
        const sent = sentWith(message, ...pair);
        // Where one of them makes the same message alone, nothing of the other is left to be seen.
        if (pair.some((only) => isDeepStrictEqual(sent, sentWith(message, only)))) continue;
        const ids = named(diagnose(sent, 'pairs'));
        count += 1;
        if (pair.some(({ id }) => !ids.has(id)))
          missed.push(`${pair.map(({ id }) => id).join(' + ')}: ${[...ids].join(' ')}`);
      }
    }
    expect(count).toBeGreaterThan(PAIRS);
    expect(missed.slice(Math.floor(count * 0.05))).toEqual([]);
  }, 60_000);

  describe(`a ${kind} under an unknown secret`, () => {
    const { seed, message, key, keys } = unknown;

    test.each(['singles', 'pairs'] as const)('reports an unknown secret with effort %s', (effort) => {
      const numRuns = effort === 'singles' ? tries({ part: 4, whole: 100 }) : tries({ part: 1, whole: 5 });
      for (const one of sample(record({ message, key }), { seed, numRuns })) {
        const sent = send({ ...draftOf(one.message), key: one.key });
        expect(diagnose(sent, effort).map(({ id }) => id)).toEqual(['unknown-secret']);
      }
    });

    test('never explains an unknown secret by another signing error', () => {
      const drawn = sample(record({ message, keys }), { seed: seed + 1, numRuns: UNKNOWN });
      for (const [index, one] of drawn.entries()) {
        const draft = draftOf(one.message);
        const received = diagnosed.read(send(draft));
        const signatures = one.keys.map(
          (used) => send({ ...draft, key: used }).headers[draft.names.signature],
        );
        // Every signature that the search makes is compared with all 200, as 200 searches would.
        const readings = signatures.flatMap((text) => diagnosed.readingsOf(text ?? ''));
        const effort = index % 10 === 0 ? 'pairs' : 'singles';
        expect(searchErrors({ ...received, readings }, effort)).toBe('unexplained');
      }
    }, 60_000);
  });
}
