import { EVENT_TYPES } from '../contract/enums.js';
import { isFailed, isSettled } from '../contract/transitions.js';
import type { ControlClient } from '../client/control.js';
import type { CallView, DeliveryLine } from '../http/control/exchanges.js';
import type { EntryView } from '../http/control/timeline.js';
import type { PlannedFault, Observation, ObservedPayment, FaultPoint, RunResult } from './explore.js';
import type { InvariantName } from './invariants.js';
import { CREATE_CHARGE } from './kinds.js';
import { FAULTS, listFiredKinds, findForgery, formatFaultName } from '../contract/fault-kinds.js';
import type { SeenCall, SeenDelivery, RequestSubject } from './plan.js';
import { listCallPoints, listDeliveryPoints, listPagedPoints } from './plan.js';

export type ProbePayment = (payment: { readonly code: string; readonly id: string }) => Promise<string>;

interface ObserveOptions {
  /** This run's faults, added to the sandbox before any other faults. */
  readonly faults: readonly PlannedFault[];
  readonly probe?: ProbePayment | undefined;
  /** Sequence number of the last entry before the tests ended. Connections refused later are ignored. */
  readonly endedAfter?: number | undefined;
  readonly gone?: ReadonlyMap<string, string> | undefined;
}

/** Collects the results of a run before its sandbox closes. */
export async function observeSandbox(
  control: ControlClient,
  { faults, probe, gone = new Map(), endedAfter = Infinity }: ObserveOptions,
): Promise<Omit<RunResult, 'failure'>> {
  const [calls, allDeliveries, allEntries, ledger, assumptions] = await Promise.all([
    callsOf(control),
    control.list('deliveries').then((lines) => lines.toReversed()),
    control.get('timeline', { limit: MOST_ENTRIES }).then(({ data }) => data),
    control.get('ledger', { limit: 1 }),
    control.get('assumptions'),
  ]);
  const payments = await paymentsOf(control, calls, probe);
  const late = lateRefusals(allEntries, endedAfter);
  const isLate = (entry: EntryView) => late.includes(attemptKey(entry));
  const entries = allEntries.filter((entry) => !isLate(entry));
  const deliveries = allDeliveries.map((line) => withoutLate(line, late));
  const subjects = new Map(
    payments.map(({ id, code, rank }): [string, RequestSubject] => [id, { code, rank }]),
  );
  const seenCalls = calls.map((call) => seenCall(call, subjects));
  const endpoints = await endpointsOf(control, gone);
  const seenDeliveries = deliveries.flatMap((line) => seenDelivery(line, subjects, endpoints) ?? []);
  const points: FaultPoint[] = [...listCallPoints(seenCalls), ...listDeliveryPoints(seenDeliveries)];
  const observed: Observation = {
    payments,
    violations: {
      'no unverified acceptance': entries.flatMap(unverifiedIn),
      'a valid signature is accepted': entries.flatMap(findRejectedReserialized),
      'unknown types are acknowledged': entries.flatMap(refusedIn),
      'a lost response is requested again': abandonedIn(calls, subjects),
      'the ledger is consistent': ledger.problems,
      'every delivery arrives': deliveries.flatMap((line) => undeliveredIn(line, subjects)),
    } satisfies Partial<Record<InvariantName, readonly string[]>>,
    hasLateWindow: assumptions.data.some(({ id, value }) => id === 'charge.late_window' && value !== '0s'),
    paged: listPagedPoints(seenCalls),
  };
  return {
    points,
    fired: await firedOf(control, faults, entries, allEntries.filter(isLate)),
    trace: traceOf(entries),
    observed,
  };
}

function attemptKey({ delivery_id: id, attempt }: EntryView): string {
  return `${id} ${attempt}`;
}

/** Returns the attempts that were refused because the application had already exited. */
function lateRefusals(entries: readonly EntryView[], endedAfter: number): string[] {
  return entries
    .filter(
      ({ kind, error, seq }) => kind === 'attempt' && error === 'CONNECTION_REFUSED' && seq > endedAfter,
    )
    .map(attemptKey);
}

