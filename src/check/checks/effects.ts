import { ListenerConnection, type ReportResult } from '../../client/listener.js';
import type { EventType } from '../../contract/enums.js';
import { RETRY_HOURS } from '../../contract/limits.js';
import { mapConcurrently } from '../../delivery/abort.js';
import { createCompletedAttempt } from '../../delivery/attempt-failure.js';
import type { ListenerAttempt } from '../../delivery/listener-hub.js';
import {
  type CheckContext,
  type Check,
  defineMust,
  type CheckPlan,
  RETRY_PAUSE_MS,
  defineShould,
} from '../bench.js';
import type { ReceiverResponse, CheckFinding } from '../check.js';
import { createOrderEvent, OrderError, type PaidOrder } from '../orders.js';
import {
  formatDifferences,
  type ProbeState,
  diffFromPaidState,
  hasMoved,
  becamePaid,
  findRevertedPlaces,
} from '../probe.js';
import { formatResponses, formatResponse, isAccepted } from '../receiver-response.js';
import type { EventToSend } from '../send.js';
import { compareAmounts } from './amount.js';

const COPIES = 8;
const ROUNDS = 3;
const RACES = 3;
/** Parts of a response's time after which a connection ends: immediately, and in the middle of the work. */
const CUTS = [0, 0.4];
/** Time of a receiver for a request whose sender has left, at least and in response times. */
const CUT_PAUSE_MS = 450;
const CUT_PATIENCE = 3;
const MOST_OTHERS = 1_000;
const LEAST_OTHERS = 20;
const OTHERS_AT_ONCE = 32;
/** Milliseconds for the remaining events, based on the first response. */
const OTHERS_MS = 20_000;
/** Smallest accepted share for a meaningful repeat. */
const LEAST_ACCEPTED = 0.95;
const ORDERS = 20;
/** These change their resource whatever came before, so that a late effect is awaited. */
const LAST_WORDS: ReadonlySet<EventType> = new Set(['pix.settled', 'withdrawal.failed']);
/** Age difference between a late event and the one it follows. */
const LATE_MS = 60_000;
/** Orders tried until an event is delivered before the response to its request. */
const MOST_ORDERS = 4;
/** Most reads for a late event, which would delay the next. */
const MOST_READS = 20;

const PROBE = ['probe'] as const;
const PROBE_AND_ORDER = ['probe', 'order'] as const;
const ONCE = { passes: '2xx, and the order is as one that got it once', needs: PROBE };
const UNPAID = { 'effect.paid': 'a payment has no effect' };
const NO_RECORD = { 'dup.again': 'repeats are not known at all' };
const NO_RETRY = { ...NO_RECORD, 'dup.retimed': 'a retry is not known as a repeat' };
const NOT_ACCEPTED = { 'accept.types': 'events of withdrawals are not accepted' };
const LAST_WINS = { likely: 'the last event wins', fix: 'rank the states, and never go back' };
const BLIND =
  'The probe prints the same for a withdrawal that settled, one that failed, or one that ' +
  'is unknown. If the application makes no withdrawals, add --without withdrawals.';

/** An order, the responses to its repeated event, and its state before the repeat, if read. */
interface Repeated {
  readonly charge: PaidOrder;
  /** The last has to be 2xx. */
  readonly responses: readonly ReceiverResponse[];
  readonly before?: ProbeState;
}

/** Judges whether orders are as one that got its event once, and as they were before the repeat. */
async function judged(
  context: CheckContext,
  repeated: readonly Repeated[],
  sent?: string,
): Promise<CheckFinding> {
  const { twins } = context;
  const { observer } = twins;
  const got = formatResponses(repeated.flatMap(({ responses }) => responses));
  const found = await Promise.all(
    repeated.map(({ charge, before }) =>
      observer.awaitNone(charge, (state) => {
        const changed = before === undefined ? [] : observer.differences(before, state);
        return changed.length > 0 ? changed : diffFromPaidState(twins, state);
      }),
    ),
  );
  const differences = found.find((one) => one.length > 0);
  if (differences !== undefined) {
    const unlike = `unlike an order that got it once: ${formatDifferences(differences)}`;
    return { outcome: 'fails', sent, got: `${got}; ${unlike}` };
  }
  const isAnswered = repeated.every(({ responses }) => responses.slice(-1).every(isAccepted));
  return { outcome: isAnswered ? 'holds' : 'fails', sent, got };
}

