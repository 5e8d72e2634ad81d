import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Bench, Burst, Check, Kit, Plan } from '../bench.js';
import { must, should } from '../bench.js';
import type { Answer } from '../check.js';
import { overlapping } from '../lanes.js';
import { differencesText } from '../probe.js';
import { answersText, answerText, headerOf, isAccepted, isRefused, isTimeout } from '../response.js';
import { socketTarget } from '../send.js';

const AT_ONCE = 20;
const ORDERS_AT_ONCE = 8;
/** Bursts at most, while the machine is slow. */
const MOST_BURSTS = 3;
/** Our own server taking this share of the time shows that the machine is at fault. */
const BUSY_SHARE = 0.25;
const OWN_TIMEOUT_MS = 30_000;

interface Timing {
  readonly mostMs: number;
  readonly share: number;
}

const LIMIT: Timing = { mostMs: 10_000, share: 1 };
const ADVICE: Timing = { mostMs: 2_000, share: 0.95 };

/**
 * A slow burst is repeated next to our own server, until it is fast enough or the machine is not what slows
 * it down.
 */
async function burst(bench: Bench): Promise<Burst> {
  let found: Burst = { answers: await allAtOnce(bench), ownMs: 0 };
  for (let bursts = 1; bursts < MOST_BURSTS; bursts += 1) {
    const isFast = [LIMIT, ADVICE].every((timing) => outcomeOf(found, timing) === 'holds');
    const isDecided = bursts > 1 && [LIMIT, ADVICE].every((timing) => outcomeOf(found, timing) !== 'unknown');
    if (isFast || isDecided || found.answers.some(isOdd)) return found;
    await bench.isAlive(0);
    const [answers, ownMs] = await Promise.all([allAtOnce(bench), ownServerMs(bench.kit)]);
    found = { answers, ownMs };
  }
  return found;
}

async function allAtOnce(bench: Bench): Promise<readonly Answer[]> {
  const charges = await overlapping(ORDERS_AT_ONCE, Array.from({ length: AT_ONCE }), () => bench.charge());
  return Promise.all(charges.map((charge) => bench.send(bench.right(bench.event(charge)))));
}

/**
 * How long our own server, which does nothing, takes for as many requests; 0 for a receiver in this process,
 * whose work would hold it up.
 */
async function ownServerMs({ target, signal }: Kit): Promise<number> {
  if (!target.hasSocket) return 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const own = socketTarget(new URL(`http://127.0.0.1:${port}/`), OWN_TIMEOUT_MS);
  const message = { method: 'POST', headers: {}, body: new Uint8Array() } as const;
  try {
    const sent = Array.from({ length: AT_ONCE }, () => own.send(message, signal));
    return Math.max(...(await Promise.all(sent)).map(({ ms }) => ms));
  } finally {
    own.close();
    server.closeAllConnections();
    server.close();
  }
}

/** Whether it was refused, so that its time says nothing. */
function isOdd(answer: Answer): boolean {
  return !isAccepted(answer) && !isTimeout(answer);
}

function slowestMs({ answers }: Burst, share: number): number {
  const times = answers.map((answer) => (isTimeout(answer) ? Infinity : answer.ms)).toSorted((a, b) => a - b);
  return times[Math.ceil(share * AT_ONCE) - 1] ?? Infinity;
}

function outcomeOf(one: Burst, { mostMs, share }: Timing): 'holds' | 'fails' | 'unknown' {
  if (slowestMs(one, share) < mostMs) return 'holds';
  return one.ownMs >= mostMs * BUSY_SHARE ? 'unknown' : 'fails';
}

function timing(wanted: Timing): Plan {
  return async (bench) => {
    bench.kit.burst ??= burst(bench);
    const found = await bench.kit.burst;
    const { answers, ownMs } = found;
    const odd = answers.find(isOdd);
    if (odd !== undefined) {
      const reason = `Not all of them were accepted: ${answerText(odd)}.`;
      return { outcome: 'gated', got: answersText(answers), reason };
    }
    const slowest = slowestMs(found, wanted.share);
    const what = wanted.share === 1 ? 'slowest' : `${wanted.share * 100}th percentile`;
    const time = slowest === Infinity ? 'without an answer' : `${Math.round(slowest)} ms`;
    const outcome = outcomeOf(found, wanted);
    const reason =
      'The machine is too busy to tell: a server of our own, which does nothing, took ' +
      `${Math.round(ownMs)} ms for as many requests.`;
    return {
      outcome,
      got: `${answersText(answers)}; ${what} ${time}`,
      ...(outcome === 'unknown' ? { reason } : {}),
    };
  };
}

