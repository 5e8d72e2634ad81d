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
/** Keeps an amount below the maximum fee, so that the rate decides its fee. */
const BELOW_MAX = 0.98;
/** A rate is exact if it is the only one in its range with two decimals, or with four. */
const PERCENT_DECIMALS = [2, 4];
const PERCENT_MAX = 100;
/** Cents above every amount. */
const UNLIMITED = 10 ** 12;

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

/** Possible percentages or cents, inclusive. */
type Range = readonly [low: number, high: number];
type Ranges = Readonly<Record<'rate' | 'min' | 'max', Range>>;

/**
 * Infers the provider fee (a percentage between a minimum and a maximum, at most the amount) and the partner
 * fee from the fees of a few charges.
 */
export function inferFees(notes: Notes): FeeRules {
  const samples = readSamples(notes);
  const explanations = explainFees(samples);
  if (explanations.length === 0) return { reasons: {} };
  const rates = new Set(explanations.map((one) => findPercent(one.rate)));
  const { rate, min, max } = unite(explanations);
  // A partner fee that is the rest of the amount shows no rate.
  const free = samples.findLast(({ amount, provider, partner }) => provider + partner < amount);
  const values = {
    rate: rates.size === 1 ? [...rates][0] : undefined,
    min: min[0] === min[1] ? min[0] : undefined,
    max: max[0] === max[1] ? max[0] : undefined,
    partner: free && free.partner > 0 ? findPercent(rateOf(free.amount, free.partner)) : undefined,
  };
  const entries = [
    ['fee.provider_rate', values.rate, describeRange(rate, PERCENT_MAX, (percent) => percent.toFixed(4))],
    ['fee.provider_min', values.min, describeRange(min, UNLIMITED, formatAmount)],
    ['fee.provider_max', values.max, describeRange(max, UNLIMITED, formatAmount)],
    ['fee.partner_rate', free?.amount, 'Every partner fee is the rest of the amount.'],
  ] as const;
  const unknown = entries.filter(([, value]) => value === undefined);
  return { ...values, reasons: Object.fromEntries(unknown.map(([id, , reason]) => [id, reason])) };
}

/**
 * Returns the fewest settings that make the project’s rules explain the fees, if whole cents do not determine
 * the rules, e.g. because every fee is 0.
 */
export function suggestFees(notes: Notes, current: Notes): Record<string, string> {
  const own = { rate: 'fee.provider_rate', min: 'fee.provider_min', max: 'fee.provider_max' } as const;
  const options = explainFees(readSamples(notes)).map((ranges) =>
    (['rate', 'min', 'max'] as const).flatMap((name) => {
      const [low, high] = ranges[name];
      const wanted = Number(current[own[name]]) * (name === 'rate' ? 1 : 100);
      if (wanted >= low - 1e-9 && wanted <= high + 1e-9) return [];
      const edge = wanted < low ? low : high;
      const percent = findPercent([low, high]) ?? String(Math.ceil(low * 1e4) / 1e4);
      return [[own[name], name === 'rate' ? percent : formatAmount(Math.round(edge))] as const];
    }),
  );
  const [fewest = []] = options.sort((one, other) => one.length - other.length);
  return Object.fromEntries(fewest);
}

function describeRange([low, high]: Range, limit: number, format: (value: number) => string): string {
  if (low <= 0 && high >= limit) return 'The fees of these charges do not show it.';
  if (low <= 0) return `It is ${format(high)} or less.`;
  return `It is ${high >= limit ? `${format(low)} or more` : `between ${format(low)} and ${format(high)}`}.`;
}

/** Returns the percentages of an amount that are rounded half up to a fee. */
function rateOf(amount: number, fee: number): Range {
  const [low, high] = [fee - 0.5, fee + 0.5 - 1e-6].map((value) => (value * 100) / amount) as [
    number,
    number,
  ];
  return [Math.max(low, 0), Math.min(high, PERCENT_MAX)];
}

/**
 * Explains each fee, in order of amounts, by the amount itself, the minimum, the rate or the maximum. Returns
 * the rules of all consistent explanations.
 */
