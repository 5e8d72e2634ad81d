import { ListenerConnection, type ReportResult } from '../../client/listener.js';
import type { EventType } from '../../contract/enums.js';
import { RETRY_HOURS } from '../../contract/limits.js';
import { mapConcurrently } from '../../delivery/abort.js';
import { createCompletedAttempt } from '../../delivery/attempt-failure.js';
import type { ListenerAttempt } from '../../delivery/listener-hub.js';
import {
  type CheckContext,
  type Check,
  defineRequiredCheck,
  type CheckPlan,
  RETRY_PAUSE_MS,
  defineRecommendedCheck,
} from '../bench.js';
import type { ReceiverResponse, CheckFinding } from '../check.js';
import { createOrderEvent, OrderError, type PaidOrder } from '../orders.js';
import {
  formatDeviations,
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
/** Cut points as fractions of the response time: immediate and mid-processing. */
const CUTS = [0, 0.4];
/** Minimum pause after a cut, in milliseconds and as a multiple of the response time. */
const CUT_PAUSE_MS = 450;
const CUT_PATIENCE = 3;
const MOST_OTHERS = 1_000;
const LEAST_OTHERS = 20;
const OTHERS_AT_ONCE = 32;
/** Target duration for sending the intermediate events, in milliseconds. */
const OTHERS_MS = 20_000;
/** Minimum share of intermediate events accepted for a meaningful result. */
const LEAST_ACCEPTED = 0.95;
const ORDERS = 20;
/** Events of these types always change their resource, so their effect is awaited. */
const FINAL_EVENTS: ReadonlySet<EventType> = new Set(['pix.settled', 'withdrawal.failed']);
/** Age of a late event in milliseconds. */
const LATE_MS = 60_000;
/** Maximum number of orders to create until an event arrives before the API response. */
const MOST_ORDERS = 4;
/** Maximum number of polls for a late event before creating the next order. */
const MOST_READS = 20;

const PROBE = ['probe'] as const;
const PROBE_AND_ORDER = ['probe', 'order'] as const;
const ONCE = { passes: '2xx, and the order is the same as after one delivery', needs: PROBE };
const UNPAID = { 'effect.paid': 'a payment has no effect' };
const NO_RECORD = { 'dup.again': 'duplicates are not detected at all' };
const NO_RETRY = { ...NO_RECORD, 'dup.retimed': 'a retry is not detected as a duplicate' };
const NOT_ACCEPTED = { 'accept.types': 'withdrawal events are not accepted' };
const LAST_WINS = { likely: 'the last event wins', fix: 'rank the states and never move to a lower one' };
const BLIND =
  'The probe does not distinguish a settled withdrawal from a failed one or an unknown ' +
  'one. If the application makes no withdrawals, add --without withdrawals.';

/** An order, the responses to its duplicate event, and optionally its state before the duplicate. */
interface Repeated {
  readonly charge: PaidOrder;
  /** The last response must be 2xx. */
  readonly responses: readonly ReceiverResponse[];
  readonly before?: ProbeState;
}

/** Checks that duplicates changed nothing: each order must equal an order with a single delivery. */
async function judgeDuplicates(
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
    const unlike = `unlike an order with one delivery: ${formatDeviations(differences)}`;
    return { outcome: 'fails', sent, got: `${got}; ${unlike}` };
  }
  const isAnswered = repeated.every(({ responses }) => responses.slice(-1).every(isAccepted));
  return { outcome: isAnswered ? 'holds' : 'fails', sent, got };
}

const again: CheckPlan = async (context) => {
  const { charge, parts, before } = await context.applied();
  return judgeDuplicates(context, [{ charge, responses: [await context.send(parts)], before }]);
};

const retimed: CheckPlan = async (context) => {
  const { charge, event, parts, before } = await context.applied();
  const skewS = Number(parts.timestamp) - Math.floor(Date.now() / 1000) + 1;
  return judgeDuplicates(context, [
    { charge, responses: [await context.send(context.right(event, skewS))], before },
  ]);
};

