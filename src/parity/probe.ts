import { ASSUMPTION_IDS, type AssumptionId } from '../contract/assumptions.js';
import { type Comparison, compareObservations, type Difference } from './compare.js';
import { FACT_IDS, type FactId, inferValues, PARITY_FACTS, type ProbePart, PROBE_PARTS } from './facts.js';
import { inferFees } from './fees.js';
import { type Implementation, RequestNotAllowed } from './implementation.js';
import { type Observations, Observer } from './observer.js';
import { PROBE_LIMITS } from './other-implementation.js';
import { QUESTIONS } from './questions.js';
import { openSandboxImplementation } from './sandbox-implementation.js';

/** Selects the questions of a probe. */
export interface ProbeScope {
  readonly parts: ReadonlySet<ProbePart>;
  readonly hasIdentity: boolean;
  /** Number of tokens in PARITY_TOKEN. */
  readonly tokens: number;
}

export function selectQuestions({ parts, hasIdentity, tokens }: ProbeScope) {
  return QUESTIONS.filter(
    ({ part, needsIdentity = false, isPerToken = false }) =>
      parts.has(part) && (hasIdentity || !needsIdentity) && (tokens > 1 || !isPerToken),
  );
}

/** Returns the most requests that each part sends, in order. */
export function planRequests(scope: ProbeScope): readonly (readonly [part: ProbePart, requests: number])[] {
  const questions = selectQuestions(scope);
  const parts = Object.keys(PROBE_PARTS) as ProbePart[];
  return parts
    .filter((part) => scope.parts.has(part))
    .map((part) => {
      const own = questions.filter((question) => question.part === part);
      const count = own.reduce(
        (sum, { requests, isPerToken }) => sum + requests * (isPerToken ? scope.tokens : 1),
        0,
      );
      return [part, Math.min(count, PROBE_LIMITS.requests)] as const;
    });
}

/**
 * Asks every question that `observations` does not contain, and adds the results. Rejects with ProbeStop;
 * `observations` then contains all completed questions.
 */
export async function questionImplementation(
  implementation: Implementation,
  observations: Observations,
  scope: ProbeScope,
  { isSandbox = false, onAsked = () => undefined }: { isSandbox?: boolean; onAsked?: () => void } = {},
): Promise<void> {
  const observer = new Observer(implementation, observations, isSandbox);
  for (const { id, part, ask } of selectQuestions(scope)) {
    if (observations.asked.includes(id)) continue;
    try {
      await ask(observer);
      observations.asked.push(id);
    } catch (error) {
      if (!(error instanceof RequestNotAllowed)) throw error;
      const isOwn = (fact: FactId) => (id === 'scopes') === (fact === 'transactions.scope');
      // Without refusals, nothing is created either.
      const isStopped = (of: ProbePart | null) =>
        of === part || (part === 'refusals' && of !== null && of !== 'reads');
      const facts = FACT_IDS.filter((fact) => isStopped(PARITY_FACTS[fact].part) && isOwn(fact));
      observer.giveUp(error.message, ...facts);
    }
    onAsked();
  }
}

/** Observes this sandbox with the given assumptions, for the same questions. */
export async function questionSandbox(
  assume: Readonly<Record<string, string>>,
  scope: ProbeScope,
  observations: Observations,
): Promise<Observations> {
  await using sandbox = await openSandboxImplementation(assume, { receives: scope.parts.has('endpoint') });
  await questionImplementation(sandbox, observations, { ...scope, tokens: 1 }, { isSandbox: true });
  return observations;
}

/** Observed places of one fact, by request and place. */
export type FactResult = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Outcome of a fact: the groups of a report. */
export interface FactOutcome {
  readonly id: FactId;
  readonly outcome: 'confirmed' | 'setting' | 'differs' | 'unknown';
  /** Observed value of a configurable assumption. */
  readonly value: string | undefined;
  /** The project’s value of a configurable assumption. */
  readonly current: string | undefined;
  readonly differences: readonly Difference[];
  /** Why the fact is unknown, or known only in part. */
  readonly reason: string | undefined;
  readonly result: FactResult;
}

/** The other implementation’s observed facts, compared with the sandbox’s. */
export interface ProbeComparison {
  readonly current: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, string>>;
  readonly compared: ReadonlyMap<string, Comparison>;
  readonly unknown: Partial<Record<FactId, string>>;
}

/** Compares all responses to the same requests. */
export function compareAll(sandbox: Observations, other: Observations): Map<string, Comparison> {
  return new Map(
    Object.entries(other.requests).flatMap(([request, observation]) => {
      const own = sandbox.requests[request];
      return own === undefined ? [] : [[request, compareObservations(request, own, observation)] as const];
    }),
  );
}

/** Judges every fact. */
export function judgeFacts(
  { current, values, compared, unknown }: ProbeComparison,
  parts: ReadonlySet<ProbePart>,
): readonly FactOutcome[] {
  return FACT_IDS.map((id) => {
    const result = resultOf(id, compared);
    const differences = [...compared.values()].flatMap(({ differences: all }) =>
      all.filter(({ fact }) => fact === id),
    );
    const { part, unknown: unknownText } = PARITY_FACTS[id];
    // A percentage can be written in several ways.
    const isEqual = Number(values[id]) === Number(current[id]);
    const value = isEqual ? current[id] : values[id];
    const isSwitch = isConfigurable(id);
    const isSeen = isSwitch ? value !== undefined : Object.keys(result).length > 0;
    const flag = part === null ? null : PROBE_PARTS[part].flag;
    const notAsked = part !== null && !parts.has(part) ? `Not asked; pass ${flag}.` : undefined;
    const reason = isSeen ? undefined : (notAsked ?? unknown[id] ?? unknownText);
    const isSetting = value !== undefined && value !== current[id];
    const outcome =
      differences.length > 0 ? 'differs' : isSetting ? 'setting' : isSeen ? 'confirmed' : 'unknown';
    return { id, outcome, value, current: current[id], differences, reason, result };
  });
}

function isConfigurable(id: FactId): id is AssumptionId {
  return ASSUMPTION_IDS.some((one) => one === id);
}

function resultOf(id: FactId, compared: ReadonlyMap<string, Comparison>): FactResult {
  const entries = Array.from(compared, ([request, { places }]) => {
    const own = places.flatMap(([fact, place, got]) => (fact === id ? [[place, got] as const] : []));
    return [request, Object.fromEntries(own)] as const;
  });
  return Object.fromEntries(entries.filter(([, places]) => Object.keys(places).length > 0));
}

/** Infers the configurable assumptions, and why the fees are unknown. */
export function inferFrom({ notes, unknown }: Observations) {
  return { values: inferValues(notes), unknown: { ...inferFees(notes).reasons, ...unknown } };
}
