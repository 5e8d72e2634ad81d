import type { Bench, Plan } from '../bench.js';
import { Gated, restarted, RETRY_PAUSE_MS } from '../bench.js';
import type { Answer } from '../check.js';
import type { Finding } from '../judge.js';
import type { Paid } from '../orders.js';
import { eventAbout } from '../orders.js';
import type { State, Twins } from '../probe.js';
import { differencesText, unlikePaid } from '../probe.js';
import type { EventToSend } from '../send.js';
import { answersText, isAccepted } from '../response.js';
import { overlapping } from '../lanes.js';

const COPIES = 8;
const ROUNDS = 3;
const RACES = 3;
/** How long a receiver may go on with a request whose sender has left, at least and in answers; the service waits for a minute. */
const CUT_PAUSE_MS = 450;
const CUT_PATIENCE = 3;
const MOST_OTHERS = 1_000;
const LEAST_OTHERS = 20;
const OTHERS_AT_ONCE = 32;
/** Milliseconds that the others may take, as the first response showed. */
const OTHERS_MS = 20_000;
/** The share of the others that must be accepted for a repeat after them to say anything. */
const LEAST_ACCEPTED = 0.95;

/** A plan for which there is a probe. */
export function observed(plan: (bench: Bench, twins: Twins) => Promise<Finding>): Plan {
  return (bench) => {
    const { twins } = bench.kit;
    if (twins === undefined) throw new TypeError('This check needs a probe.');
    return plan(bench, twins);
  };
}

/** An order, the responses to its repeated event, the last of which has to be 2xx, and its state before the repeat, where it was read. */
interface Repeated {
  readonly charge: Paid;
  readonly answers: readonly Answer[];
  readonly before?: State;
}

/** Judges whether orders are as one that got its event once, and as they were before the repeat. */
async function judged(sent: string, twins: Twins, ...repeated: readonly Repeated[]): Promise<Finding> {
  const { observer } = twins;
  const got = answersText(repeated.flatMap(({ answers }) => answers));
  const found = await Promise.all(
    repeated.map(({ charge, before }) =>
      observer.awaitNone(charge, (state) => {
        const changed = before === undefined ? [] : observer.differences(before, state);
        return changed.length > 0 ? changed : unlikePaid(twins, state);
      }),
    ),
  );
  const differences = found.find((one) => one.length > 0);
  if (differences !== undefined) {
    const unlike = `unlike an order that got it once: ${differencesText(differences)}`;
    return { outcome: 'fails', sent, got: `${got}; ${unlike}` };
  }
  const isAnswered = repeated.every(({ answers }) => answers.slice(-1).every(isAccepted));
  return { outcome: isAnswered ? 'holds' : 'fails', sent, got };
}

/** A new order whose payment was applied, and its state. Throws Gated where it was not. */
async function paidOnce(bench: Bench, twins: Twins) {
  const delivered = await bench.paid();
  const { charge, answer } = delivered;
  const missing = await twins.observer.awaitNone(charge, (state) => unlikePaid(twins, state));
  if (missing.length > 0) throw new Gated('pix.settled', answer, differencesText(missing));
  return { ...delivered, before: await twins.observer.read(charge) };
}

const again = observed(async (bench, twins) => {
  const { charge, parts, before } = await paidOnce(bench, twins);
  const answers = [await bench.send(parts)];
  return judged('the same pix.settled twice, with the same headers', twins, { charge, answers, before });
});

const retimed = observed(async (bench, twins) => {
  const { charge, event, parts, before } = await paidOnce(bench, twins);
  const timestamp = Number(parts.timestamp) - Math.floor(Date.now() / 1000) + 1;
  const answers = [await bench.send(bench.right(event, timestamp))];
  const sent = 'a pix.settled, then the same webhook-id with a new timestamp and signature';
  return judged(sent, twins, { charge, answers, before });
});