const parallel: CheckPlan = async (context) => {
  // A serial receiver could not respond to more copies in time.
  const count = Math.min(COPIES, Math.max(context.options.concurrency, 2));
  const sent = `${count} concurrent copies of one pix.settled, with retries, for ${RACES} orders`;
  const raced: Repeated[] = [];
  // Run the races sequentially: the first one opens the connections, so that later copies arrive together.
  for (let race = 0; race < RACES; race += 1) {
    const charge = await context.settledCharge();
    raced.push({ charge, responses: await copiesOf(context, context.event(charge), count) });
  }
  const responses = raced.flatMap((one) => one.responses);
  if (responses.some(isAccepted)) return judgeDuplicates(context, raced, sent);
  return { outcome: 'gated', sent, got: formatResponses(responses), reason: 'No copy was accepted.' };
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
  return judgeDuplicates(context, repeated);
};

const evicted: CheckPlan = async (context) => {
  const { concurrency, responseMs } = context.options;
  // Limit the duration of the other events, because some receivers handle requests one by one.
  const fitting = Math.floor(OTHERS_MS / Math.max(responseMs, 1));
  const others = Math.min(Math.max(fitting, LEAST_OTHERS), MOST_OTHERS);
  const sent = `a pix.settled, ${others} other events, then the first one again`;
  const { charge, parts, before } = await context.applied();
  const other = await context.charge();
  const atOnce = concurrency < COPIES ? concurrency : OTHERS_AT_ONCE;
  const responses = await mapConcurrently(atOnce, Array.from({ length: others }), () =>
    context.send(context.right(createOrderEvent('pix.expired', other, Date.now()))),
  );
  const count = responses.filter(isAccepted).length;
  if (count < others * LEAST_ACCEPTED) {
    const reason = `Only ${count} of the ${others} other events were accepted.`;
    return { outcome: 'gated', sent, got: `${count} of ${others} accepted`, reason };
  }
  await context.drained(others);
  return judgeDuplicates(context, [{ charge, responses: [await context.send(parts)], before }], sent);
};

const restart: CheckPlan = async (context) => {
  const { restart: run } = context.options.options;
  if (run === undefined) throw new TypeError('This check requires a restart.');
  const { charge, event, before } = await context.applied();
  await context.restarted(run);
  return judgeDuplicates(context, [{ charge, responses: [(await context.deliver(event)).response], before }]);
};

/** Delivers another event about a resource, created `ageMs` ago, and compares the states before and after. */
async function deliverLaterEvent(
  context: CheckContext,
  about: PaidOrder,
  { type, ageMs = 0 }: { readonly type: EventType; readonly ageMs?: number },
  isRight: (before: ProbeState, after: ProbeState) => boolean,
): Promise<CheckFinding> {
  const { observer } = context.twins;
  const before = await observer.settled(about);
  const { response } = await context.deliver(createOrderEvent(type, about, Date.now() - ageMs));
  const isAwaited = FINAL_EVENTS.has(type) && isAccepted(response);
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
  return deliverLaterEvent(context, charge, { type: 'pix.settled' }, (before, after) =>
    becamePaid(context.twins, before, after),
  );
};

