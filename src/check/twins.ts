import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { CheckContext } from './bench.js';
import type { ReceiverResponse, CheckFinding } from './check.js';
import type { PaidOrder } from './orders.js';
import type { ProbeDifference, ProbeState, TwinStates } from './probe.js';
import {
  compareWithSecondOrder,
  formatDifferences,
  isPaidState,
  isWithin,
  StateObserver,
  ProbeError,
  findRecordingPlaces,
  formatState,
} from './probe.js';
import { diagnoseRefusal } from './refusal.js';
import { formatResponse, isAccepted, isTimeout } from './receiver-response.js';

export interface TwinOrdersResult {
  /** The failed check and the reason for gating all others. Undefined if the first event was accepted. */
  readonly closed?:
    | { readonly by: string; readonly finding: CheckFinding; readonly reason: string }
    | undefined;
  readonly blind?: string | undefined;
  readonly findings: ReadonlyMap<string, CheckFinding>;
  readonly notes: readonly string[];
}

/** An order and its probed state before the first event. */
interface Reference {
  readonly charge: PaidOrder;
  readonly state: ProbeState;
  /** Set if the state differs from the state of an unknown order. */
  readonly isKnown: boolean;
}

const SENT = 'a valid pix.settled';
const SENT_FIRST = 'a valid pix.settled for a new order';
const SENT_SECOND = 'a pix.settled for one order, then for another';
const NO_PROBE = 'Effects are observable only with a probe.';
const NEEDS_ORDER =
  'The probe prints the same output for a paid and an unpaid order, so effects are not observable. If ' +
  'the application knows only its own orders, add --order.';
const SAME_AS_UNKNOWN =
  'The probe prints the same output for an existing, a paid and an unknown order. Make the probe print ' +
  "the application's state of the order {code}.";
/** Pause in milliseconds between two reads of an order, so that times displayed in seconds change. */
const CLOCK_MS = 1_100;
const DEFAULT_EFFECT_TIMEOUT_MS = 15_000;
/** An unknown event type, which may change only records of received events. */
const UNKNOWN_TYPE = 'pix.noted';

/** Pays two orders to learn which values a payment changes. Rejects with OrderError. */
export async function openTwinOrders(context: CheckContext): Promise<TwinOrdersResult> {
  const { options } = context;
  const { probe, probeIgnore = [] } = options.options;
  const observer = probe === undefined ? undefined : new StateObserver(probe, options.signal, probeIgnore);
  const charge = await context.charge();
  const references = observer && (await catchProbeError(() => readReferences(context, observer, charge)));
  await options.orders.settle(charge);
  const event = context.event(charge);
  let response = await context.send(context.right(event));
  // A development server may have compiled the route during the first request.
  if (isTimeout(response)) response = await context.send(context.right(event));
  if (!isAccepted(response)) return refused(context, response);
  options.responseMs = response.ms;
  if (observer === undefined || references === undefined)
    return { blind: NO_PROBE, findings: new Map(), notes: [] };
  if (typeof references === 'string') return blindOpening(references, {});
  const learned = await catchProbeError(() => learnTwins(context, observer, references, response));
  return typeof learned === 'string' ? blindOpening(learned, {}) : learned;
}

async function refused(context: CheckContext, response: ReceiverResponse): Promise<TwinOrdersResult> {
  const failed = { outcome: 'fails', got: formatResponse(response) } as const;
  if (isTimeout(response)) {
    const finding = { ...failed, sent: `${SENT}, twice` };
    const reason = 'The receiver did not respond to the first event in time.';
    return { closed: { by: 'time.limit', finding, reason }, findings: new Map(), notes: [] };
  }
  const { by, message, fix, notes } = await diagnoseRefusal(context, response);
  const finding = { ...failed, sent: SENT, likely: message, fix };
  return { closed: { by, finding, reason: message }, findings: new Map(), notes };
}

/** Returns the result, or the message of a ProbeError. */
async function catchProbeError<Result>(learn: () => Promise<Result>): Promise<Result | string> {
  try {
    return await learn();
  } catch (error) {
    if (error instanceof ProbeError) return error.message;
    throw error;
  }
}

function blindOpening(reason: string, seen: Pick<CheckFinding, 'sent' | 'got'>): TwinOrdersResult {
  const finding: CheckFinding = { outcome: 'unknown', ...seen, reason };
  return { blind: reason, findings: new Map([['effect.paid', finding]]), notes: [reason] };
}

async function readReferences(
  context: CheckContext,
  observer: StateObserver,
  charge: PaidOrder,
): Promise<readonly [Reference, Reference]> {
  const none = await observer.read({ code: context.options.orders.nextCode(), id: randomUUID() });
  const other = await context.charge();
  const isKnown = (state: ProbeState) => observer.differences(none, state).length > 0;
  const read = async (one: PaidOrder) => {
    if (context.isOrdered) await observer.readUntil(one, isKnown);
    return observer.settled(one);
  };
  const [first, second] = await Promise.all([read(charge), read(other)]);
  await context.pause(CLOCK_MS);
  const [firstLater, secondLater] = [await observer.read(charge), await observer.read(other)];
  observer.ignore(observer.differences(first, firstLater));
  observer.ignore(observer.differences(second, secondLater));
  observer.ignore(observer.differences(firstLater, secondLater));
  return [
    { charge, state: firstLater, isKnown: isKnown(firstLater) },
    { charge: other, state: secondLater, isKnown: isKnown(secondLater) },
  ];
}

