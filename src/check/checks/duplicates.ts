import type { Bench, Check, Plan } from '../bench.js';
import { must, RETRY_PAUSE_MS, should } from '../bench.js';
import type { Answer, Finding } from '../check.js';
import { overlapping } from '../lanes.js';
import type { Paid } from '../orders.js';
import { eventAbout, OrderError } from '../orders.js';
import type { State } from '../probe.js';
import { differencesText, unlikePaid } from '../probe.js';
import { answersText, isAccepted } from '../response.js';
import type { EventToSend } from '../send.js';

const COPIES = 8;
const ROUNDS = 3;
const RACES = 3;
/** Parts of a response's time after which a connection ends: at once, and in the middle of the work. */
const CUTS = [0, 0.4];
/**
 * How long a receiver may work on a request whose sender has left, at least and in response times; the
 * service waits for a minute.
 */
const CUT_PAUSE_MS = 450;
const CUT_PATIENCE = 3;
const MOST_OTHERS = 1_000;
const LEAST_OTHERS = 20;
const OTHERS_AT_ONCE = 32;
/** Milliseconds that the others may take, as the first response showed. */
const OTHERS_MS = 20_000;
/** The share of the others that must be accepted for a repeat after them to say anything. */
const LEAST_ACCEPTED = 0.95;

