import type { EventType } from '../../contract/enums.js';
import type { Bench, Check, Plan } from '../bench.js';
import { must, RETRY_PAUSE_MS } from '../bench.js';
import type { Answer, Finding } from '../check.js';
import { overlapping } from '../lanes.js';
import type { Paid } from '../orders.js';
import { eventAbout, OrderError } from '../orders.js';
import type { State } from '../probe.js';
import { differencesText, unlikePaid, wasMoved, wasPaid, wentBack } from '../probe.js';
import { answersText, answerText, isAccepted } from '../response.js';
import type { EventToSend } from '../send.js';

const ORDERS = 20;
const AT_ONCE = 8;
/** These change their resource whatever came before, so that a late effect is awaited. */
const LAST_WORDS: ReadonlySet<EventType> = new Set(['pix.settled', 'withdrawal.failed']);
/** How much earlier than what overtook it a late event happened. */
const LATE_MS = 60_000;
/** How many orders are tried until the event of one is delivered before the response to its request. */
const MOST_ORDERS = 4;
/** How often a late event is looked for, which would hold up the next. */
const MOST_READS = 20;

const PROBE = ['probe'] as const;
const PROBE_AND_ORDER = ['probe', 'order'] as const;
const NO_RECORD = { 'dup.again': 'repeats are not known at all' };
const NOT_ACCEPTED = { 'accept.types': 'events of withdrawals are not accepted' };
const BLIND =
  'The probe prints the same for a withdrawal that settled, one that failed, or one that ' +
  'is unknown. If the application makes no withdrawals, add --without withdrawals.';

/** Delivers a later event of the same resource, which happened `ageMs` ago, and judges the states before and after. */
async function then(
  bench: Bench,
  about: Paid,
  { type, ageMs = 0 }: { readonly type: EventType; readonly ageMs?: number },
  isRight: (before: State, after: State) => boolean,
): Promise<Finding> {
  const { observer } = bench.twins;
  const before = await observer.settled(about);
  const { answer } = await bench.deliver(eventAbout(type, about, Date.now() - ageMs));
  const isAwaited = LAST_WORDS.has(type) && isAccepted(answer);
  const after = await (isAwaited ? observer.changed(before, about) : observer.settled(about));
  const differences = observer.differences(before, after);
  const change = differences.length === 0 ? 'nothing changed' : differencesText(differences);
  return {
    outcome: isAccepted(answer) && isRight(before, after) ? 'holds' : 'fails',
    got: `${answerText(answer)}; ${change}`,
  };
}

const sameCharge: Plan = async (bench) => {
  const charge = await bench.charge();
  await bench.must(eventAbout('pix.expired', charge, Date.now() - LATE_MS));
  await bench.kit.orders.settle(charge);
  return then(bench, charge, { type: 'pix.settled' }, (before, after) => wasPaid(bench.twins, before, after));
};

const expiredLate: Plan = async (bench) => {
  const { twins } = bench;
  const { charge } = await bench.paid();
  await twins.observer.readUntil(charge, (state) => unlikePaid(twins, state).length === 0);
  return then(
    bench,
    charge,
    { type: 'pix.expired', ageMs: LATE_MS },
    (before, after) => !wentBack(twins, { before, after, back: twins.unpaid }),
  );
};

/**
 * A withdrawal that settled and failed, in this order or the other; `isRight` gets the states of withdrawals
 * after one event, too.
 */
function withdrawn(
  types: readonly ['settled' | 'failed', 'settled' | 'failed'],
  isRight: (
    bench: Bench,
    states: Readonly<Record<'before' | 'after' | 'settled' | 'failed', State>>,
  ) => boolean,
): Plan {
  return async (bench) => {
    const { observer } = bench.twins;
    const { orders } = bench.kit;
    const subjects = { settled: orders.withdrawal(), failed: orders.withdrawal() };
    const none = await observer.read(subjects.settled);
    for (const type of ['settled', 'failed'] as const)
      await bench.must(eventAbout(`withdrawal.${type}`, subjects[type], Date.now()));
    const settled = await observer.changed(none, subjects.settled);
    const failed = await observer.changed(none, subjects.failed);
    const isBlind = [none, failed].some((state) => observer.differences(state, settled).length === 0);
    if (isBlind) return { outcome: 'unknown', reason: BLIND };
    const [first, second] = types;
    const withdrawal = orders.withdrawal();
    const ageMs = (type: string) => (type === 'settled' ? LATE_MS : 0);
    await bench.must(eventAbout(`withdrawal.${first}`, withdrawal, Date.now() - ageMs(first)));
    return then(bench, withdrawal, { type: `withdrawal.${second}`, ageMs: ageMs(second) }, (before, after) =>
      isRight(bench, { before, after, settled, failed }),
    );
  };
}