const expiredLate: CheckPlan = async (context) => {
  const { twins } = context;
  const { charge } = await context.paid();
  await twins.observer.readUntil(charge, (state) => diffFromPaidState(twins, state).length === 0);
  const late = { type: 'pix.expired', ageMs: LATE_MS } as const;
  return deliverLaterEvent(
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

/** Delivers both withdrawal events in this order, and compares the result with single-event withdrawals. */
function planWithdrawalOrder([first, second]: readonly [Ending, Ending], isRight: Judge): CheckPlan {
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
    return deliverLaterEvent(context, withdrawal, later, (before, after) =>
      isRight(context.twins, { before, after, settled, failed }),
    );
  };
}

const beforeResponse: CheckPlan = async (context) => {
  const { charge, response } = await eventBeforeResponse(context);
  const { twins } = context;
  const differences = await twins.observer.awaitNone(charge, (state) => diffFromPaidState(twins, state));
  const got = differences.length === 0 ? '' : `; unlike a paid order: ${formatDeviations(differences)}`;
  return {
    outcome: isAccepted(response) && differences.length === 0 ? 'holds' : 'fails',
    got: formatResponse(response) + got,
  };
};

/** An event received by the listener, and the application's response. */
interface Arrived {
  readonly event: EventToSend;
  readonly response: Promise<ReceiverResponse>;
}

/** Creates an order and sends its event before the sandbox responds to the application's API request. */
async function eventBeforeResponse(context: CheckContext) {
  const { sandbox } = context.options.options;
  if (sandbox === undefined) throw new TypeError('This check requires a sandbox.');
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
    // Sending can fail when the time budget runs out.
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

/** Creates orders until an event arrives before the response, which the sandbox delays only briefly. */
async function firstInTime(context: CheckContext, control: Control, arrived: ReadonlyMap<string, Arrived>) {
  const { orders, signal } = context.options;
  let code = '';
  for (let order = 0; order < MOST_ORDERS; order += 1) {
    const body = { action: 'event-first', method: 'POST', path: '/api/public/v1/pix', count: 1 };
    const fault = await control.post('faults', { body });
    const charge = await orders
      .chargeByCommand(signal)
      .catch((error: unknown) => {
        if (!(error instanceof OrderError)) throw error;
        const { message, isLate } = error;
        throw new OrderError(`While the response to the new charge was delayed: ${message}`, {
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
  throw new OrderError(`The response to the charge request for ${code} arrived before its event.`);
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
  const text = `${more.length + 1} of ${ORDERS} orders are unlike a paid order: ${formatDeviations(wrong)}`;
  return { outcome: 'fails', got: `${got}; ${text}` };
};

export const EFFECT_CHECKS: readonly Check[] = [
  defineRequiredCheck('effect.paid', '§6', {
    sends: 'the payment of an order',
    passes: '2xx, and the order changes',
    likely: 'the handler ignores the event, or the probe does not print the payment state',
    fix:
      'handle pix.settled: find the order by data.object.code and mark it as paid; ' +
      'make the probe print the payment state',
    needs: PROBE_AND_ORDER,
  }),
  defineRequiredCheck('effect.amount', '§2.1', {
    sends: 'payments of orders for 10.00, 0.30 and 1234.56',
    passes: 'the probe shows these amounts, in cents or as decimals',
    likely: 'the decimal string is parsed as cents, or its decimal point as a thousands separator',
    fix: 'parse amount as a decimal, and store cents as an integer',
    needs: ['probe', 'order', 'amount'],
    gates: UNPAID,
    plan: compareAmounts,
  }),
  defineRequiredCheck('dup.type', '§6 rule 1', {
    sends: 'the payments of two orders, one after the other',
    passes: '2xx, and the second order ends up like the first',
    likely: 'duplicates are detected by event type',
    fix: 'detect duplicates by webhook-id',
    needs: PROBE,
    gates: UNPAID,
  }),
  defineRequiredCheck('dup.again', '§6 rule 1', {
    sends: 'the same event twice',
    ...ONCE,
    likely: 'received ids are not recorded',
    fix: 'store webhook-id under a unique key, together with its effect',
    plan: again,
  }),
  defineRequiredCheck('dup.retimed', '§6 rule 1', {
    sends: 'the same webhook-id with a new timestamp and signature',
    ...ONCE,
    likely: 'duplicates are detected by signature or body',
    fix: 'detect duplicates by webhook-id',
    gates: NO_RECORD,
    plan: retimed,
  }),
  defineRequiredCheck('dup.parallel', '§6 rule 1', {
    sends: 'eight concurrent copies, with retries of failed ones',
    ...ONCE,
    likely: 'the id is looked up first and stored later',
    fix: 'use a unique constraint in the transaction of the effect',
    runsAlone: true,
    gates: NO_RECORD,
    plan: parallel,
  }),
  defineRequiredCheck('dup.cut', '§6 rule 3', {
    sends: 'an event with its connection cut before the response, then a retry',
    ...ONCE,
    likely: 'the id is stored before the effect, which is then lost',
    fix: 'store the id and the effect in one transaction',
    runsAlone: true,
    gates: NO_RETRY,
    plan: cut,
  }),
  defineRecommendedCheck('dup.evicted', '§8', {
    sends: 'an event, 1,000 other events, then the first one again',
    ...ONCE,
    likely: 'ids are stored in a cache that evicts old entries',
    fix: `store ids in a table for longer than the ${RETRY_HOURS} hours of retries`,
    runsAlone: true,
    gates: NO_RECORD,
    plan: evicted,
  }),
  defineRecommendedCheck('dup.restart', '§8', {
    sends: 'an event, an application restart, then the same event',
    ...ONCE,
    likely: 'ids are stored only in memory',
    fix: 'store ids in the same database as the effects',
    needs: ['probe', 'restart'],
    runsAlone: true,
    gates: NO_RETRY,
    plan: restart,
  }),
  defineRequiredCheck('new.same-charge', '§6', {
    sends: 'the expiry of a charge, then its late payment',
    passes: '2xx, and the payment changes the order',
    likely: 'only one event per charge is processed',
    fix: 'detect duplicates by webhook-id, not by charge',
    needs: PROBE_AND_ORDER,
    plan: sameCharge,
  }),
  defineRequiredCheck('order.expired-late', '§6 rule 2', {
    sends: 'the payment of a charge, then its expiry',
    passes: '2xx, and the order stays paid',
    ...LAST_WINS,
    needs: PROBE_AND_ORDER,
    plan: expiredLate,
  }),
  defineRequiredCheck('order.returned', '§6', {
    sends: 'the settlement of a withdrawal, then its failure',
    passes: '2xx, and the withdrawal has failed',
    likely: 'the `settled` state is treated as final',
    fix: 'allow the return of a settled withdrawal',
    needs: PROBE,
    gates: NOT_ACCEPTED,
    plan: planWithdrawalOrder(['settled', 'failed'], (twins, { before, after, failed }) =>
      hasMoved(twins, { before, after, wanted: failed }),
    ),
  }),
  defineRequiredCheck('order.returned-late', '§6 rule 2', {
    sends: 'the failure of a withdrawal, then its settlement',
    passes: '2xx, and the withdrawal stays failed',
    ...LAST_WINS,
    needs: PROBE,
    gates: NOT_ACCEPTED,
    plan: planWithdrawalOrder(
      ['failed', 'settled'],
      (twins, { before, after, settled }) => !findRevertedPlaces(twins, { before, after, back: settled }),
    ),
  }),
  defineRequiredCheck('order.before-response', '§6 rule 2', {
    sends: 'the payment of a charge before the response to its creation',
    passes: 'the order ends up paid',
    likely: 'events about unknown charges are dropped',
    fix: 'store the order before the API request, or store the event until the charge is known',
    needs: PROBE_AND_ORDER,
    runsAlone: true,
    gates: NO_RECORD,
    plan: beforeResponse,
  }),
  defineRequiredCheck('mix.orders', '§6', {
    sends: 'concurrent payments of twenty orders',
    passes: 'each order is paid',
    likely: 'concurrent requests share a variable',
    fix: 'keep all request state inside the handler',
    needs: PROBE_AND_ORDER,
    runsAlone: true,
    plan: mix,
  }),
];