/** Removes late refused attempts from a delivery and resets the status to pending. */
function withoutLate(line: DeliveryLine, late: readonly string[]): DeliveryLine {
  const count = late.filter((key) => key.startsWith(`${line.id} `)).length;
  return count === 0 ? line : { ...line, attempts: line.attempts - count, status: 'PENDING' };
}

async function paymentsOf(
  control: ControlClient,
  calls: readonly CallView[],
  probe: ProbePayment | undefined,
): Promise<ObservedPayment[]> {
  const [charges, withdrawals] = await Promise.all([control.list('charges'), control.list('withdrawals')]);
  const created = new Set(calls.filter(isCreation).map((call) => call.resource_id));
  const listed = (type: ObservedPayment['type'], all: typeof charges | typeof withdrawals) =>
    all.toReversed().map(async (one, index): Promise<ObservedPayment> => {
      const { id, code, status, amount, account_id, metadata } = one;
      const intent = [amount, account_id, JSON.stringify(metadata)].join(' ');
      // Probes only payments that moved money.
      const isFinal = isSettled(status) || (type === 'withdrawal' && isFailed(status));
      const probed = isFinal && probe !== undefined ? await probe({ code, id }) : null;
      return { type, id, code, status, rank: index + 1, intent, isCalled: created.has(id), probed };
    });
  return Promise.all([...listed('charge', charges), ...listed('withdrawal', withdrawals)]);
}

/** Errors for requests rejected before they reach an API. Faults do not apply to these requests. */
const REFUSED_BEFORE: ReadonlySet<string | null> = new Set([
  'UNSUPPORTED_MEDIA_TYPE',
  'HEADERS_TOO_LARGE',
  'FORBIDDEN',
]);

async function callsOf(control: ControlClient): Promise<CallView[]> {
  const { data } = await control.get('calls');
  return data.filter(({ matched, error }) => matched && !REFUSED_BEFORE.has(error)).toReversed();
}

function seenCall(
  { api, method, path, status, resource_id }: CallView,
  subjects: ReadonlyMap<string, RequestSubject>,
): SeenCall {
  const isCharge = path.split('?')[0] === CREATE_CHARGE;
  const subject = isCharge ? (subjects.get(resource_id ?? '') ?? null) : null;
  // Faults cannot distinguish requests that created no charge.
  return { api, method, target: path, status: isCharge && subject === null ? UNKNOWN : status, subject };
}

const UNKNOWN = 599;

function isCreation({ method, path, status }: CallView): boolean {
  return method === 'POST' && path.split('?')[0] === CREATE_CHARGE && status < 300;
}

/** Returns a function that maps endpoint ids to URL patterns, or to null if only one endpoint exists. */
async function endpointsOf(
  control: ControlClient,
  gone: ReadonlyMap<string, string>,
): Promise<(id: string) => string | null | undefined> {
  const { data } = await control.get('endpoints');
  const urls = new Map(gone);
  for (const { id, url } of data) urls.set(id, url);
  if (new Set(urls.values()).size < 2) return () => null;
  const patterns = Array.from(urls.values(), patternOf);
  return (id) => {
    const url = urls.get(id);
    if (url === undefined) return undefined;
    // Ports vary between runs, but can be the only difference between two receivers.
    const pattern = patternOf(url);
    return patterns.filter((one) => one === pattern).length === 1 ? pattern : url;
  };
}

function patternOf(url: string): string {
  const { pathname } = new URL(url);
  return pathname === '/' ? url : `*${pathname}`;
}

function seenDelivery(
  { event_type: event, resource, endpoint_id, attempts }: DeliveryLine,
  subjects: ReadonlyMap<string, RequestSubject>,
  endpoints: (id: string) => string | null | undefined,
): SeenDelivery | undefined {
  const subject = subjects.get(resource.id);
  const endpoint = endpoints(endpoint_id);
  return subject === undefined || endpoint === undefined ? undefined : { event, subject, endpoint, attempts };
}

function undeliveredIn(
  { status, attempts, event_type, resource }: DeliveryLine,
  subjects: ReadonlyMap<string, RequestSubject>,
): string[] {
  // Deliveries with a single attempt were not retried.
  if (!isFailed(status) || attempts < 2) return [];
  const { rank = '?' } = subjects.get(resource.id) ?? {};
  return [`${event_type} of ${resource.type} ${rank} was not accepted after ${attempts} attempts.`];
}