const again: CheckPlan = async (context) => {
  const { charge, parts, before } = await context.applied();
  return judged(context, [{ charge, responses: [await context.send(parts)], before }]);
};

const retimed: CheckPlan = async (context) => {
  const { charge, event, parts, before } = await context.applied();
  const skewS = Number(parts.timestamp) - Math.floor(Date.now() / 1000) + 1;
  return judged(context, [{ charge, responses: [await context.send(context.right(event, skewS))], before }]);
};

const parallel: CheckPlan = async (context) => {
  // A serial receiver would not respond to more in time.
  const count = Math.min(COPIES, Math.max(context.options.concurrency, 2));
  const sent = `${count} concurrent copies of one pix.settled, failed ones again; for ${RACES} orders`;
  const raced: Repeated[] = [];
  // One after another: the first opens the connections, so that the copies of the others arrive together.
  for (let race = 0; race < RACES; race += 1) {
    const charge = await context.settledCharge();
    raced.push({ charge, responses: await copiesOf(context, context.event(charge), count) });
  }
  const responses = raced.flatMap((one) => one.responses);
  if (responses.some(isAccepted)) return judged(context, raced, sent);
  return { outcome: 'gated', sent, got: formatResponses(responses), reason: 'None of them was accepted.' };
};

async function copiesOf(
  context: CheckContext,
  event: EventToSend,
  count: number,
): Promise<ReceiverResponse[]> {
  const responses: ReceiverResponse[] = [];
  for (let round = 0, copies = count; round <= ROUNDS && copies > 0; round += 1) {
    if (round > 0) await context.pause(round * RETRY_PAUSE_MS);
    const parts = context.right(event);
    const sent = await Promise.all(Array.from({ length: copies }, () => context.send(parts)));
    responses.push(...sent);
    copies = sent.filter((response) => !isAccepted(response)).length;
  }
  return responses;
}

const cut: CheckPlan = async (context) => {
  const { response: whole } = await context.paid();
  const repeated: Repeated[] = [];
  for (const share of CUTS) {
    const charge = await context.settledCharge();
    const event = context.event(charge);
    await context.send(context.right(event), { cutAfterMs: Math.round(share * whole.ms) });
    await context.pause(Math.max(CUT_PAUSE_MS, CUT_PATIENCE * whole.ms));
    repeated.push({ charge, responses: [(await context.deliver(event)).response] });
  }
  return judged(context, repeated);
};

const evicted: CheckPlan = async (context) => {
  const { concurrency, responseMs } = context.options;
  // As many others as fit into their time; a receiver may handle one request at a time.
  const fitting = Math.floor(OTHERS_MS / Math.max(responseMs, 1));
  const others = Math.min(Math.max(fitting, LEAST_OTHERS), MOST_OTHERS);
  const sent = `a pix.settled, ${others} others, then the first again`;
  const { charge, parts, before } = await context.applied();
  const other = await context.charge();
  const atOnce = concurrency < COPIES ? concurrency : OTHERS_AT_ONCE;
  const responses = await mapConcurrently(atOnce, Array.from({ length: others }), () =>
    context.send(context.right(createOrderEvent('pix.expired', other, Date.now()))),
  );
  const count = responses.filter(isAccepted).length;
  if (count < others * LEAST_ACCEPTED) {
    const reason = `Only ${count} of the ${others} others were accepted.`;
    return { outcome: 'gated', sent, got: `${count} of ${others} accepted`, reason };
  }
  await context.drained(others);
  return judged(context, [{ charge, responses: [await context.send(parts)], before }], sent);
};

const restart: CheckPlan = async (context) => {
  const { restart: run } = context.options.options;
  if (run === undefined) throw new TypeError('This check needs a restart.');
  const { charge, event, before } = await context.applied();
  await context.restarted(run);
  return judged(context, [{ charge, responses: [(await context.deliver(event)).response], before }]);
};