function explainFees(samples: readonly FeeSample[]): readonly Ranges[] {
  const found: Ranges[] = [];
  for (let first = 0; first <= samples.length; first += 1) {
    for (let second = first; second <= samples.length; second += 1) {
      for (let third = second; third <= samples.length; third += 1) {
        const ranges = explainBy(
          samples.slice(0, first),
          samples.slice(first, second),
          samples.slice(second, third),
          samples.slice(third),
        );
        if (ranges !== undefined) found.push(ranges);
      }
    }
  }
  return samples.length === 0 ? [] : found;
}

type Samples = readonly FeeSample[];

function explainBy(whole: Samples, least: Samples, rated: Samples, most: Samples): Ranges | undefined {
  if (whole.some(({ amount, provider }) => amount !== provider)) return undefined;
  const feesOf = (samples: Samples) => samples.map(({ provider }) => provider);
  const all = [...whole, ...least, ...rated, ...most];
  const largest = Math.max(0, ...feesOf(all));
  const min: Range = [
    Math.max(0, ...feesOf([...whole, ...least])),
    Math.min(UNLIMITED, ...feesOf([...least, ...rated]), ...(rated.length > 0 ? feesOf(most) : [])),
  ];
  const max: Range = [largest, Math.min(UNLIMITED, ...feesOf(most))];
  // Without another fee, the minimum can be as large as the maximum, so that the rate has no effect.
  const hasNoRate = rated.length === 0 && (least.length === 0 || min[0] === max[1]);
  const rates = [
    ...rated.map(({ amount, provider }) => rateOf(amount, provider)),
    ...least.map(({ amount, provider }): Range => [0, rateOf(amount, provider)[1]]),
    ...most.map(({ amount, provider }): Range => [rateOf(amount, provider)[0], PERCENT_MAX]),
  ];
  const rate: Range = hasNoRate
    ? [0, PERCENT_MAX]
    : [Math.max(0, ...rates.map(([low]) => low)), Math.min(PERCENT_MAX, ...rates.map(([, high]) => high))];
  return [min, max, rate].every(([low, high]) => low <= high) ? { rate, min, max } : undefined;
}

function unite(all: readonly Ranges[]): Ranges {
  const range = (name: keyof Ranges): Range => [
    Math.min(...all.map((one) => one[name][0])),
    Math.max(...all.map((one) => one[name][1])),
  ];
  return { rate: range('rate'), min: range('min'), max: range('max') };
}

/** Returns the only percentage in a range with two decimals, or else with four. */
function findPercent([low, high]: Range): string | undefined {
  for (const decimals of PERCENT_DECIMALS) {
    const scale = 10 ** decimals;
    const [first, last] = [Math.ceil(low * scale - 1e-9), Math.floor(high * scale)];
    if (first === last) return String(first / scale);
    if (first < last) return undefined;
  }
  return undefined;
}

/** Returns the amount, in cents, of the next charge that narrows the fee rules, or undefined. */
export function nextFeeAmount(notes: Notes): number | undefined {
  const samples = readSamples(notes);
  const isNew = (amount: number) =>
    !samples.some((sample) => sample.amount === amount) && notes[`refused ${amount}`] === undefined;
  const first = FIRST_AMOUNTS.find(isNew);
  const explanations = explainFees(samples);
  if (first !== undefined || explanations.length === 0) return first;
  const { rate, min, max } = unite(explanations);
  const isKnown = inferFees(notes).rate !== undefined;
  // The minimum shows in an amount as large as its upper limit.
  if (isKnown && min[0] > 0 && min[0] < min[1] && isNew(min[1])) return min[1];
  const next = Math.floor((max[0] * PERCENT_MAX * BELOW_MAX) / rate[1]);
  const narrows = !isKnown || ((rate[1] - rate[0]) * next) / PERCENT_MAX > 1.5;
  return narrows && next > 0 && next < UNLIMITED && isNew(next) ? next : undefined;
}