/** Sends copies at once, and those that failed again, as the service does. */
async function copiesOf(bench: Bench, event: EventToSend, count: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let round = 0, copies = count; round <= ROUNDS && copies > 0; round += 1) {
    if (round > 0) await bench.pause(round * RETRY_PAUSE_MS);
    const parts = bench.right(event);
    const sent = await Promise.all(Array.from({ length: copies }, () => bench.send(parts)));
    answers.push(...sent);
    copies = sent.filter((answer) => !isAccepted(answer)).length;
  }
  return answers;
}

const parallel = observed(async (bench, twins) => {
  // A receiver that handles one request after the other would not respond to more in time.
  const count = Math.min(COPIES, Math.max(bench.kit.lanes, 2));
  const sent = `${count} copies of one pix.settled at once, those that failed again; so for ${RACES} orders`;
  const raced: Repeated[] = [];
  // One after another: the first opens the connections, so that the copies of the others arrive together.
  for (let race = 0; race < RACES; race += 1) {
    const charge = await bench.charge();
    await bench.kit.orders.settle(charge);
    raced.push({
      charge,
      answers: await copiesOf(bench, eventAbout('pix.settled', charge, Date.now()), count),
    });
  }
  const answers = raced.flatMap((one) => one.answers);
  if (!answers.some(isAccepted))
    return { outcome: 'gated', sent, got: answersText(answers), reason: 'None of them was accepted.' };
  return judged(sent, twins, ...raced);
});

/** Parts of the time that an answer takes, after which a connection ends: at once, and in the middle of the work. */
const CUTS = [0, 0.4];

const cut = observed(async (bench, twins) => {
  const sent = 'a pix.settled whose connection ends before the answer, then the same again';
  const { answer: whole } = await bench.paid();
  const repeated: Repeated[] = [];
  for (const share of CUTS) {
    const charge = await bench.charge();
    await bench.kit.orders.settle(charge);
    const event = eventAbout('pix.settled', charge, Date.now());
    await bench.send(bench.right(event), { cutAfterMs: Math.round(share * whole.ms) });
    await bench.pause(Math.max(CUT_PAUSE_MS, CUT_PATIENCE * whole.ms));
    repeated.push({ charge, answers: [(await bench.deliver(event)).answer] });
  }
  return judged(sent, twins, ...repeated);
});

/** As many others as fit into their time; a receiver may handle one request at a time. */
function othersFor(responseMs: number): number {
  const fitting = Math.floor(OTHERS_MS / Math.max(responseMs, 1));
  return Math.min(Math.max(fitting, LEAST_OTHERS), MOST_OTHERS);
}

const evicted = observed(async (bench, twins) => {
  const others = othersFor(bench.kit.responseMs);
  const { lanes } = bench.kit;
  const atOnce = lanes < COPIES ? lanes : OTHERS_AT_ONCE;
  const sent = `a pix.settled, ${others} others, then the first again`;
  const { charge, parts, before } = await paidOnce(bench, twins);
  const other = await bench.charge();
  const isTaken = await overlapping(atOnce, Array.from({ length: others }), async () =>
    isAccepted(await bench.send(bench.right(eventAbout('pix.expired', other, Date.now())))),
  );
  const count = isTaken.filter(Boolean).length;
  if (count < others * LEAST_ACCEPTED) {
    return {
      outcome: 'gated',
      sent,
      got: `${count} of ${others} accepted`,
      reason: `Only ${count} of the ${others} others were accepted.`,
    };
  }
  await bench.drained(others);
  return judged(sent, twins, { charge, answers: [await bench.send(parts)], before });
});

const restart = observed(async (bench, twins) => {
  const sent = 'a pix.settled, a restart of the application, then the same again';
  const { restart: run } = bench.kit.options;
  if (run === undefined) throw new TypeError('This check needs a restart.');
  const { charge, event, before } = await paidOnce(bench, twins);
  await restarted(bench, run);
  return judged(sent, twins, { charge, answers: [(await bench.deliver(event)).answer], before });
});

export const DUPLICATES: Readonly<Record<string, Plan>> = {
  'dup.again': again,
  'dup.retimed': retimed,
  'dup.parallel': parallel,
  'dup.cut': cut,
  'dup.evicted': evicted,
  'dup.restart': restart,
};