/** Not in the order of their size, so that numbers that only grow from order to order are no amounts. */
const AMOUNTS = ['10.00', '0.30', '1234.56'];
/** A number with or without thousands separators and decimals. */
const NUMBER = /-?\d(?:[\d.,']{0,20}\d)?/;

const ONCE = '2xx, and the order is as one that got it once';
const PROBE = ['probe'] as const;
const UNPAID = { 'effect.paid': 'a payment has no effect' } as const;
const NO_RECORD = { 'dup.again': 'repeats are not known at all' };
const NO_RETRY = { ...NO_RECORD, 'dup.retimed': 'a retry is not known as a repeat' };

/**
 * An order, the responses to its repeated event, the last of which has to be 2xx, and its state before the
 * repeat, where it was read.
 */
interface Repeated {
  readonly charge: Paid;
  readonly answers: readonly Answer[];
  readonly before?: State;
}

/** Judges whether orders are as one that got its event once, and as they were before the repeat. */
async function judged(bench: Bench, repeated: readonly Repeated[], sent?: string): Promise<Finding> {
  const { twins } = bench;
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

/** Sends concurrent copies, and the failed ones again, as the service does. */
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

const again: Plan = async (bench) => {
  const { charge, parts, before } = await bench.applied();
  return judged(bench, [{ charge, answers: [await bench.send(parts)], before }]);
};

const retimed: Plan = async (bench) => {
  const { charge, event, parts, before } = await bench.applied();
  const skewS = Number(parts.timestamp) - Math.floor(Date.now() / 1000) + 1;
  return judged(bench, [{ charge, answers: [await bench.send(bench.right(event, skewS))], before }]);
};

const parallel: Plan = async (bench) => {
  // A serial receiver would not respond to more in time.
  const count = Math.min(COPIES, Math.max(bench.kit.lanes, 2));
  const sent = `${count} copies of one pix.settled at once, those that failed again; so for ${RACES} orders`;
  const raced: Repeated[] = [];
  // One after another: the first opens the connections, so that the copies of the others arrive together.
  for (let race = 0; race < RACES; race += 1) {
    const charge = await bench.charge();
    await bench.kit.orders.settle(charge);
    raced.push({ charge, answers: await copiesOf(bench, bench.event(charge), count) });
  }
  const answers = raced.flatMap((one) => one.answers);
  if (answers.some(isAccepted)) return judged(bench, raced, sent);
  return { outcome: 'gated', sent, got: answersText(answers), reason: 'None of them was accepted.' };
};

const cut: Plan = async (bench) => {
  const { answer: whole } = await bench.paid();
  const repeated: Repeated[] = [];
  for (const share of CUTS) {
    const charge = await bench.charge();
    await bench.kit.orders.settle(charge);
    const event = bench.event(charge);
    await bench.send(bench.right(event), { cutAfterMs: Math.round(share * whole.ms) });
    await bench.pause(Math.max(CUT_PAUSE_MS, CUT_PATIENCE * whole.ms));
    repeated.push({ charge, answers: [(await bench.deliver(event)).answer] });
  }
  return judged(bench, repeated);
};

const evicted: Plan = async (bench) => {
  const { lanes, responseMs } = bench.kit;
  // As many others as fit into their time; a receiver may handle one request at a time.
  const fitting = Math.floor(OTHERS_MS / Math.max(responseMs, 1));
  const others = Math.min(Math.max(fitting, LEAST_OTHERS), MOST_OTHERS);
  const sent = `a pix.settled, ${others} others, then the first again`;
  const { charge, parts, before } = await bench.applied();
  const other = await bench.charge();
  const atOnce = lanes < COPIES ? lanes : OTHERS_AT_ONCE;
  const answers = await overlapping(atOnce, Array.from({ length: others }), () =>
    bench.send(bench.right(eventAbout('pix.expired', other, Date.now()))),
  );
  const count = answers.filter(isAccepted).length;
  if (count < others * LEAST_ACCEPTED) {
    const reason = `Only ${count} of the ${others} others were accepted.`;
    return { outcome: 'gated', sent, got: `${count} of ${others} accepted`, reason };
  }
  await bench.drained(others);
  return judged(bench, [{ charge, answers: [await bench.send(parts)], before }], sent);
};

const restart: Plan = async (bench) => {
  const { restart: run } = bench.kit.options;
  if (run === undefined) throw new TypeError('This check needs a restart.');
  const { charge, event, before } = await bench.applied();
  await bench.restarted(run);
  return judged(bench, [{ charge, answers: [(await bench.deliver(event)).answer], before }]);
};

/** Compares the numbers that appear on payment with the amounts, as cents or as decimals. */
const amount: Plan = async (bench) => {
  // One after another, so that requests which share a variable do not mix up the amounts.
  const paid = await overlapping(1, AMOUNTS, (one) => payFor(bench, one));
  const got = answersText(paid.map(({ answer }) => answer));
  const candidates = [...(paid[0]?.changes.keys() ?? [])]
    .map((place) => ({ place, texts: paid.map(({ changes }) => changes.get(place) ?? '') }))
    .filter(({ texts }) => isRankedLikeAmounts(texts));
  if (candidates.some(({ texts }) => isAmounts(texts))) return { outcome: 'holds', got };
  const [found] = candidates;
  if (found !== undefined)
    return { outcome: 'fails', got: `${got}; ${found.place} ${found.texts.join(', ')}` };
  const reason = 'The probe shows no number that depends on the amount and changes when an order is paid.';
  return { outcome: 'unknown', got, reason };
};

/**
 * Pays an order of an amount; returns the response and the text at each place that changed. Throws OrderError
 * where its charge has another.
 */
async function payFor(bench: Bench, one: string) {
  const { twins } = bench;
  const { observer } = twins;
  const charge = await bench.charge(one);
  const { amount: charged } = charge.resource;
  if (charged !== one)
    throw new OrderError(
      `The order of ${one} created a charge of ${charged}. The order command must pass {amount} on.`,
    );
  const before = await observer.stable(charge);
  const { answer } = await bench.settled(charge);
  const ofAmounts = new Set(observer.differences(twins.unpaid, before).map(({ place }) => place));
  await observer.awaitNone(charge, (state) =>
    unlikePaid(twins, state).filter(
      ({ place, to }) => !ofAmounts.has(place) && (before.get(place) ?? null) === to,
    ),
  );
  const after = await observer.read(charge);
  const changes = observer.differences(before, after).map(({ place, to }) => [place, to ?? ''] as const);
  return { answer, changes: new Map(changes) };
}

function numberIn(text: string): string | undefined {
  return NUMBER.exec(text)?.[0];
}

/** The value of a number: its last separator is before the decimals unless three digits follow, as in 1,234. */
function valueOf(text: string): number {
  const decimals = decimalsIn(text);
  const whole = text.slice(0, text.length - decimals.length);
  return Number(`${whole.replaceAll(/[^\d-]/g, '')}.${decimals}`);
}

function decimalsIn(text: string): string {
  const [, whole = '', decimals = ''] = /^(.*)[.,](\d+)$/.exec(text) ?? [];
  return decimals.length === 3 && /[1-9]/.test(whole) ? '' : decimals;
}

/** Whether the numbers depend on the amounts: they are ranked like them. */
function isRankedLikeAmounts(texts: readonly string[]): boolean {
  const [medium = Number.NaN, least = 0, most = 0] = texts.map((text) => valueOf(numberIn(text) ?? 'none'));
  return least < medium && medium < most;
}

/** Whether the numbers are the amounts, as decimals or, where none has decimals, as cents. */
function isAmounts(texts: readonly string[]): boolean {
  const numbers = texts.map((text) => numberIn(text) ?? '');
  const units = numbers.some((one) => decimalsIn(one) !== '') ? [1] : [1, 100];
  return units.some((unit) =>
    numbers.every((one, index) => Math.abs(valueOf(one) / unit - Number(AMOUNTS[index])) < 0.001),
  );
}

/** How a payment, and its repeats, must change an order. */
export const DUPLICATES: readonly Check[] = [
  must('effect.paid', '§6', {
    sends: 'the payment of an order',
    passes: '2xx, and the order changes',
    likely: 'the handler ignores the event, or the probe does not print the payment state',
    fix:
      'handle the type pix.settled, find the order by data.object.code, and mark it as paid; ' +
      'let the probe print whether it is paid',
    about:
      'The reason for a webhook handler to exist. A handler that waits for another type, such ' +
      'as pix.paid, acknowledges every event and never marks an order as paid. The probe of an ' +
      'order that got no event tells the payment from what changes by itself.',
    needs: ['probe', 'order'],
  }),
  must('effect.amount', '§2.1', {
    sends: 'the payments of orders of 10.00, 0.30 and 1234.56',
    passes: 'the probe shows these amounts, in cents or as decimals',
    likely: 'the decimal text is read as cents, or as a number with a thousands separator',
    fix: 'read amount as a decimal with a point, and keep cents as an integer',
    about:
      'Amounts are decimal texts. Multiplied as floating-point numbers, or read with the rules ' +
      'of a language that writes 1.234,56, they end as another sum in the books.',
    needs: ['probe', 'order', 'amount'],
    gates: UNPAID,
    plan: amount,
  }),
  must('dup.type', '§6 rule 1', {
    sends: 'the payment of one order, then that of another',
    passes: '2xx, and the second order becomes like the first',
    likely: 'repeats are known by the type of the event',
    fix: 'know repeats by webhook-id',
    about:
      'An event of a type that came before is no repeat. A handler that remembers types pays the first order only.',
    needs: PROBE,
    gates: UNPAID,
  }),
  must('dup.again', '§6 rule 1', {
    sends: 'the same event twice',
    passes: ONCE,
    likely: 'no record of the ids that came',
    fix: 'keep webhook-id under a unique key, with what it brought about',
    about:
      'Delivery is at least once (rule 1): an answer that is lost leads to a repeat. A ' +
      'customer must not be credited twice for it.',
    needs: PROBE,
    plan: again,
  }),
  must('dup.retimed', '§6 rule 1', {
    sends: 'the same webhook-id with a new timestamp and signature',
    passes: ONCE,
    likely: 'repeats are known by their signature or body',
    fix: 'know repeats by webhook-id',
    about: 'Every attempt is signed anew, so a retry has the same id and another signature.',
    needs: PROBE,
    gates: NO_RECORD,
    plan: retimed,
  }),
  must('dup.parallel', '§6 rule 1', {
    sends: 'eight copies at once, those that failed again',
    passes: ONCE,
    likely: 'the id is looked up first and stored later',
    fix: 'let a unique constraint decide, in the transaction of the effect',
    about:
      'Between looking and storing there is time for a copy. It is the most common mistake of ' +
      'receivers, and rare enough to be found in production.',
    needs: PROBE,
    isAlone: true,
    gates: NO_RECORD,
    plan: parallel,
  }),
  must('dup.cut', '§6 rule 3', {
    sends: 'an event whose connection ends before the answer, then the same again',
    passes: ONCE,
    likely: 'the id is stored before the effect, which then does not happen',
    fix: 'store id and effect in one transaction',
    about:
      'If the sender leaves, some frameworks stop the handler. An id that is stored by then ' +
      'makes the retry a repeat, and the payment is lost.',
    needs: PROBE,
    isAlone: true,
    gates: NO_RETRY,
    plan: cut,
  }),
  should('dup.evicted', '§8', {
    sends: 'an event, 1,000 others, then the first again',
    passes: ONCE,
    likely: 'ids are kept in a cache that drops the oldest',
    fix: 'keep ids in a table, for longer than the 45 hours of the retries',
    about:
      'The last attempt comes 44.6 hours after the first. A cache of a few hundred ids has forgotten it by then.',
    needs: PROBE,
    isAlone: true,
    gates: NO_RECORD,
    plan: evicted,
  }),
  should('dup.restart', '§8', {
    sends: 'an event, a restart of the application, then the event again',
    passes: ONCE,
    likely: 'ids are kept in memory',
    fix: 'keep ids where the effects are',
    about: 'A deployment during the 45 hours of the retries empties the memory of a process.',
    needs: ['probe', 'restart'],
    isAlone: true,
    gates: NO_RETRY,
    plan: restart,
  }),
];