/** Delivers a later event of the same resource, which happened `ageMs` ago, and judges the states before and after. */
async function then(
  context: CheckContext,
  about: PaidOrder,
  { type, ageMs = 0 }: { readonly type: EventType; readonly ageMs?: number },
  isRight: (before: ProbeState, after: ProbeState) => boolean,
): Promise<CheckFinding> {
  const { observer } = context.twins;
  const before = await observer.settled(about);
  const { response } = await context.deliver(createOrderEvent(type, about, Date.now() - ageMs));
  const isAwaited = LAST_WORDS.has(type) && isAccepted(response);
  const after = await (isAwaited ? observer.changed(before, about) : observer.settled(about));
  const differences = observer.differences(before, after);
  const change = differences.length === 0 ? 'nothing changed' : formatDifferences(differences);
  return {
    outcome: isAccepted(response) && isRight(before, after) ? 'holds' : 'fails',
    got: `${formatResponse(response)}; ${change}`,
  };
}

const sameCharge: CheckPlan = async (context) => {
  const charge = await context.charge();
  await context.must(createOrderEvent('pix.expired', charge, Date.now() - LATE_MS));
  await context.options.orders.settle(charge);
  return then(context, charge, { type: 'pix.settled' }, (before, after) =>
    becamePaid(context.twins, before, after),
  );
};

const expiredLate: CheckPlan = async (context) => {
  const { twins } = context;
  const { charge } = await context.paid();
  await twins.observer.readUntil(charge, (state) => diffFromPaidState(twins, state).length === 0);
  const late = { type: 'pix.expired', ageMs: LATE_MS } as const;
  return then(
    context,
    charge,
    late,
    (before, after) => !findRevertedPlaces(twins, { before, after, back: twins.unpaid }),
  );
};

type Ending = 'settled' | 'failed';
type Judge = (
  twins: CheckContext['twins'],
  states: Readonly<Record<'before' | 'after' | Ending, ProbeState>>,
) => boolean;

/** A withdrawal that settled and failed, in this order or the other, next to withdrawals after one event. */
function withdrawn([first, second]: readonly [Ending, Ending], isRight: Judge): CheckPlan {
  return async (context) => {
    const { observer } = context.twins;
    const { orders } = context.options;
    const subjects = { settled: orders.withdrawal(), failed: orders.withdrawal() };
    const none = await observer.read(subjects.settled);
    for (const ending of ['settled', 'failed'] as const)
      await context.must(createOrderEvent(`withdrawal.${ending}`, subjects[ending], Date.now()));
    const settled = await observer.changed(none, subjects.settled);
    const failed = await observer.changed(none, subjects.failed);
    const isBlind = [none, failed].some((state) => observer.differences(state, settled).length === 0);
    if (isBlind) return { outcome: 'unknown', reason: BLIND };
    const withdrawal = orders.withdrawal();
    const ageMs = (ending: Ending) => (ending === 'settled' ? LATE_MS : 0);
    await context.must(createOrderEvent(`withdrawal.${first}`, withdrawal, Date.now() - ageMs(first)));
    const later = { type: `withdrawal.${second}`, ageMs: ageMs(second) } as const;
    return then(context, withdrawal, later, (before, after) =>
      isRight(context.twins, { before, after, settled, failed }),
    );
  };
}

const beforeResponse: CheckPlan = async (context) => {
  const { charge, response } = await eventBeforeResponse(context);
  const { twins } = context;
  const differences = await twins.observer.awaitNone(charge, (state) => diffFromPaidState(twins, state));
  const got = differences.length === 0 ? '' : `; unlike a paid order: ${formatDifferences(differences)}`;
  return {
    outcome: isAccepted(response) && differences.length === 0 ? 'holds' : 'fails',
    got: formatResponse(response) + got,
  };
};

/** An event that came to the listener, and the application's response to it. */
interface Arrived {
  readonly event: EventToSend;
  readonly response: Promise<ReceiverResponse>;
}

