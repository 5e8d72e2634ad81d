import type { EventType } from '../../contract/events.js';
import type { Bench, Plan } from '../bench.js';
import type { Answer } from '../check.js';
import type { Finding } from '../judge.js';
import type { Paid } from '../orders.js';
import { eventAbout } from '../orders.js';
import type { Observer, State, Twins } from '../probe.js';
import { differencesText, unlikePaid, wasMoved, wasPaid, wentBack } from '../probe.js';
import { observed } from './duplicates.js';
import { eventBeforeResponse } from './event-first.js';
import { answersText, answerText, isAccepted } from '../response.js';
import { overlapping } from '../lanes.js';

const ORDERS = 20;
const AT_ONCE = 8;
/** What changes its resource whatever came before, so that a late effect is awaited. */
const LAST_WORDS: ReadonlySet<EventType> = new Set(['pix.settled', 'withdrawal.failed']);

/** How much earlier than what overtook it a late event happened. */
const LATE_MS = 60_000;

/** Delivers a later event of the same resource, and returns the states before and after; `ageMs` ago it happened. */
async function then(bench: Bench, { observer }: Twins, about: Paid, type: EventType, ageMs = 0) {
  const before = await observer.settled(about);
  const { answer } = await bench.deliver(eventAbout(type, about, Date.now() - ageMs));
  const isAwaited = LAST_WORDS.has(type) && isAccepted(answer);
  const after = await (isAwaited ? observer.changed(before, about) : observer.settled(about));
  return { answer, before, after };
}

function changeText(observer: Observer, before: State, after: State, answer: Answer): string {
  const differences = observer.differences(before, after);
  const change = differences.length === 0 ? 'nothing changed' : differencesText(differences);
  return `${answerText(answer)}; ${change}`;
}

const sameCharge = observed(async (bench, twins) => {
  const sent = 'the pix.expired of a charge, then its late pix.settled';
  const { observer } = twins;
  const charge = await bench.charge();
  await bench.must(eventAbout('pix.expired', charge, Date.now() - LATE_MS));
  await bench.kit.orders.settle(charge);
  const { answer, before, after } = await then(bench, twins, charge, 'pix.settled');
  return {
    outcome: isAccepted(answer) && wasPaid(twins, before, after) ? 'holds' : 'fails',
    sent,
    got: changeText(observer, before, after, answer),
  };
});

const expiredLate = observed(async (bench, twins) => {
  const { charge } = await bench.paid();
  await twins.observer.readUntil(charge, (state) => unlikePaid(twins, state).length === 0);
  const { answer, before, after } = await then(bench, twins, charge, 'pix.expired', LATE_MS);
  const isBack = wentBack(twins, { before, after, back: twins.unpaid });
  const got = changeText(twins.observer, before, after, answer);
  return {
    outcome: isAccepted(answer) && !isBack ? 'holds' : 'fails',
    sent: 'the pix.settled of a charge, then its pix.expired',
    got,
  };
});

/** The states of withdrawals after one event, or why they say nothing. */
async function withdrawalStates(bench: Bench, { observer }: Twins) {
  const [settled, failed] = [bench.kit.orders.withdrawal(), bench.kit.orders.withdrawal()];
  const none = await observer.read(settled);
  await bench.must(eventAbout('withdrawal.settled', settled, Date.now()));
  await bench.must(eventAbout('withdrawal.failed', failed, Date.now()));
  const states = {
    settled: await observer.changed(none, settled),
    failed: await observer.changed(none, failed),
  };
  const isBlind = [none, states.failed].some(
    (state) => observer.differences(state, states.settled).length === 0,
  );
  return { ...states, isBlind };
}

const BLIND =
  'The probe prints the same for a withdrawal that settled, one that failed, or one that is unknown. If the application makes no withdrawals, add --without withdrawals.';

const returned = observed(async (bench, twins) => {
  const sent = 'the withdrawal.settled of a withdrawal, then its withdrawal.failed';
  const { isBlind, failed } = await withdrawalStates(bench, twins);
  if (isBlind) return { outcome: 'unknown', sent: '', got: '', reason: BLIND };
  const withdrawal = bench.kit.orders.withdrawal();
  await bench.must(eventAbout('withdrawal.settled', withdrawal, Date.now() - LATE_MS));
  const { answer, before, after } = await then(bench, twins, withdrawal, 'withdrawal.failed');
  const isReturned = wasMoved(twins, { before, after, wanted: failed });
  const got = changeText(twins.observer, before, after, answer);
  return { outcome: isAccepted(answer) && isReturned ? 'holds' : 'fails', sent, got };
});

const returnedLate = observed(async (bench, twins) => {
  const sent = 'the withdrawal.failed of a withdrawal, then its withdrawal.settled';
  const { isBlind, settled: back } = await withdrawalStates(bench, twins);
  if (isBlind) return { outcome: 'unknown', sent: '', got: '', reason: BLIND };
  const withdrawal = bench.kit.orders.withdrawal();
  await bench.must(eventAbout('withdrawal.failed', withdrawal, Date.now()));
  const { answer, before, after } = await then(bench, twins, withdrawal, 'withdrawal.settled', LATE_MS);
  const isBack = wentBack(twins, { before, after, back });
  const got = changeText(twins.observer, before, after, answer);
  return { outcome: isAccepted(answer) && !isBack ? 'holds' : 'fails', sent, got };
});

const beforeResponse = observed(async (bench, twins) => {
  const sent = 'the pix.settled of a charge, before the answer to the call that created it';
  const { charge, answer } = await eventBeforeResponse(bench);
  const differences = await twins.observer.awaitNone(charge, (state) => unlikePaid(twins, state));
  const got = differences.length === 0 ? '' : `; unlike a paid order: ${differencesText(differences)}`;
  return {
    outcome: isAccepted(answer) && differences.length === 0 ? 'holds' : 'fails',
    sent,
    got: answerText(answer) + got,
  };
});

const mix = observed(async (bench, twins): Promise<Finding> => {
  const sent = `the pix.settled of ${ORDERS} orders at once`;
  const charges = await overlapping(AT_ONCE, Array.from({ length: ORDERS }), () => bench.charge());
  const { lanes } = bench.kit;
  const atOnce = lanes < AT_ONCE ? lanes : ORDERS;
  const answers = await overlapping(atOnce, charges, async (charge) => (await bench.settled(charge)).answer);
  await bench.drained(ORDERS);
  const found = await Promise.all(
    charges.map((charge) => twins.observer.awaitNone(charge, (state) => unlikePaid(twins, state))),
  );
  const wrong = found.filter((differences) => differences.length > 0);
  const got =
    wrong.length === 0
      ? ''
      : `; ${wrong.length} of ${ORDERS} unlike a paid order: ${differencesText(wrong[0] ?? [])}`;
  return { outcome: wrong.length === 0 ? 'holds' : 'fails', sent, got: answersText(answers) + got };
});

export const ORDER: Readonly<Record<string, Plan>> = {
  'new.same-charge': sameCharge,
  'order.expired-late': expiredLate,
  'order.returned': returned,
  'order.returned-late': returnedLate,
  'order.before-response': beforeResponse,
  'mix.orders': mix,
};
