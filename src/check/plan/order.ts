import type { EventType } from '../../contract/events.js';
import type { State } from '../probe/state.js';
import { differencesText } from '../probe/state.js';
import type { Observer } from '../probe/observer.js';
import type { Finding } from '../judge.js';
import type { Answer } from '../check.js';
import type { Bench, Twins } from './bench.js';
import { answersText, answerText, isAccepted } from './bench.js';
import { observed } from './duplicates.js';
import type { Paid } from './events.js';
import { eventAbout } from './events.js';
import { eventBeforeResponse } from './event-first.js';
import { overlapping } from './lanes.js';
import type { Plan } from './variants.js';

const ORDERS = 20;
const AT_ONCE = 8;
const NO_VALUE = new Set(['null', 'false', '""', '{}', '']);

function hasValue(value: string | null): boolean {
  return value !== null && !NO_VALUE.has(value);
}

/**
 * Whether a state went back from `before`. A place counts that has one value before and another in `back`, the state to which it would
 * go, so that a note of a late event changes nothing; where there is no such place, it went back if it is like `back`.
 */
export function wentBack(
  observer: Observer,
  { before, after, back }: Record<'before' | 'after' | 'back', State>,
): boolean {
  const decisive = observer
    .differences(before, back)
    .filter(({ from, to }) => hasValue(from) && hasValue(to));
  const changed = new Set(observer.differences(before, after).map(({ place }) => place));
  if (decisive.length > 0) return decisive.some(({ place }) => changed.has(place));
  return changed.size > 0 && observer.differences(after, back).length === 0;
}

/** What changes its resource whatever came before, so that a late effect is awaited. */
const LAST_WORDS: ReadonlySet<EventType> = new Set(['pix.settled', 'withdrawal.failed']);

/** Delivers a later event of the same resource, and returns the states before and after. */
async function then(bench: Bench, { observer }: Twins, about: Paid, type: EventType) {
  const before = await observer.settled(about);
  const { answer } = await bench.deliver(eventAbout(type, about, Date.now()));
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
  await bench.must(eventAbout('pix.expired', charge, Date.now()));
  await bench.kit.orders.settle(charge);
  const { answer, before, after } = await then(bench, twins, charge, 'pix.settled');
  const isChanged = observer.differences(before, after).length > 0;
  return {
    outcome: isAccepted(answer) && isChanged ? 'holds' : 'fails',
    sent,
    got: changeText(observer, before, after, answer),
  };
});

const expiredLate = observed(async (bench, twins) => {
  const { charge } = await bench.paid();
  const { answer, before, after } = await then(bench, twins, charge, 'pix.expired');
  const isBack = wentBack(twins.observer, { before, after, back: twins.unpaid });
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
  'The probe prints the same for a withdrawal that settled, one that failed, or one that is unknown.';

const returned = observed(async (bench, twins) => {
  const sent = 'the withdrawal.settled of a withdrawal, then its withdrawal.failed';
  const { isBlind } = await withdrawalStates(bench, twins);
  if (isBlind) return { outcome: 'unknown', sent: '', got: '', reason: BLIND };
  const withdrawal = bench.kit.orders.withdrawal();
  await bench.must(eventAbout('withdrawal.settled', withdrawal, Date.now()));
  const { answer, before, after } = await then(bench, twins, withdrawal, 'withdrawal.failed');
  const isChanged = twins.observer.differences(before, after).length > 0;
  const got = changeText(twins.observer, before, after, answer);
  return { outcome: isAccepted(answer) && isChanged ? 'holds' : 'fails', sent, got };
});

const returnedLate = observed(async (bench, twins) => {
  const sent = 'the withdrawal.failed of a withdrawal, then its withdrawal.settled';
  const { isBlind, settled: back } = await withdrawalStates(bench, twins);
  if (isBlind) return { outcome: 'unknown', sent: '', got: '', reason: BLIND };
  const withdrawal = bench.kit.orders.withdrawal();
  await bench.must(eventAbout('withdrawal.failed', withdrawal, Date.now()));
  const { answer, before, after } = await then(bench, twins, withdrawal, 'withdrawal.settled');
  const isBack = wentBack(twins.observer, { before, after, back });
  const got = changeText(twins.observer, before, after, answer);
  return { outcome: isAccepted(answer) && !isBack ? 'holds' : 'fails', sent, got };
});

const beforeResponse = observed(async (bench, { observer, paid }) => {
  const sent = 'the pix.settled of a charge, before the answer to the call that created it';
  const { charge, answer } = await eventBeforeResponse(bench);
  const differences = await observer.differencesFrom(paid, charge);
  const got = differences.length === 0 ? '' : `; unlike a paid order: ${differencesText(differences)}`;
  return {
    outcome: isAccepted(answer) && differences.length === 0 ? 'holds' : 'fails',
    sent,
    got: answerText(answer) + got,
  };
});

const mix = observed(async (bench, { observer, paid }): Promise<Finding> => {
  const sent = `the pix.settled of ${ORDERS} orders at once`;
  const charges = await overlapping(AT_ONCE, Array.from({ length: ORDERS }), () => bench.charge());
  const answers = await Promise.all(charges.map(async (charge) => (await bench.settled(charge)).answer));
  const found = await overlapping(AT_ONCE, charges, (charge) => observer.differencesFrom(paid, charge));
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
