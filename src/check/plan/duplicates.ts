import { performance } from 'node:perf_hooks';
import type { Answer } from '../check.js';
import { differencesText } from '../probe/state.js';
import type { Finding } from '../judge.js';
import type { Bench, Twins } from './bench.js';
import { answersText, answerText, isAccepted } from './bench.js';
import type { Paid } from './events.js';
import { eventAbout } from './events.js';
import { overlapping } from './lanes.js';
import { unsignedAnswer } from './refuse.js';
import type { Plan } from './variants.js';

const COPIES = 8;
const ROUNDS = 3;
/** How long a receiver may go on with a request whose sender has left; the service waits for a minute. */
const CUT_PAUSE_MS = 450;
const OTHERS = 1_000;
const OTHERS_AT_ONCE = 32;
/** The share of the others that must be accepted for a repeat after them to say anything. */
const LEAST_ACCEPTED = 0.95;
const RESTART_MS = 15_000;

/** A plan for which there is a probe. */
export function observed(plan: (bench: Bench, twins: Twins) => Promise<Finding>): Plan {
  return (bench) => {
    const { twins } = bench.kit;
    if (twins === undefined) throw new TypeError('This check needs a probe.');
    return plan(bench, twins);
  };
}

/** Whether an order is as one that got its event once, and the last repeat was answered 2xx. */
async function judged(
  sent: string,
  twins: Twins,
  charge: Paid,
  repeat: Answer,
  answers: readonly Answer[] = [repeat],
): Promise<Finding> {
  const differences = await twins.observer.differencesFrom(twins.paid, charge);
  const got = answersText(answers);
  if (differences.length > 0) {
    return {
      outcome: 'fails',
      sent,
      got: `${got}; unlike an order that got it once: ${differencesText(differences)}`,
    };
  }
  return { outcome: isAccepted(repeat) ? 'holds' : 'fails', sent, got };
}

const again = observed(async (bench, twins) => {
  const { charge, parts } = await bench.paid();
  return judged('the same pix.settled twice, with the same headers', twins, charge, await bench.send(parts));
});

const retimed = observed(async (bench, twins) => {
  const { charge, event, parts } = await bench.paid();
  const timestamp = Number(parts.timestamp) - Math.floor(Date.now() / 1000) + 1;
  const repeat = await bench.send(bench.right(event, timestamp));
  return judged(
    'a pix.settled, then the same webhook-id with a new timestamp and signature',
    twins,
    charge,
    repeat,
  );
});

const parallel = observed(async (bench, twins) => {
  const charge = await bench.charge();
  await bench.kit.orders.settle(charge);
  const event = eventAbout('pix.settled', charge, Date.now());
  const answers: Answer[] = [];
  for (let round = 0, copies = COPIES; round <= ROUNDS && copies > 0; round += 1) {
    const parts = bench.right(event);
    const sent = await Promise.all(Array.from({ length: copies }, () => bench.send(parts)));
    answers.push(...sent);
    copies = sent.filter((answer) => !isAccepted(answer)).length;
  }
  const sent = `${COPIES} copies of one pix.settled at once, those that failed again`;
  const last = answers.at(-1);
  if (last === undefined || !answers.some(isAccepted))
    return { outcome: 'gated', sent, got: answersText(answers), reason: 'None of them was accepted.' };
  return judged(sent, twins, charge, last, answers);
});

const cut = observed(async (bench, twins) => {
  const charge = await bench.charge();
  await bench.kit.orders.settle(charge);
  const event = eventAbout('pix.settled', charge, Date.now());
  await bench.send(bench.right(event), { isCut: true });
  await bench.pause(CUT_PAUSE_MS);
  const { answer } = await bench.deliver(event);
  return judged(
    'a pix.settled whose connection ends before the answer, then the same again',
    twins,
    charge,
    answer,
  );
});

const evicted = observed(async (bench, twins) => {
  const sent = `a pix.settled, ${OTHERS} others, then the first again`;
  const { charge, parts } = await bench.paid();
  const other = await bench.charge();
  const isTaken = await overlapping(OTHERS_AT_ONCE, Array.from({ length: OTHERS }), async () =>
    isAccepted(await bench.send(bench.right(eventAbout('pix.expired', other, Date.now())))),
  );
  const count = isTaken.filter(Boolean).length;
  if (count < OTHERS * LEAST_ACCEPTED) {
    return {
      outcome: 'gated',
      sent,
      got: `${count} of ${OTHERS} accepted`,
      reason: `Only ${count} of the ${OTHERS} others were accepted.`,
    };
  }
  return judged(sent, twins, charge, await bench.send(parts));
});

const restart = observed(async (bench, twins) => {
  const sent = 'a pix.settled, a restart of the application, then the same again';
  const { restart: run } = bench.kit.options;
  if (run === undefined) throw new TypeError('This check needs a restart.');
  const { charge, event } = await bench.paid();
  await twins.observer.settled(charge);
  await run(bench.kit.signal);
  const up = await answering(bench);
  if (up.status === null) {
    const reason = `Nothing answered ${RESTART_MS / 1000} s after the restart: ${answerText(up)}.`;
    return { outcome: 'gated', sent, got: answerText(up), reason };
  }
  const { answer } = await bench.deliver(event);
  return judged(sent, twins, charge, answer);
});

/** The first answer of the restarted application to a request that it refuses, or the last after some time. */
async function answering(bench: Bench): Promise<Answer> {
  const until = performance.now() + RESTART_MS;
  for (;;) {
    const answer = await unsignedAnswer(bench);
    const isUp = answer.status !== null && answer.status < 500;
    if (isUp || performance.now() > until) return answer;
    await bench.pause(100);
  }
}

export const DUPLICATES: Readonly<Record<string, Plan>> = {
  'dup.again': again,
  'dup.retimed': retimed,
  'dup.parallel': parallel,
  'dup.cut': cut,
  'dup.evicted': evicted,
  'dup.restart': restart,
};