/** Compares the payments of two orders and sets `context.options.twins` if both were paid. */
async function learnTwins(
  context: CheckContext,
  observer: StateObserver,
  [first, second]: readonly [Reference, Reference],
  response: ReceiverResponse,
): Promise<TwinOrdersResult> {
  const { after, ofOthers } = await firstEffect(context, observer, [first, second]);
  observer.ignore(ofOthers);
  const changed = observer.differences(first.state, after);
  const got = formatResponse(response);
  if (changed.length === 0 && !(context.isOrdered && first.isKnown))
    return blindOpening(context.isOrdered ? SAME_AS_UNKNOWN : NEEDS_ORDER, { sent: SENT_FIRST, got });
  const paid = (outcome: 'holds' | 'fails', change: string): readonly [string, CheckFinding] => [
    'effect.paid',
    { outcome, sent: SENT_FIRST, got: `${got}; ${change}` },
  ];
  if (changed.length === 0)
    return { findings: new Map([paid('fails', unchangedText(first.state, ofOthers))]), notes: [] };
  const { finding, places } = await paySecond(context, observer, second, changed);
  if (places !== null) {
    const twins = { observer, unpaid: first.state, paid: after, ...places, recorded: new Set<string>() };
    context.options.twins = await withoutRecords(context, twins);
    context.options.options.onBaseline?.(learnedText(context.options.twins));
  }
  return {
    findings: new Map([paid('holds', formatDifferences(changed)), ['dup.type', finding]]),
    notes: [],
  };
}

/** Returns the first order's state after payment, and any changes to the second, unpaid order. */
async function firstEffect(
  context: CheckContext,
  observer: StateObserver,
  [first, second]: readonly [Reference, Reference],
) {
  const startedMs = performance.now();
  const readSecond = async () => observer.differences(second.state, await observer.read(second.charge));
  const isFirstPaid = async (state: ProbeState) => {
    const changed = observer.differences(first.state, state);
    if (changed.length === 0) return false;
    const others = await readSecond();
    return changed.some(({ place }) => !others.some((other) => other.place === place));
  };
  const { effectTimeoutMs = DEFAULT_EFFECT_TIMEOUT_MS } = context.options.options;
  const state = await observer.readUntil(first.charge, isFirstPaid, effectTimeoutMs);
  if (await isFirstPaid(state)) observer.recordDelay(performance.now() - startedMs);
  return { after: await observer.settled(first.charge), ofOthers: await readSecond() };
}

function unchangedText(before: ProbeState, ofOthers: readonly ProbeDifference[]): string {
  const others =
    ofOthers.length === 0 ? '' : `; another order changed instead: ${formatDifferences(ofOthers)}`;
  return `the order did not change. Before and after: ${formatState(before)}${others}`;
}

/** Pays the second order, which must end up like the first. The event has the same type but another id. */
async function paySecond(
  context: CheckContext,
  observer: StateObserver,
  { charge }: Reference,
  changed: readonly ProbeDifference[],
) {
  const before = await observer.read(charge);
  await context.options.orders.settle(charge);
  const { response } = await context.deliver(context.event(charge));
  const placesIn = (after: ProbeState) => compareWithSecondOrder(changed, { before, after });
  const missing = (state: ProbeState) => (placesIn(state) === null ? changed : []);
  const isMissing = !isAccepted(response) || (await observer.awaitNone(charge, missing)).length > 0;
  const after = await observer.read(charge);
  const places = isMissing ? null : placesIn(after);
  const got =
    formatResponse(response) + (places === null ? `; the second order has ${formatState(after)}` : '');
  const finding: CheckFinding = { outcome: places === null ? 'fails' : 'holds', sent: SENT_SECOND, got };
  return { finding, places };
}

function learnedText({ observer, decisive, varying }: TwinStates): string {
  const ignored = [...observer.ignored].join(', ');
  const compared = [...decisive, ...varying].map((place) => place || 'the output').join(', ');
  const rest =
    ignored && ` Ignored, because these values change without a payment or record every event: ${ignored}.`;
  return `A payment changes ${compared}.${rest}`;
}

/** Sends an event of an unknown type twice, and excludes paths that only record events. */
async function withoutRecords(context: CheckContext, twins: TwinStates): Promise<TwinStates> {
  const { observer } = twins;
  const charge = await context.charge();
  const before = await observer.stable(charge);
  const { status } = charge.resource;
  const event = context.event(charge, { type: UNKNOWN_TYPE, object: { status } });
  const states: ProbeState[] = [];
  for (let copy = 0; copy < 2; copy += 1) {
    if (!isAccepted(await context.send(context.right(event, copy)))) return twins;
    states.push(await observer.settled(charge));
  }
  const [once, twice] = states;
  if (once === undefined || twice === undefined || isPaidState(twins, twice)) return twins;
  const { ofEvents, ofRepeats } = findRecordingPlaces(observer, UNKNOWN_TYPE, [before, once, twice]);
  const recorded = new Set([...ofEvents, ...ofRepeats].map(({ place }) => place.replace(/\.length$/, '')));
  const decisive = new Set([...twins.decisive].filter((place) => !isWithin(place, recorded)));
  // If the probe prints only an event log, no other paths remain to compare.
  if (decisive.size === 0) return twins;
  observer.ignore(ofRepeats);
  return { ...twins, decisive, recorded };
}
