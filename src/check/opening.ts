import { randomUUID } from 'node:crypto';
import type { Answer } from './check.js';
import type { EventToSend } from './exchange/message.js';
import type { Finding } from './judge.js';
import { learnTwins } from './learning.js';
import type { Bench } from './plan/bench.js';
import { answerText, isAccepted, isTimeout } from './plan/bench.js';
import type { Paid } from './plan/events.js';
import { eventAbout } from './plan/events.js';
import { Observer, ProbeError } from './probe/observer.js';
import type { State } from './probe/state.js';
import { diagnoseRefusal } from './refusal/diagnose.js';

/** What the first events showed. */
export interface Opening {
  /** The check that failed by it, and why all others have to wait; undefined when the first event was accepted. */
  readonly closed?: { readonly by: string; readonly finding: Finding; readonly reason: string } | undefined;
  /** Why effects cannot be seen; undefined when they can. */
  readonly blind?: string | undefined;
  /** Findings about effects, by the id of their check. */
  readonly findings: ReadonlyMap<string, Finding>;
  readonly notes: readonly string[];
}

/** An order, and the probe's output for it before its first event. */
export interface Reference {
  readonly charge: Paid;
  readonly state: State;
  /** Whether the output differs from that for an unknown order. */
  readonly isKnown: boolean;
}

const SENT = 'a right pix.settled';
const NO_PROBE = 'Effects can be seen only with a probe.';
/** Between two reads of one order, so that a clock shown in seconds has moved on. */
const CLOCK_MS = 1_100;

/** Pays an order, and learns from it and from others what a payment changes. Rejects with OrderError. */
export async function open(bench: Bench): Promise<Opening> {
  const { kit } = bench;
  const { probe, probeIgnore = [] } = kit.options;
  const observer = probe === undefined ? undefined : new Observer(probe, kit.signal, probeIgnore);
  const charge = await bench.charge();
  const references = observer && (await orBlind(() => readReferences(bench, observer, charge)));
  await kit.orders.settle(charge);
  const event = eventAbout('pix.settled', charge, Date.now());
  const response = await firstResponse(bench, event);
  if (isTimeout(response)) return { closed: closedByLimit(response), findings: new Map(), notes: [] };
  if (!isAccepted(response)) {
    const { by, message, fix, notes } = await diagnoseRefusal(bench, { sent: SENT, response });
    const finding: Finding = {
      outcome: 'fails',
      sent: SENT,
      got: answerText(response),
      likely: message,
      fix,
    };
    return { closed: { by, finding, reason: message }, findings: new Map(), notes };
  }
  kit.responseMs = response.ms;
  if (observer === undefined || references === undefined)
    return { blind: NO_PROBE, findings: new Map(), notes: [] };
  if (typeof references === 'string') return blindOpening(references);
  const learned = await orBlind(() => learnTwins(bench, observer, references, response));
  return typeof learned === 'string' ? blindOpening(learned) : learned;
}

/** The result, or the reason why a probe says nothing. */
async function orBlind<Result>(learn: () => Promise<Result>): Promise<Result | string> {
  try {
    return await learn();
  } catch (error) {
    if (error instanceof ProbeError) return error.message;
    throw error;
  }
}

function blindOpening(reason: string): Opening {
  return {
    blind: reason,
    findings: new Map([['effect.paid', { outcome: 'unknown', sent: SENT, got: '', reason }]]),
    notes: [reason],
  };
}

/** Reads two unpaid orders twice, and ignores what differs. */
async function readReferences(
  bench: Bench,
  observer: Observer,
  charge: Paid,
): Promise<readonly [Reference, Reference]> {
  const { orders } = bench.kit;
  const none = await observer.read({ code: orders.nextCode(), id: randomUUID() });
  const charges = [charge, await bench.charge()] as const;
  const isKnown = (state: State) => observer.differences(none, state).length > 0;
  const read = async (one: Paid) => {
    if (bench.isOrdered) await observer.readUntil(one, isKnown);
    return observer.settled(one);
  };
  const [first, second] = await Promise.all([read(charges[0]), read(charges[1])]);
  await bench.pause(CLOCK_MS);
  const [firstLater, secondLater] = [await observer.read(charges[0]), await observer.read(charges[1])];
  observer.ignore(observer.differences(first, firstLater));
  observer.ignore(observer.differences(second, secondLater));
  observer.ignore(observer.differences(firstLater, secondLater));
  return [
    { charge: charges[0], state: firstLater, isKnown: isKnown(firstLater) },
    { charge: charges[1], state: secondLater, isKnown: isKnown(secondLater) },
  ];
}

/** The first request may have waited for a compiler, so one without a response in time is sent again. */
async function firstResponse(bench: Bench, event: EventToSend): Promise<Answer> {
  const response = await bench.send(bench.right(event));
  return isTimeout(response) ? bench.send(bench.right(event)) : response;
}

function closedByLimit(response: Answer): NonNullable<Opening['closed']> {
  const finding: Finding = { outcome: 'fails', sent: `${SENT}, twice`, got: answerText(response) };
  return { by: 'time.limit', finding, reason: 'The receiver does not respond to the first event in time.' };
}