/** Makes an order whose event our own listener gets and sends before the sandbox responds to the new charge. */
async function eventBeforeResponse(context: CheckContext) {
  const { sandbox } = context.options.options;
  if (sandbox === undefined) throw new TypeError('This check needs a sandbox.');
  const { control } = sandbox;
  const arrived = new Map<string, Arrived>();
  const pass = async ({ body, headers }: ListenerAttempt, report: ReportResult) => {
    const text = Buffer.from(body, 'base64');
    const event = { id: headers['webhook-id'] ?? '', type: 'pix.settled', body: text };
    const { data } = JSON.parse(text.toString()) as { readonly data: { readonly object: { id: string } } };
    const response = context.send(context.right(event));
    arrived.set(data.object.id, { event, response });
    await response;
    await report({ ...createCompletedAttempt(200, null), latencyMs: 1 });
  };
  const listener = new ListenerConnection(control, {
    // It may fail when the time is up.
    onAttempt: (attempt, report) => pass(attempt, report).catch(() => undefined),
  });
  try {
    await listener.connect({ name: 'check', events: ['pix.settled'], retries: 'off' });
    return await firstInTime(context, control, arrived);
  } finally {
    listener.disconnect();
    await control.delete('endpoints/:id', { id: listener.id ?? '' }).catch(() => undefined);
  }
}

type Control = NonNullable<CheckContext['options']['options']['sandbox']>['control'];

/** Makes orders until the event of one comes first: the sandbox does not hold its response for ever. */
async function firstInTime(context: CheckContext, control: Control, arrived: ReadonlyMap<string, Arrived>) {
  const { orders, signal } = context.options;
  let code = '';
  for (let order = 0; order < MOST_ORDERS; order += 1) {
    const body = { action: 'event-first', method: 'POST', path: '/api/public/v1/pix', count: 1 };
    const fault = await control.post('faults', { body });
    const charge = await orders
      .ordered(signal)
      .catch((error: unknown) => {
        if (!(error instanceof OrderError)) throw error;
        const { message, isLate } = error;
        throw new OrderError(`While this check delayed the response to the new charge: ${message}`, {
          isLate,
        });
      })
      .finally(() => control.delete('faults/:id', { id: fault.id }).catch(() => undefined));
    const first = arrived.get(charge.id);
    if (first !== undefined) {
      const response = await first.response;
      return {
        charge,
        response: isAccepted(response) ? response : (await context.deliver(first.event)).response,
      };
    }
    ({ code } = charge);
    for (let reads = 0; reads < MOST_READS && !arrived.has(charge.id); reads += 1)
      await context.pause(RETRY_PAUSE_MS);
  }
  throw new OrderError(`The charge of ${code} got its response before its event.`);
}

const mix: CheckPlan = async (context) => {
  const { twins } = context;
  const { concurrency } = context.options;
  const charges = await mapConcurrently(COPIES, Array.from({ length: ORDERS }), () => context.charge());
  const atOnce = concurrency < COPIES ? concurrency : ORDERS;
  const responses = await mapConcurrently(
    atOnce,
    charges,
    async (charge) => (await context.settled(charge)).response,
  );
  await context.drained(ORDERS);
  const found = await Promise.all(
    charges.map((charge) => twins.observer.awaitNone(charge, (state) => diffFromPaidState(twins, state))),
  );
  const [wrong, ...more] = found.filter((differences) => differences.length > 0);
  const got = formatResponses(responses);
  if (wrong === undefined) return { outcome: 'holds', got };
  const text = `${more.length + 1} of ${ORDERS} unlike a paid order: ${formatDifferences(wrong)}`;
  return { outcome: 'fails', got: `${got}; ${text}` };
};

