import { ASSUMPTION_IDS } from '../contract/assumptions.js';
import { formatIsoTime } from '../contract/time.js';
import { array, record } from '../schema/compound.js';
import { object, optional } from '../schema/object.js';
import type { Infer } from '../schema/schema.js';
import { boolean, literal, text } from '../schema/values.js';
import type { Comparison } from './compare.js';
import { compareObservations } from './compare.js';
import { FACT_IDS, type FactId, PARITY_FACTS, type ProbePart } from './facts.js';
import { createObservations, type Observations } from './observer.js';
import { type FactOutcome, judgeFacts, questionSandbox } from './probe.js';

/** The file that a probe writes to the current directory, and that `parity check` reads. */
export const PARITY_FILE = 'parity.json';
const FORMAT = 1;

const RECORDED_FACT = object('a fact', {
  observed: text('a date', /^\d{4}-\d\d-\d\d$/),
  value: optional(text()),
  /** Set if the responses had no difference without a setting. */
  matches: boolean,
  requests: array(text()),
  result: record(record(text())),
});

/** Schema of the parity file. */
export const PARITY_RECORD = object('a parity file', {
  format: literal(FORMAT),
  version: text('a version'),
  against: text('a URL'),
  facts: record(RECORDED_FACT),
});
export type ParityRecord = Infer<typeof PARITY_RECORD>;
type RecordedFact = Infer<typeof RECORDED_FACT>;

/** Creates the record of a finished probe. Facts of an earlier probe of the same server remain. */
export function createParityRecord(
  outcomes: readonly FactOutcome[],
  {
    against,
    nowMs,
    earlier,
  }: { readonly against: string; readonly nowMs: number; readonly earlier: ParityRecord | undefined },
): ParityRecord {
  const observed = formatIsoTime(nowMs).slice(0, 10);
  const facts: Record<string, RecordedFact> = earlier?.against === against ? { ...earlier.facts } : {};
  for (const { id, value, result, differences } of outcomes) {
    if (value === undefined && Object.keys(result).length === 0) continue;
    const requests = Object.keys(result);
    const old = facts[id]?.value;
    const known = value ?? old;
    facts[id] = {
      observed,
      ...(known === undefined ? {} : { value: known }),
      matches: differences.length === 0,
      requests: requests.length > 0 ? requests : [PARITY_FACTS[id].asks],
      result,
    };
  }
  const ordered = FACT_IDS.flatMap((id) => (facts[id] === undefined ? [] : [[id, facts[id]] as const]));
  return { format: FORMAT, version: __VERSION__, against, facts: Object.fromEntries(ordered) };
}

/** Returns the recorded values of configurable assumptions. */
export function listRecordedValues({ facts }: ParityRecord): Record<string, string> {
  const entries = ASSUMPTION_IDS.flatMap((id) => {
    const value = facts[id]?.value;
    return value === undefined ? [] : [[id, value] as const];
  });
  return Object.fromEntries(entries);
}

/** Returns the parts of a probe that the recorded facts came from. */
export function listRecordedParts({ facts }: ParityRecord): Set<ProbePart> {
  const parts = new Set<ProbePart>(['reads']);
  for (const id of FACT_IDS) {
    const { part } = PARITY_FACTS[id];
    if (facts[id] !== undefined && part !== null) parts.add(part);
  }
  return parts;
}

/** Compares the recorded facts with the sandbox’s responses to the same requests. */
export function compareWithRecord({ facts }: ParityRecord, sandbox: Observations): Map<string, Comparison> {
  const recorded = new Map<string, { fact: FactId; place: string; token: string }[]>();
  for (const fact of FACT_IDS) {
    for (const [request, places] of Object.entries(facts[fact]?.result ?? {})) {
      const all = Object.entries(places).map(([place, token]) => ({ fact, place, token }));
      recorded.set(request, [...(recorded.get(request) ?? []), ...all]);
    }
  }
  return new Map(
    Array.from(recorded).flatMap(([request, places]) => {
      const own = sandbox.requests[request];
      if (own === undefined) return [];
      const tokens = Object.fromEntries(places.map(({ place, token }) => [place, token]));
      const { differences } = compareObservations(request, own, { fact: own.fact, tokens });
      const factOf = (place: string) => places.find((one) => one.place === place)?.fact;
      return [
        [
          request,
          {
            differences: differences.flatMap((one) => {
              const fact = factOf(one.place);
              return fact === undefined ? [] : [{ ...one, fact }];
            }),
            places: places.map(({ fact, place, token }) => [fact, place, token] as const),
          },
        ] as const,
      ];
    }),
  );
}

/** Compares the recorded facts with a sandbox that has the project’s assumptions. `run` is the current probe. */
export async function judgeRecord(
  record: ParityRecord,
  current: Readonly<Record<string, string>>,
  run:
    | { readonly unknown: Partial<Record<FactId, string>>; readonly parts: ReadonlySet<ProbePart> }
    | undefined,
): Promise<readonly FactOutcome[]> {
  const values = listRecordedValues(record);
  const parts = listRecordedParts(record);
  const scope = { parts, hasIdentity: true, tokens: 1 };
  const sandbox = await questionSandbox({ ...current, ...values }, scope, createObservations());
  const compared = compareWithRecord(record, sandbox);
  return judgeFacts({ current, values, compared, unknown: run?.unknown ?? {} }, run?.parts ?? parts);
}

/** Returns the recorded facts older than `maxAgeMs`. */
export function listOldFacts({ facts }: ParityRecord, maxAgeMs: number, nowMs: number): readonly string[] {
  const oldest = formatIsoTime(Math.max(nowMs - maxAgeMs, 0)).slice(0, 10);
  return Object.entries(facts).flatMap(([id, { observed }]) => (observed < oldest ? [id] : []));
}
