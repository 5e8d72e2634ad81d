import { expect, test } from 'vitest';
import { computePercent } from '../../src/contract/money.js';
import { suggestFees, inferFees, nextFeeAmount, noteFees } from '../../src/parity/fees.js';
import { type Chance, chanceOf } from '../helpers/random.js';

interface Rule {
  readonly rate: string;
  readonly min: number;
  readonly max: number;
  readonly partner: string;
}
const MAX_SAMPLES = 5;
const NO_MAX = 9_999_999_999;
const HIDDEN = 'The fees of these charges do not show it.';

/** The fees of the sandbox (§2.1). */
function feesOf(amount: number, { rate, min, max, partner }: Rule) {
  const provider = Math.min(Math.max(computePercent(amount, rate), min), max, amount);
  return { amount, provider, partner: Math.min(computePercent(amount, partner), amount - provider) };
}
function sampleFees(rule: Rule) {
  const notes: Record<string, string> = {};
  const samples: ReturnType<typeof feesOf>[] = [];
  for (
    let next = nextFeeAmount(notes);
    next !== undefined && samples.length < MAX_SAMPLES;
    next = nextFeeAmount(notes)
  ) {
    const sample = feesOf(next, rule);
    samples.push(sample);
    const [name, value] = noteFees(sample);
    notes[name] = value;
  }
  return { samples, notes, inferred: inferFees(notes) };
}

function drawRule(chance: Chance, decimals: number): Rule {
  const draw = (limits: readonly number[]) => chance() * (limits[Math.floor(chance() * limits.length)] ?? 0);
  const percent = () => String(Number(draw([0, 1, 5, 5, 5, 100]).toFixed(decimals)));
  const min = Math.floor(draw([0, 1, 100, 200, 500]));
  const max = Math.floor(draw([100, 1_000, 100_000])) + (chance() < 0.8 ? min : 0);
  return { rate: percent(), min, max: chance() < 0.3 ? NO_MAX : max, partner: percent() };
}

/** Returns true if a range in a reason contains the real value. */
function contains(reason: string | undefined, real: number): boolean {
  const [, low = '', high = '', single = '', word = ''] =
    /^It is (?:between (\S+) and (\S+)|(\S+) or (more|less))\.$/.exec(reason ?? '') ?? [];
  if (word === 'more') return real >= Number(single);
  if (word === 'less') return real <= Number(single);
  if (low !== '') return real > Number(low) - 1e-4 && real < Number(high) + 1e-4;
  return reason === HIDDEN;
}

/** Lists wrong values and reasons, and fees that the inferred rules do not reproduce. */
function listProblems(rule: Rule, isCommon: boolean): string[] {
  const { samples, inferred } = sampleFees(rule);
  const { rate, min, max, partner, reasons } = inferred;
  const found = { rate, min, max, partner };
  const wrong = Object.entries(found).flatMap(([name, value]) => {
    const real = rule[name as keyof Rule];
    const isRate = typeof real === 'string';
    if (value !== undefined) return value === real || (isRate && !isCommon) ? [] : `${name} is ${value}`;
    const reason = reasons[`fee.${name === 'partner' ? 'partner_rate' : `provider_${name}`}`];
    if (name === 'partner')
      return (reason === undefined) === (real === '0') || samples.every(({ partner }) => partner < 1)
        ? []
        : `partner: ${reason}`;
    return contains(reason, isRate ? Number(real) : real / 100) ? [] : `${name}: ${reason}`;
  });
  const same = {
    rate: rate ?? rule.rate,
    min: min ?? rule.min,
    max: max ?? rule.max,
    partner: partner ?? rule.partner,
  };
  const missed = samples.filter((one) => {
    const again = feesOf(one.amount, same);
    return again.provider !== one.provider || again.partner !== one.partner;
  });
  return [
    ...wrong,
    ...missed.map((one) => `not reproduced: ${JSON.stringify(one)}`),
    ...(samples.length > MAX_SAMPLES ? ['too many'] : []),
  ];
}