const redirect: Plan = async (bench) => {
  const [answer] = await bench.sendEach(await bench.charge(), {});
  if (answer?.status == null) return { outcome: 'gated', reason: 'There was no answer.' };
  const { status } = answer;
  const isRedirect = status >= 300 && status < 400;
  const to = headerOf(answer, 'location');
  const got = isRedirect && to !== undefined ? `${status} to ${to}` : answerText(answer);
  return { outcome: isRedirect ? 'fails' : 'holds', got };
};

const get: Plan = async (bench) => {
  const charge = await bench.charge();
  let answers: readonly Answer[] = [];
  const effect = await bench.changesBy(charge, async () => {
    answers = await bench.sendEach(charge, { more: { method: 'GET' } });
  });
  const got = answersText(answers);
  if (effect !== undefined) {
    if (effect.changed.length === 0) return { outcome: 'holds', got };
    return { outcome: 'fails', got: `${got}; the order changed: ${differencesText(effect.changed)}` };
  }
  if (answers.every(isRefused)) return { outcome: 'holds', got };
  const reason = 'It was not refused, and without a probe an effect cannot be seen.';
  return { outcome: 'unknown', got, reason };
};

/** How a receiver must respond. */
export const ANSWERS: readonly Check[] = [
  must('time.limit', '§6 rule 3', {
    sends: 'twenty events at once',
    passes: '2xx for each within 10 s',
    likely: 'the work is done before the answer',
    fix: 'store the event, answer, and work afterwards',
    about:
      'An attempt that takes ten seconds has failed (rule 3), and the event comes again, on ' +
      'top of the work that made it slow.',
    isAlone: true,
    plan: timing(LIMIT),
  }),
  should('time.advice', '§6 rule 4', {
    sends: 'twenty events at once',
    passes: '95 % of the answers within 2 s',
    likely: 'the work is done before the answer',
    fix: 'store the event, answer, and work afterwards',
    about: 'Rule 4 recommends two seconds, which leaves room for the days on which everything is slower.',
    isAlone: true,
    gates: { 'time.limit': 'not even 10 s are kept' },
    plan: timing(ADVICE),
  }),
  must('answer.redirect', '§6 rule 3', {
    sends: 'a right event',
    passes: 'no 3xx',
    likely: 'the URL lacks or has a final slash, or a login stands before it',
    fix: 'register the exact URL, and exempt it from the login',
    about: 'Redirects are not followed, so a redirected delivery has failed.',
    plan: redirect,
  }),
  should('answer.get', 'RFC 9110 §9.3.1', {
    sends: 'GET with the headers and body of a right event',
    passes: 'no effect',
    likely: 'the route takes any method',
    fix: 'take POST only',
    about: 'GET is safe by definition: link previews, crawlers and prefetching send it without being asked.',
    plan: get,
  }),
  should('answer.load', '§6 rule 3', {
    sends: 'eight checks at the same time',
    passes: 'no response fails that succeeds when the same is sent alone',
    likely: 'a lock, a connection pool or a database gives up under concurrent requests',
    fix: 'let requests wait for the lock or connection, or make the transaction shorter',
    about:
      'Deliveries of different orders arrive at the same time. A 500 under load is retried by ' +
      'the service, so nothing is lost, but the load grows with every retry.',
  }),
  must('answer.alive', '§6 rule 3', {
    sends: 'a valid event after each check that failed, and at the end',
    passes: '2xx, as at the start',
    likely: 'an exception outside of a request ends the process',
    fix: 'catch what the handler throws, also in callbacks and background work',
    about:
      'A receiver that stops during the checks has a bug that any sender can trigger. With ' +
      '--restart the checks that were in flight are tried one by one.',
  }),
];
