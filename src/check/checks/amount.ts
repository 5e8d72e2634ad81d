import { mapConcurrently } from '../../delivery/abort.js';
import type { CheckContext, CheckPlan } from '../bench.js';
import { OrderError } from '../orders.js';
import { diffFromPaidState } from '../probe.js';
import { formatResponses } from '../receiver-response.js';

/** The amounts are not ascending, so that sequence numbers cannot pass as amounts. */
const AMOUNTS = ['10.00', '0.30', '1234.56'];
const NUMBER = /-?\d(?:[\d.,']{0,20}\d)?/;

/** Checks that the probe shows the paid amounts, in cents or as decimals. */
export const compareAmounts: CheckPlan = async (context) => {
  // Pay sequentially, so that a variable shared between requests cannot mix up the amounts.
  const paid = await mapConcurrently(1, AMOUNTS, (one) => payFor(context, one));
  const got = formatResponses(paid.map(({ response }) => response));
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

/** Pays an order. Returns the response and changed values. Rejects with OrderError for another amount. */
async function payFor(context: CheckContext, one: string) {
  const { twins } = context;
  const { observer } = twins;
  const charge = await context.charge(one);
  const { amount: charged } = charge.resource;
  if (charged !== one)
    throw new OrderError(
      `The order command created a charge of ${charged} instead of ${one}. Pass {amount} to the application.`,
    );
  const before = await observer.stable(charge);
  const { response } = await context.settled(charge);
  const ofAmounts = new Set(observer.differences(twins.unpaid, before).map(({ place }) => place));
  await observer.awaitNone(charge, (state) =>
    diffFromPaidState(twins, state).filter(
      ({ place, to }) => !ofAmounts.has(place) && (before.get(place) ?? null) === to,
    ),
  );
  const after = await observer.read(charge);
  const changes = observer.differences(before, after).map(({ place, to }) => [place, to ?? ''] as const);
  return { response, changes: new Map(changes) };
}

function numberIn(text: string): string {
  return NUMBER.exec(text)?.[0] ?? '';
}

/** Parses a number. The last separator starts the decimals, unless three digits follow, as in 1,234. */
function valueOf(text: string): number {
  const decimals = decimalsIn(text);
  const whole = text.slice(0, text.length - decimals.length);
  return Number(`${whole.replaceAll(/[^\d-]/g, '')}.${decimals}`);
}

function decimalsIn(text: string): string {
  const [, whole = '', decimals = ''] = /^(.*)[.,](\d+)$/.exec(text) ?? [];
  return decimals.length === 3 && /[1-9]/.test(whole) ? '' : decimals;
}

function isRankedLikeAmounts(texts: readonly string[]): boolean {
  const [medium = Number.NaN, min = 0, max = 0] = texts.map((text) => valueOf(numberIn(text)));
  return min < medium && medium < max;
}

function isAmounts(texts: readonly string[]): boolean {
  const numbers = texts.map(numberIn);
  const units = numbers.some((one) => decimalsIn(one) !== '') ? [1] : [1, 100];
  return units.some((unit) =>
    numbers.every((one, index) => Math.abs(valueOf(one) / unit - Number(AMOUNTS[index])) < 0.001),
  );
}