/** Reports requests that created a charge, had their response dropped, and were not retried. */
function abandonedIn(calls: readonly CallView[], subjects: ReadonlyMap<string, RequestSubject>): string[] {
  return calls.flatMap((call, at) => {
    const isLost = listFiredKinds('call', call.faults, 'close', 'reset').some(
      ({ isUnhandled }) => !isUnhandled,
    );
    const later = calls.slice(at + 1);
    const isRepeated = later.some((other) => other.resource_id === call.resource_id);
    if (!isLost || !isCreation(call) || isRepeated) return [];
    const { code } = subjects.get(call.resource_id ?? '') ?? {};
    const then = later.some(({ error }) => error === 'NONCE_REUSED')
      ? 'retried with the same nonce, which is rejected: sign each attempt again (§5.2)'
      : 'not retried (§4.1)';
    return [
      `The response to ${call.method} ${call.path} of ${code} was dropped, and the request was ${then}.`,
    ];
  });
}

const MOST_ENTRIES = 1_000;

/** Reports a forged attempt accepted by the application, unless another fault set the status. */
function unverifiedIn({ kind, faults = [], status, event_type, code }: EntryView): string[] {
  const fired = faults.map((action) => ({ action }));
  const forgery = findForgery(fired);
  if (kind !== 'attempt' || forgery === undefined || forgery.isValid || !isAccepted(status)) return [];
  if (listFiredKinds('delivery', fired, 'respond').length > 0) return [];
  const forged = forgery.action.replace('-', ' ');
  return [`${event_type} of ${code} with a ${forged} was accepted with ${status} (§5.5).`];
}

/** Reports a rejected attempt whose only fault is a re-serialized body. */
function findRejectedReserialized({ kind, faults = [], status, event_type, code }: EntryView): string[] {
  const isReserialized = kind === 'attempt' && FAULTS.delivery[faults.join()]?.mechanic === 'reserialize';
  if (!isReserialized || status == null || isAccepted(status)) return [];
  return [`${event_type} of ${code} was rejected with ${status} although its signature is valid (§5.5).`];
}

/** Reports an unacknowledged event of an unknown type, sent by a fault. */
function refusedIn({ kind, event_type: type = '', status, error, code }: EntryView): string[] {
  const isKnown = type === '' || EVENT_TYPES.some((known) => known === type);
  if (kind !== 'fault' || status === undefined || isKnown || isAccepted(status)) return [];
  return [`${type} (an unknown type) of ${code} was rejected with ${status ?? error} (§6, §9).`];
}

function isAccepted(status: number | null | undefined): boolean {
  return status != null && status >= 200 && status < 300;
}

/** Counts how often each fault fired, even if the code under test removed the fault. */
async function firedOf(
  control: ControlClient,
  faults: readonly PlannedFault[],
  entries: readonly EntryView[],
  late: readonly EntryView[],
): Promise<number[]> {
  if (faults.length === 0) return [];
  const { data } = await control.get('faults');
  return faults.map(({ action, incident }, index) => {
    const name = formatFaultName({ action, incident });
    const kept = data[index];
    if (kept?.action === action)
      return kept.fired - late.filter(({ kind, id }) => kind === 'fault' && id === kept.id).length;
    return entries.filter(({ kind, title }) => kind === 'fault' && title.startsWith(`fault ${name} fired`))
      .length;
  });
}

const TRACED = new Set<EntryView['kind']>(['call', 'event', 'attempt', 'fault', 'clock']);
const MOST_LINES = 40;

function traceOf(entries: readonly EntryView[]): string[] {
  const told = entries.filter(({ kind, command }) => TRACED.has(kind) && command !== 'fault.add');
  const first = told.findIndex(({ kind }) => kind === 'fault');
  const lines = told.slice(Math.max(first - 2, 0)).map(({ title }) => title);
  // The end of the trace shows where a run hangs.
  if (lines.length <= MOST_LINES) return lines;
  const half = MOST_LINES / 2;
  return [...lines.slice(0, half), `… ${lines.length - MOST_LINES} more`, ...lines.slice(-half)];
}