export const EFFECT_CHECKS: readonly Check[] = [
  defineMust('effect.paid', '§6', {
    sends: 'the payment of an order',
    passes: '2xx, and the order changes',
    likely: 'the handler ignores the event, or the probe does not print the payment state',
    fix:
      'handle the type pix.settled, find the order by data.object.code, and mark it as paid; ' +
      'let the probe print whether it is paid',
    needs: PROBE_AND_ORDER,
  }),
  defineMust('effect.amount', '§2.1', {
    sends: 'the payments of orders of 10.00, 0.30 and 1234.56',
    passes: 'the probe shows these amounts, in cents or as decimals',
    likely: 'the decimal text is read as cents, or as a number with a thousands separator',
    fix: 'read amount as a decimal with a point, and keep cents as an integer',
    needs: ['probe', 'order', 'amount'],
    gates: UNPAID,
    plan: compareAmounts,
  }),
  defineMust('dup.type', '§6 rule 1', {
    sends: 'the payment of one order, then that of another',
    passes: '2xx, and the second order becomes like the first',
    likely: 'repeats are known by the type of the event',
    fix: 'know repeats by webhook-id',
    needs: PROBE,
    gates: UNPAID,
  }),
  defineMust('dup.again', '§6 rule 1', {
    sends: 'the same event twice',
    ...ONCE,
    likely: 'no record of the ids that came',
    fix: 'keep webhook-id under a unique key, with what it brought about',
    plan: again,
  }),
  defineMust('dup.retimed', '§6 rule 1', {
    sends: 'the same webhook-id with a new timestamp and signature',
    ...ONCE,
    likely: 'repeats are known by their signature or body',
    fix: 'know repeats by webhook-id',
    gates: NO_RECORD,
    plan: retimed,
  }),
  defineMust('dup.parallel', '§6 rule 1', {
    sends: 'eight concurrent copies, failed ones again',
    ...ONCE,
    likely: 'the id is looked up first and stored later',
    fix: 'let a unique constraint decide, in the transaction of the effect',
    runsAlone: true,
    gates: NO_RECORD,
    plan: parallel,
  }),
  defineMust('dup.cut', '§6 rule 3', {
    sends: 'an event whose connection ends before the response, then the same again',
    ...ONCE,
    likely: 'the id is stored before the effect, which then does not happen',
    fix: 'store id and effect in one transaction',
    runsAlone: true,
    gates: NO_RETRY,
    plan: cut,
  }),
  defineShould('dup.evicted', '§8', {
    sends: 'an event, 1,000 others, then the first again',
    ...ONCE,
    likely: 'ids are kept in a cache that drops the oldest',
    fix: `keep ids in a table, for longer than the ${RETRY_HOURS} hours of the retries`,
    runsAlone: true,
    gates: NO_RECORD,
    plan: evicted,
  }),
  defineShould('dup.restart', '§8', {
    sends: 'an event, a restart of the application, then the event again',
    ...ONCE,
    likely: 'ids are kept in memory',
    fix: 'keep ids where the effects are',
    needs: ['probe', 'restart'],
    runsAlone: true,
    gates: NO_RETRY,
    plan: restart,
  }),
  defineMust('new.same-charge', '§6', {
    sends: 'the expiry of a charge, then its late payment',
    passes: '2xx, and the payment changes the order',
    likely: 'events are taken once for each charge',
    fix: 'know repeats by webhook-id, not by charge',
    needs: PROBE_AND_ORDER,
    plan: sameCharge,
  }),
  defineMust('order.expired-late', '§6 rule 2', {
    sends: 'the payment of a charge, then its expiry',
    passes: '2xx, and the order stays paid',
    ...LAST_WINS,
    needs: PROBE_AND_ORDER,
    plan: expiredLate,
  }),
  defineMust('order.returned', '§6', {
    sends: 'the settlement of a withdrawal, then its failure',
    passes: '2xx, and the withdrawal has failed',
    likely: 'settled is taken for final',
    fix: 'allow the return of a settled withdrawal',
    needs: PROBE,
    gates: NOT_ACCEPTED,
    plan: withdrawn(['settled', 'failed'], (twins, { before, after, failed }) =>
      hasMoved(twins, { before, after, wanted: failed }),
    ),
  }),
  defineMust('order.returned-late', '§6 rule 2', {
    sends: 'the failure of a withdrawal, then its settlement',
    passes: '2xx, and the withdrawal stays failed',
    ...LAST_WINS,
    needs: PROBE,
    gates: NOT_ACCEPTED,
    plan: withdrawn(
      ['failed', 'settled'],
      (twins, { before, after, settled }) => !findRevertedPlaces(twins, { before, after, back: settled }),
    ),
  }),
  defineMust('order.before-response', '§6 rule 2', {
    sends: 'the payment of a charge before the response to its creation',
    passes: 'the order is paid in the end',
    likely: 'an event of an unknown charge is dropped',
    fix: 'store the order before the request, or the event until the charge is known',
    needs: PROBE_AND_ORDER,
    runsAlone: true,
    gates: NO_RECORD,
    plan: beforeResponse,
  }),
  defineMust('mix.orders', '§6', {
    sends: 'the payments of twenty orders concurrently',
    passes: 'each order is paid',
    likely: 'requests share a variable',
    fix: 'keep everything of a request in its handler',
    needs: PROBE_AND_ORDER,
    runsAlone: true,
    plan: mix,
  }),
];