test.for([0, 1, 2, 3, 4])(
  'infers the fees of random rules with rates of %i decimals, or a range that contains them',
  (decimals) => {
    const seed = Math.trunc(Math.random() * 2 ** 31);
    const chance = chanceOf(seed);
    for (let run = 0; run < 300; run += 1) {
      const rule = drawRule(chance, decimals);
      const problems = listProblems(rule, decimals <= 2);
      expect({ seed, rule, problems }).toEqual({ seed, rule, problems: [] });
    }
  },
);

const COMMON: readonly (readonly [rate: string, min: number, max: number, partner: string])[] = [
  ['0.8', 50, 500, '0.25'],
  ['0.99', 10, 1_000, '0.1'],
  ['1.19', 100, 990, '0.5'],
  ['0.89', 45, 499, '1'],
  ['1.45', 60, 2_500, '2.5'],
  ['0.5', 100, 500, '0.0001'],
  ['2', 150, 10_000, '3.99'],
  ['0.35', 25, 150, '0.4'],
];

test.for(COMMON)(
  'infers common fees completely: a rate of %s, from %i to %i cents, and a partner rate of %s',
  ([rate, min, max, partner]) => {
    const { samples, inferred } = sampleFees({ rate, min, max, partner });
    expect(inferred).toEqual({ rate, min, max, partner, reasons: {} });
    expect(samples.length).toBeLessThanOrEqual(MAX_SAMPLES);
  },
);

const LIMITED = [
  [{ rate: '0', min: 0, max: 0, partner: '0' }, HIDDEN, HIDDEN, HIDDEN],
  [{ rate: '0.8', min: 0, max: 500, partner: '0' }, undefined, 'It is 0.01 or less.', undefined],
  [{ rate: '0.8', min: 50, max: NO_MAX, partner: '0' }, undefined, undefined, 'It is 8000.00 or more.'],
  [{ rate: '0.8', min: 500, max: 500, partner: '0' }, HIDDEN, HIDDEN, 'It is 5.00 or more.'],
] as const;

test.for(LIMITED)('states what is known of fees that are not in effect: %o', ([rule, rate, min, max]) => {
  const { reasons } = sampleFees(rule).inferred;
  expect(reasons['fee.provider_rate']).toBe(rate);
  expect(reasons['fee.provider_min']).toBe(min);
  expect(reasons['fee.provider_max']).toBe(max);
});

test('a partner fee that is the rest of the amount shows no rate', () => {
  const { inferred } = sampleFees({ rate: '0.8', min: 50, max: 500, partner: '100' });
  expect(inferred.partner).toBeUndefined();
  expect(inferred.reasons['fee.partner_rate']).toBe('Every partner fee is the rest of the amount.');
});

const OWN = { 'fee.provider_rate': '0.8', 'fee.provider_min': '0.50', 'fee.provider_max': '5.00' };
const SUGGESTED = [
  [{ rate: '0', min: 0, max: 0, partner: '0' }, { 'fee.provider_max': '0.00' }],
  [{ rate: '0.8', min: 50, max: NO_MAX, partner: '0' }, { 'fee.provider_max': '8000.00' }],
  [{ rate: '0.8', min: 50, max: 500, partner: '0' }, {}],
] as const;

test.for(SUGGESTED)('suggests the fewest settings that explain the fees: %o', ([rule, wanted]) => {
  const { notes } = sampleFees(rule);
  expect(suggestFees(notes, OWN)).toEqual(wanted);
});

test('asks for no more charges than are refused', () => {
  const notes: Record<string, string> = {};
  for (let count = 0; count < 3; count += 1) notes[`refused ${nextFeeAmount(notes)}`] = 'yes';
  expect(nextFeeAmount(notes)).toBeUndefined();
  expect(inferFees(notes)).toEqual({ reasons: {} });
});

test('a rate whose fee would be rounded up is outside the range', () => {
  expect(listProblems({ rate: '4.9976', min: 406, max: 977, partner: '0' }, false)).toEqual([]);
});
