import type { Answer } from '../check.js';
import { differencesText } from '../probe/state.js';
import type { Bench } from './bench.js';
import { answersText, answerText, isAccepted, isRefused, isTimeout } from './bench.js';
import { eventAbout } from './events.js';
import { overlapping } from './lanes.js';
import { ownServer } from './own-server.js';
import type { Plan } from './variants.js';

const AT_ONCE = 20;
const LIMIT_MS = 10_000;
const ADVICE_MS = 2_000;
const ADVICE_SHARE = 0.95;
const ORDERS_AT_ONCE = 8;
/** A server of our own that takes this share of the time shows that the machine is at fault. */
const BUSY_SHARE = 0.25;
const SENT = `${AT_ONCE} right events at once`;

/** The answers to twenty events at once, and how long a server of our own took for as many at the same moment. */
export interface Burst {
  readonly answers: readonly Answer[];
  readonly ownMs: number;
}

/** One that is too slow is repeated, next to a server of our own: what slows down both is the machine. */
async function burst(bench: Bench): Promise<Burst> {
  const first = { answers: await allAtOnce(bench), ownMs: 0 };
  if (!isSlow(first) || first.answers.some(isOdd)) return first;
  await using own = await ownServer(bench.kit);
  const [answers, ownMs] = await Promise.all([allAtOnce(bench), own.slowestMs(AT_ONCE)]);
  return { answers, ownMs };
}

async function allAtOnce(bench: Bench): Promise<readonly Answer[]> {
  const charges = await overlapping(ORDERS_AT_ONCE, Array.from({ length: AT_ONCE }), () => bench.charge());
  return Promise.all(
    charges.map((charge) => bench.send(bench.right(eventAbout('pix.settled', charge, Date.now())))),
  );
}

function isOdd(answer: Answer): boolean {
  return !isAccepted(answer) && !isTimeout(answer);
}

function slowestMs({ answers }: Pick<Burst, 'answers'>, share: number): number {
  const times = answers.map((answer) => (isTimeout(answer) ? Infinity : answer.ms)).sort((a, b) => a - b);
  return times[Math.ceil(share * AT_ONCE) - 1] ?? Infinity;
}

function isSlow(one: Burst): boolean {
  return slowestMs(one, 1) >= LIMIT_MS || slowestMs(one, ADVICE_SHARE) >= ADVICE_MS;
}

function timing(mostMs: number, share: number): Plan {
  return async (bench) => {
    bench.kit.burst ??= burst(bench);
    const { answers, ownMs } = await bench.kit.burst;
    const odd = answers.find(isOdd);
    if (odd !== undefined) {
      const reason = `Not all of them were accepted: ${answerText(odd)}.`;
      return { outcome: 'gated', sent: SENT, got: answersText(answers), reason };
    }
    const slowest = slowestMs({ answers }, share);
    const what = share === 1 ? 'slowest' : `${share * 100}th percentile`;
    const got = `${answersText(answers)}; ${what} ${slowest === Infinity ? 'without an answer' : `${Math.round(slowest)} ms`}`;
    if (slowest < mostMs) return { outcome: 'holds', sent: SENT, got };
    if (ownMs < mostMs * BUSY_SHARE) return { outcome: 'fails', sent: SENT, got };
    const reason = `The machine is too busy to tell: a server of our own, which does nothing, took ${Math.round(ownMs)} ms for as many requests.`;
    return { outcome: 'unknown', sent: SENT, got, reason };
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
  'time.limit': timing(LIMIT_MS, 1),
  'time.advice': timing(ADVICE_MS, ADVICE_SHARE),
  'answer.redirect': redirect,
  'answer.get': get,
};
