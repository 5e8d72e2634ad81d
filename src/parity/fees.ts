import { formatAmount } from '../contract/money.js';
import type { Notes } from './facts.js';

/** The fees of a charge; all values in cents. */
interface FeeSample {
  readonly amount: number;
  readonly provider: number;
  readonly partner: number;
}

const NOTE = /^fee (\d+)$/;
/** Its fee is the maximum. */
export const LARGE_AMOUNT = 99_999_999;
/** Amounts of the first charges: a common one, one above every maximum, and one below every minimum. */
const FIRST_AMOUNTS = [10_000, LARGE_AMOUNT, 100];
/** Keeps the last amount below the maximum fee, so that the rate decides its fee. */
const BELOW_MAX = 0.98;
const PERCENT_DECIMALS = 4;
/** A rate with at most this many decimals is assumed to be exact if it is the only one that fits. */
const COMMON_DECIMALS = 2;

/** Parses an amount in any format, as long as it has no fraction of a cent. */
export function readCents(value: unknown): number | undefined {
  if (typeof value !== 'number' && (typeof value !== 'string' || value === '')) return undefined;
  const exact = Number(value) * 100;
  const cents = Math.round(exact);
  return Number.isSafeInteger(cents) && cents >= 0 && Math.abs(exact - cents) < 1e-3 ? cents : undefined;
}

/** Creates a note for the fees of a charge. */
export function noteFees({ amount, provider, partner }: FeeSample): readonly [name: string, value: string] {
  return [`fee ${amount}`, `${provider} ${partner}`];
}

function readSamples(notes: Notes): readonly FeeSample[] {
  return Object.entries(notes)
    .flatMap(([name, value = '']) => {
      const amount = NOTE.exec(name)?.[1];
      if (amount === undefined) return [];
      const [provider = 0, partner = 0] = value.split(' ').map(Number);
      return [{ amount: Number(amount), provider, partner }];
    })
    .sort((one, other) => one.amount - other.amount);
}

/** Fee rules that fit all samples. Undefined values do not follow from the samples. */
interface FeeRules {
  readonly rate?: string | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly partner?: string | undefined;
  /** Reasons for the undefined values. */
  readonly reasons: Readonly<Record<string, string>>;
}

/** Range of percentages. */
type Range = readonly [low: number, high: number];

/**
 * Infers the provider fee (a percentage between a minimum and a maximum, at most the amount) and the partner
 * fee from the fees of a few charges.
 */
export function inferFees(notes: Notes): FeeRules {
  const samples = readSamples(notes);
  const [smallest] = samples;
  const largest = samples.at(-1);
  if (smallest === undefined || largest === undefined) return { reasons: {} };
  const between = samples.filter(
    ({ provider }) => provider > smallest.provider && provider < largest.provider,
  );
  const reasons: Record<string, string> = {};
  let range = rangeOf(between, 'provider');
  // Without a minimum or maximum in effect, the outermost fees also follow the rate.
  if (range !== undefined && fits(largest, range)) range = rangeOf([...between, largest], 'provider');
  const rate = range && simplestPercent(range);
  if (rate === undefined) {
    reasons['fee.provider_rate'] =
      range === undefined
        ? 'Every fee equals the minimum or the maximum.'
        : `It is between ${range.map((value) => value.toFixed(PERCENT_DECIMALS)).join(' and ')}.`;
  }
  const max = range !== undefined && !fits(largest, range) ? largest.provider : undefined;
  if (max === undefined) reasons['fee.provider_max'] = `It is ${formatAmount(largest.provider)} or more.`;
  const min = minimumOf(samples, range);
  if (min === undefined)
    reasons['fee.provider_min'] = `The fee of ${formatAmount(smallest.amount)} does not show it.`;
  const partner =
    largest.partner === 0 ? undefined : simplestPercent(rangeOf([largest], 'partner') ?? [0, 0]);
  return { rate, min, max, partner, reasons };
}

/** Returns the smallest fee that is above the rate and below the amount. */
function minimumOf(samples: readonly FeeSample[], range: Range | undefined): number | undefined {
  return samples.find(
    (sample) =>
      range !== undefined &&
      !fits(sample, range) &&
      sample.provider < sample.amount &&
      exceeds(sample, range),
  )?.provider;
}

function exceeds({ amount, provider }: FeeSample, [, high]: Range): boolean {
  return provider > Math.floor((amount * high) / 100 + 0.5);
}

function fits({ amount, provider }: FeeSample, [low, high]: Range): boolean {
  return (
    provider >= Math.floor((amount * low) / 100 + 0.5) && provider <= Math.floor((amount * high) / 100 + 0.5)
  );
}

/** Intersects the percentages that explain each fee, rounded half up. */
function rangeOf(samples: readonly FeeSample[], fee: 'provider' | 'partner'): Range | undefined {
  if (samples.length === 0) return undefined;
  const step = 10 ** -PERCENT_DECIMALS;
  const low = Math.max(...samples.map((sample) => ((sample[fee] - 0.5) * 100) / sample.amount));
  const high = Math.min(...samples.map((sample) => ((sample[fee] + 0.5) * 100) / sample.amount));
  return [Math.max(low, 0), Math.max(high - step / 1000, 0)];
}

/** Returns the only percentage with up to four decimals in a range, or its shortest one with up to two. */
function simplestPercent([low, high]: Range): string | undefined {
  for (let decimals = 0; decimals <= PERCENT_DECIMALS; decimals += 1) {
    const scale = 10 ** decimals;
    const first = Math.ceil(low * scale - 1e-9);
    const last = Math.floor(high * scale + 1e-9);
    if (first > last) continue;
    return decimals <= COMMON_DECIMALS || first === last
      ? String(Number((first / scale).toFixed(decimals)))
      : undefined;
  }
  return undefined;
}

/** Returns the amount, in cents, of the next charge that narrows the fee rules, or undefined. */
export function nextFeeAmount(notes: Notes): number | undefined {
  const samples = readSamples(notes);
  const first = FIRST_AMOUNTS.find(
    (amount) =>
      !samples.some((sample) => sample.amount === amount) && notes[`refused ${amount}`] === undefined,
  );
  if (first !== undefined) return first;
  const [smallest] = samples;
  const largest = samples.at(-1);
  if (smallest === undefined || largest === undefined || smallest.provider === largest.provider)
    return undefined;
  const between = samples.filter(
    ({ provider }) => provider > smallest.provider && provider < largest.provider,
  );
  const range = rangeOf(between, 'provider');
  if (range === undefined) {
    const low = samples.findLast(({ provider }) => provider === smallest.provider)?.amount ?? smallest.amount;
    const high = samples.find(({ provider }) => provider === largest.provider)?.amount ?? largest.amount;
    return Math.round(Math.sqrt(low * high));
  }
  if (minimumOf(samples, range) === undefined && smallest.provider === smallest.amount) {
    const [next] = between;
    return next && Math.round(Math.sqrt(smallest.amount * next.amount));
  }
  const [, high] = range;
  const wanted = Math.floor((largest.provider * 100 * BELOW_MAX) / high);
  return wanted > (between.at(-1)?.amount ?? 0) * 2 && !fits(largest, range) ? wanted : undefined;
}
