import type { Answer } from './check.js';
import type { Bench, Kit } from './plan/bench.js';
import { answerText, Gated, isAccepted, isTimeout } from './plan/bench.js';
import type { Paid } from './plan/events.js';
import { eventAbout } from './plan/events.js';
import { Observer, ProbeError } from './probe/observer.js';
import { differencesOf } from './probe/state.js';
import { diagnoseRefusal } from './refusal/diagnose.js';
import type { Finding } from './judge.js';

/** What the first event showed. */
export interface Opening {
  /** The check that failed by it, and why all others have to wait; undefined when it was accepted. */
  readonly closed: { readonly by: string; readonly finding: Finding; readonly reason: string } | undefined;
  /** Why effects cannot be seen; undefined when they can. */
  readonly blind: string | undefined;
  readonly notes: readonly string[];
}

const SENT = 'a right pix.settled';
const NO_PROBE = 'Effects can be seen only with a probe.';
const BLIND =
  'The probe prints the same for a paid and an unpaid order, so effects cannot be seen. It has to print what the application holds for {code}.';

/** Sends the first event, and learns from a second order what the probe prints for one that is paid. Rejects with OrderError. */
export async function open(bench: Bench): Promise<Opening> {
  const { kit } = bench;
  const observer = observerOf(kit);
  const charge = await bench.charge();
  let blind = observer === undefined ? NO_PROBE : undefined;
  const before = await observer?.read(charge).catch((error: unknown) => {
    blind = problemOf(error);
    return undefined;
  });
  await kit.orders.settle(charge);
  const answer = await firstAnswer(bench, charge);
  if (!isAccepted(answer)) {
    const { by, message, fix, notes } = await diagnoseRefusal(bench, { sent: SENT, response: answer });
    const finding: Finding = { outcome: 'fails', sent: SENT, got: answerText(answer), likely: message, fix };
    return { closed: { by, finding, reason: message }, blind, notes };
  }
  if (observer === undefined || before === undefined) return { closed: undefined, blind, notes: [] };
  try {
    const paid = await observer.learn(charge, before);
    const blinded = { closed: undefined, blind: BLIND, notes: [BLIND] };
    if (observer.differences(before, paid).length === 0) return blinded;
    const twin = await bench.paid();
    const other = await observer.changed(before, twin.charge);
    for (const { place } of differencesOf(paid, other)) observer.masked.add(place);
    if (observer.differences(before, paid).length === 0) return blinded;
    kit.twins = { observer, unpaid: before, paid };
    return { closed: undefined, blind: undefined, notes: [] };
  } catch (error) {
    if (error instanceof Gated) return { closed: closedBySecond(error), blind: undefined, notes: [] };
    const problem = problemOf(error);
    return { closed: undefined, blind: problem, notes: [problem] };
  }
}

/** The first request may have waited for a compiler, so one without an answer in time is sent again. */
async function firstAnswer(bench: Bench, charge: Paid): Promise<Answer> {
  const event = eventAbout('pix.settled', charge, Date.now());
  const answer = await bench.send(bench.right(event));
  return isTimeout(answer) ? bench.send(bench.right(event)) : answer;
}

function observerOf({ options, signal }: Kit): Observer | undefined {
  return options.probe === undefined ? undefined : new Observer(options.probe, signal);
}

/** The trouble with a probe in words; anything else is rethrown. */
function problemOf(error: unknown): string {
  if (error instanceof ProbeError) return error.message;
  throw error;
}

function closedBySecond({ message }: Gated): Opening['closed'] {
  const finding: Finding = { outcome: 'fails', sent: `${SENT}, then another`, got: message };
  return { by: 'accept.types', finding, reason: 'A second right event is not accepted.' };
}
