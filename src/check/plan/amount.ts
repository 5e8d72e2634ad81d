import type { Bench, Plan } from '../bench.js';
import type { Answer } from '../check.js';
import type { Finding } from '../judge.js';
import { OrderError } from '../orders.js';
import { observed } from './duplicates.js';
import { answersText } from '../response.js';
import type { Twins } from '../probe.js';
import { unlikePaid } from '../probe.js';

/** Not in the order of their size, so that numbers that only grow from order to order are no amounts. */
const AMOUNTS = ['10.00', '0.30', '1234.56'];
const SENT = `the pix.settled of orders of ${AMOUNTS.join(', ')}`;
/** A number with or without thousands separators and decimals. */
const NUMBER = /-?\d(?:[\d.,']{0,20}\d)?/;

/** The texts at a place that changed on payment, in the order of the amounts. */
type Column = readonly string[];

/** A paid order: the receiver's response, and the text at each place that changed. */
interface Paid {
  readonly answer: Answer;
  readonly changes: ReadonlyMap<string, string>;
}

/** Compares the numbers that appear on payment with the amounts, as cents or as decimals. */
const amount = observed(async (bench, twins): Promise<Finding> => {
  const paid = await Promise.all(AMOUNTS.map((one) => payFor(bench, twins, one)));
  const got = answersText(paid.map(({ answer }) => answer));
  const places = [...(paid[0]?.changes.keys() ?? [])];
  const columns = new Map<string, Column>(
    places.map((place) => [place, paid.map(({ changes }) => changes.get(place) ?? '')]),
  );
  const candidates = Array.from(columns).filter(([, texts]) => isAmounts(texts));
  if (candidates.some(([, texts]) => isEqual(texts))) return { outcome: 'holds', sent: SENT, got };
  const [found] = candidates;
  if (found === undefined) {
    const reason = 'The probe shows no number that depends on the amount and changes when an order is paid.';
    return { outcome: 'unknown', sent: SENT, got, reason };
  }
  const [place, texts] = found;
  return { outcome: 'fails', sent: SENT, got: `${got}; ${place} ${texts.join(', ')}`.trim() };
});

/** Pays an order of an amount. Throws OrderError where its charge has another. */
async function payFor(bench: Bench, twins: Twins, one: string): Promise<Paid> {
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
function isAmounts(texts: Column): boolean {
  const numbers = texts.map(numberIn);
  if (numbers.some((one) => one === undefined)) return false;
  const values = numbers.map((one) => valueOf(one ?? ''));
  const [medium = 0, least = 0, most = 0] = values;
  return least < medium && medium < most;
}

/** Whether the numbers are the amounts, as decimals or, where none has decimals, as cents. */
function isEqual(texts: Column): boolean {
  const numbers = texts.map((text) => numberIn(text) ?? '');
  const units = numbers.some((one) => decimalsIn(one) !== '') ? [1] : [1, 100];
  return units.some((unit) =>
    numbers.every((one, index) => Math.abs(valueOf(one) / unit - Number(AMOUNTS[index])) < 0.001),
  );
}

export const AMOUNT: Readonly<Record<string, Plan>> = { 'effect.amount': amount };
