import type { Bench, Plan } from '../bench.js';
import type { Answer } from '../check.js';
import { eventAbout } from '../orders.js';
import { differencesText } from '../probe.js';
import { ownServer } from './own-server.js';
import { answersText, answerText, isAccepted, isRefused, isTimeout } from '../response.js';
import { overlapping } from '../lanes.js';

const AT_ONCE = 20;
const LIMIT_MS = 10_000;
const ADVICE_MS = 2_000;
const ADVICE_SHARE = 0.95;
const ORDERS_AT_ONCE = 8;
/** Bursts at most, while it is the machine that is slow. */
const MOST_BURSTS = 4;
/** A server of our own that takes this share of the time shows that the machine is at fault. */
const BUSY_SHARE = 0.25;
/** The share of an answer's time, spent waiting for a processor, from which on it says nothing; a pause of its own shares the time with waiting. */
const STARVED_SHARE = 0.6;
const SENT = `${AT_ONCE} right events at once`;

/** An answer, and how long this process waited for a processor meanwhile, which is no time of the receiver's. */
interface Timed {
  readonly answer: Answer;
  readonly waitedMs: number;
}

/** The answers to twenty events at once, and how long a server of our own took for as many at the same moment. */
export interface Burst {
  readonly timed: readonly Timed[];
  readonly ownMs: number;
}

interface Timing {
  readonly mostMs: number;
  readonly share: number;
}

const LIMIT: Timing = { mostMs: LIMIT_MS, share: 1 };
const ADVICE: Timing = { mostMs: ADVICE_MS, share: ADVICE_SHARE };

/** One that is too slow is repeated, next to a server of our own, until it is fast enough or the machine is not what slows it down. */
async function burst(bench: Bench): Promise<Burst> {
  const first = { timed: await allAtOnce(bench), ownMs: 0 };
  if (!isSlow(first) || first.timed.some(isOdd)) return first;
  await using own = await ownServer(bench.kit);
  for (let bursts = 2; ; bursts += 1) {
    await bench.recovered();
    const [timed, ownMs] = await Promise.all([allAtOnce(bench), own.slowestMs(AT_ONCE)]);
    const next = { timed, ownMs };
    const isInDoubt = [LIMIT, ADVICE].some((wanted) => isDoubtful(next, wanted));
    if (!isInDoubt || timed.some(isOdd) || bursts === MOST_BURSTS) return next;
  }
}

async function allAtOnce(bench: Bench): Promise<readonly Timed[]> {
  const { waitedMs } = bench.kit;
  const charges = await overlapping(ORDERS_AT_ONCE, Array.from({ length: AT_ONCE }), () => bench.charge());
  const beforeMs = waitedMs();
  return Promise.all(
    charges.map(async (charge) => {
      const answer = await bench.send(bench.right(eventAbout('pix.settled', charge, Date.now())));
      return { answer, waitedMs: waitedMs() - beforeMs };
    }),
  );
}

function isOdd({ answer }: Timed): boolean {
  return !isAccepted(answer) && !isTimeout(answer);
}

function slowestMs({ timed }: Burst, share: number, msOf: (one: Timed) => number = measuredMs): number {
  const times = timed.map(msOf).sort((a, b) => a - b);
  return times[Math.ceil(share * AT_ONCE) - 1] ?? Infinity;
}

function measuredMs({ answer }: Timed): number {
  return isTimeout(answer) ? Infinity : answer.ms;
}

/** The same, but 0 for one that says nothing. */
function tellingMs(one: Timed): number {
  return one.waitedMs < STARVED_SHARE * one.answer.ms ? measuredMs(one) : 0;
}

/** The least that the receiver itself took: it may have worked while this process waited. */
function leastMs(one: Timed): number {
  return tellingMs(one) - one.waitedMs;
}

/** Whether it may be the machine that made it slow. */
function isDoubtful(one: Burst, { mostMs, share }: Timing): boolean {
  const isBusy = one.ownMs >= mostMs * BUSY_SHARE || slowestMs(one, share, leastMs) < mostMs;
  return isBusy && slowestMs(one, share) >= mostMs;
}

function isSlow(one: Burst): boolean {
  return [LIMIT, ADVICE].some((timing) => outcomeOf(one, timing) !== 'holds');
}

function outcomeOf(one: Burst, { mostMs, share }: Timing): 'holds' | 'fails' | 'unknown' {
  if (slowestMs(one, share) < mostMs) return 'holds';
  const isBusy = one.ownMs >= mostMs * BUSY_SHARE || slowestMs(one, share, tellingMs) < mostMs;
  return isBusy ? 'unknown' : 'fails';
}

function timing(wanted: Timing): Plan {
  return async (bench) => {
    bench.kit.burst ??= burst(bench);
    const found = await bench.kit.burst;
    const { timed, ownMs } = found;
    const answers = timed.map(({ answer }) => answer);
    const odd = timed.find(isOdd);
    if (odd !== undefined) {
      const reason = `Not all of them were accepted: ${answerText(odd.answer)}.`;
      return { outcome: 'gated', sent: SENT, got: answersText(answers), reason };
    }
    const { share } = wanted;
    const slowest = slowestMs(found, share);
    const what = share === 1 ? 'slowest' : `${share * 100}th percentile`;
    const got = `${answersText(answers)}; ${what} ${slowest === Infinity ? 'without an answer' : `${Math.round(slowest)} ms`}`;
    const outcome = outcomeOf(found, wanted);
    if (outcome !== 'unknown') return { outcome, sent: SENT, got };
    const waited = Math.max(...timed.map((one) => one.waitedMs));
    const reason = `The machine is too busy to tell: a server of our own, which does nothing, took ${Math.round(ownMs)} ms for as many requests, and this process waited ${Math.round(waited)} ms for a processor.`;
    return { outcome, sent: SENT, got, reason };
  };
}

const redirect: Plan = async (bench) => {
  const answer = await bench.send(bench.right(eventAbout('pix.settled', await bench.charge(), Date.now())));
  const { status, headers } = answer;
  const isRedirect = status !== null && status >= 300 && status < 400;
  const to = headers.find(([name]) => name.toLowerCase() === 'location')?.[1];
  const got = isRedirect && to !== undefined ? `${status} to ${to}` : answerText(answer);
  const sent = 'a right pix.settled';
  if (status === null) return { outcome: 'gated', sent, got, reason: 'There was no answer.' };
  return { outcome: isRedirect ? 'fails' : 'holds', sent, got };
};

const get: Plan = async (bench) => {
  const sent = 'GET with the headers and body of a right pix.settled';
  const { twins } = bench.kit;
  const charge = await bench.charge();
  const before = await twins?.observer.read(charge);
  const right = bench.right(eventAbout('pix.settled', charge, Date.now()));
  const answer = await bench.send(right, { method: 'GET' });
  const got = answerText(answer);
  if (twins !== undefined && before !== undefined) {
    const changed = twins.observer.differences(before, await twins.observer.settled(charge));
    if (changed.length === 0) return { outcome: 'holds', sent, got };
    return { outcome: 'fails', sent, got: `${got}; the order changed: ${differencesText(changed)}` };
  }
  if (isRefused(answer)) return { outcome: 'holds', sent, got };
  return {
    outcome: 'unknown',
    sent,
    got,
    reason: 'It was not refused, and without a probe an effect cannot be seen.',
  };
};

export const ANSWERS: Readonly<Record<string, Plan>> = {
  'time.limit': timing(LIMIT),
  'time.advice': timing(ADVICE),
  'answer.redirect': redirect,
  'answer.get': get,
};