const returned = withdrawn(['settled', 'failed'], ({ twins }, { before, after, failed }) =>
  wasMoved(twins, { before, after, wanted: failed }),
);

const returnedLate = withdrawn(
  ['failed', 'settled'],
  ({ twins }, { before, after, settled }) => !wentBack(twins, { before, after, back: settled }),
);

const beforeResponse: Plan = async (bench) => {
  const { charge, answer } = await eventBeforeResponse(bench);
  const { twins } = bench;
  const differences = await twins.observer.awaitNone(charge, (state) => unlikePaid(twins, state));
  const got = differences.length === 0 ? '' : `; unlike a paid order: ${differencesText(differences)}`;
  return {
    outcome: isAccepted(answer) && differences.length === 0 ? 'holds' : 'fails',
    got: answerText(answer) + got,
  };
};

/** An event that came to the listener, and the application's response to it. */
interface Arrived {
  readonly event: EventToSend;
  readonly answer: Promise<Answer>;
}

type CheckSandbox = NonNullable<Bench['kit']['options']['sandbox']>;

/**
 * Makes an order whose `pix.settled` is delivered before the sandbox responds to the request that creates its
 * charge (§6 rule 2): our own listener gets the event. An event that the application refuses is sent again
 * after the response. The sandbox does not hold its response for ever, so an order whose response came first
 * says nothing, and another is made. Rejects with OrderError where all did.
 */
async function eventBeforeResponse(bench: Bench) {
  const { options, signal } = bench.kit;
  const { sandbox } = options;
  if (sandbox === undefined) throw new TypeError('This check needs a sandbox.');
  const { control } = sandbox;
  const ended = new AbortController();
  const listening = AbortSignal.any([ended.signal, signal]);
  const arrived = new Map<string, Arrived>();
  let ready: () => void = () => undefined;
  const isReady = new Promise<void>((resolve) => {
    ready = resolve;
  });
  let id = '';
  const listen = async () => {
    const body = { name: 'check', events: ['pix.settled'], retries: 'off' };
    for await (const message of control.stream('POST listeners', { body, signal: listening })) {
      if (message.type === 'ready') {
        ({ id } = message.listener);
        ready();
      } else if (message.type === 'attempt') {
        const text = Buffer.from(message.body, 'base64');
        const event = { id: message.headers['webhook-id'] ?? '', type: 'pix.settled', body: text };
        const answer = bench.send(bench.right(event));
        arrived.set(chargeIn(text.toString('utf8')), { event, answer });
        await answer;
        const result = { attempt_id: message.attempt_id, response_status: 200, latency_ms: 1 };
        await control.post('listeners/:id/results', { id, body: result });
      }
    }
  };
  const listened = listen().catch((error: unknown) => {
    if (!listening.aborted) throw error;
  });
  try {
    await Promise.race([isReady, listened]);
    return await firstInTime(bench, sandbox, arrived);
  } finally {
    ended.abort();
    await listened;
    await control.delete('endpoints/:id', { id }).catch(() => undefined);
  }
}

/** Makes orders until the event of one has arrived before the response to its request. */
async function firstInTime(bench: Bench, { control }: CheckSandbox, arrived: ReadonlyMap<string, Arrived>) {
  const { orders, signal } = bench.kit;
  let code = '';
  for (let order = 0; order < MOST_ORDERS; order += 1) {
    const fault = await control.post('faults', {
      body: { action: 'event-first', method: 'POST', path: '/api/public/v1/pix', count: 1 },
    });
    const charge = await orders
      .ordered(signal)
      .finally(() => control.delete('faults/:id', { id: fault.id }).catch(() => undefined));
    const first = arrived.get(charge.id);
    if (first !== undefined) {
      const answer = await first.answer;
      return { charge, answer: isAccepted(answer) ? answer : (await bench.deliver(first.event)).answer };
    }
    ({ code } = charge);
    for (let reads = 0; reads < MOST_READS && !arrived.has(charge.id); reads += 1)
      await bench.pause(RETRY_PAUSE_MS);
  }
  throw new OrderError(`The charge of ${code} was answered before its event.`);
}

function chargeIn(body: string): string {
  const { data } = JSON.parse(body) as { readonly data: { readonly object: { readonly id: string } } };
  return data.object.id;
}

const mix: Plan = async (bench) => {
  const { twins } = bench;
  const charges = await overlapping(AT_ONCE, Array.from({ length: ORDERS }), () => bench.charge());
  const { lanes } = bench.kit;
  const atOnce = lanes < AT_ONCE ? lanes : ORDERS;
  const answers = await overlapping(atOnce, charges, async (charge) => (await bench.settled(charge)).answer);
  await bench.drained(ORDERS);
  const found = await Promise.all(
    charges.map((charge) => twins.observer.awaitNone(charge, (state) => unlikePaid(twins, state))),
  );
  const [wrong, ...more] = found.filter((differences) => differences.length > 0);
  const got = answersText(answers);
  if (wrong === undefined) return { outcome: 'holds', got };
  const text = `${more.length + 1} of ${ORDERS} unlike a paid order: ${differencesText(wrong)}`;
  return { outcome: 'fails', got: `${got}; ${text}` };
};

/** How events in any order must change an order. */
export const ORDER: readonly Check[] = [
  must('new.same-charge', '§6', {
    sends: 'the expiry of a charge, then its late payment',
    passes: '2xx, and the payment changes the order',
    likely: 'events are taken once for each charge',
    fix: 'know repeats by webhook-id, not by charge',
    about:
      'A payer may pay after the expiry, within the supported window. Then the same charge has ' +
      'two events, and both count.',
    needs: PROBE_AND_ORDER,
    plan: sameCharge,
  }),
  must('order.expired-late', '§6 rule 2', {
    sends: 'the payment of a charge, then its expiry',
    passes: '2xx, and the order stays paid',
    likely: 'the last event wins',
    fix: 'rank the states, and never go back',
    about:
      'The order of arrival is not guaranteed (rule 2): a retry of the expiry may come after the payment.',
    needs: PROBE_AND_ORDER,
    plan: expiredLate,
  }),
  must('order.returned', '§6', {
    sends: 'the settlement of a withdrawal, then its failure',
    passes: '2xx, and the withdrawal has failed',
    likely: 'settled is taken for final',
    fix: 'allow the return of a settled withdrawal',
    about:
      'The destination bank can return a withdrawal that was settled. Its balance is reversed, ' +
      'and the event is withdrawal.failed.',
    needs: PROBE,
    gates: NOT_ACCEPTED,
    plan: returned,
  }),
  must('order.returned-late', '§6 rule 2', {
    sends: 'the failure of a withdrawal, then its settlement',
    passes: '2xx, and the withdrawal stays failed',
    likely: 'the last event wins',
    fix: 'rank the states, and never go back',
    about: 'The settlement of a withdrawal that was returned may arrive after the return.',
    needs: PROBE,
    gates: NOT_ACCEPTED,
    plan: returnedLate,
  }),
  must('order.before-response', '§6 rule 2', {
    sends: 'the payment of a charge before the answer to the call that created it',
    passes: 'the order is paid in the end',
    likely: 'an event of an unknown charge is dropped',
    fix: 'keep the order before the call, or the event until the charge is known',
    about:
      'A payer with the app open pays faster than some databases commit. Rule 2 names this ' +
      'case; a non-2xx is sent again up to three times, as the service would.',
    needs: PROBE_AND_ORDER,
    isAlone: true,
    gates: NO_RECORD,
    plan: beforeResponse,
  }),
  must('mix.orders', '§6', {
    sends: 'the payments of twenty orders at once',
    passes: 'each order is paid',
    likely: 'requests share a variable',
    fix: 'keep everything of a request in its handler',
    about: 'A variable outside of the handler belongs to whichever request came last.',
    needs: PROBE_AND_ORDER,
    isAlone: true,
    plan: mix,
  }),
];
