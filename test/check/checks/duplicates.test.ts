import { describe, expect, test } from 'vitest';
import type { CheckOptions } from '../../../src/check/check.js';
import { runChecks } from '../../../src/check/engine.js';
import { Stage } from '../../helpers/check/receivers/stage.js';

/** The finding on a shop whose probe shows an amount in this way once it is paid. */
async function findingOf(show: (amount: string) => unknown) {
  await using stage = await Stage.open();
  const options = stage.checkOptions(stage.shop());
  const probe: CheckOptions['probe'] = async (subject, signal) => {
    const { status, paid } = JSON.parse((await options.probe?.(subject, signal)) ?? '') as Record<
      string,
      string
    >;
    return JSON.stringify({ status, sum: typeof paid === 'string' ? show(paid) : null });
  };
  const report = await runChecks({ ...options, probe, only: ['effect.amount'] });
  return report.checks.find(({ id }) => id === 'effect.amount');
}

describe.concurrent('the amount of a payment', () => {
  test.for<[string, (amount: string) => unknown]>([
    ['a decimal', (amount) => amount],
    ['a number', (amount) => Number(amount)],
    ['cents', (amount) => Math.round(Number(amount) * 100)],
    [
      'a price in reais',
      (amount) => `R$ ${Number(amount).toLocaleString('de-DE', { minimumFractionDigits: 2 })}`,
    ],
    ['a price with a comma for thousands', (amount) => Number(amount).toLocaleString('en-US')],
  ])('passes as %s', async ([, show]) => {
    expect(await findingOf(show)).toMatchObject({ verdict: 'pass' });
  });

  test.for<[string, (amount: string) => unknown, string]>([
    [
      'multiplied by 100',
      (amount) => `${amount.replace('.', '')}.00`,
      'sum "1000.00", "030.00", "123456.00"',
    ],
    ['truncated', (amount) => Math.trunc(Number(amount)) * 100, 'sum 1000, 0, 123400'],
  ])('fails %s', async ([, show, got]) => {
    expect(await findingOf(show)).toMatchObject({ verdict: 'fail', got: expect.stringContaining(got) });
  });

  test.for<[string, (amount: string) => unknown]>([
    ['if the probe shows no number', () => 'paid'],
    [
      'if its number is that of a receipt',
      (() => {
        const receipts = new Set<string>();
        return (amount) => [...receipts.add(amount)].indexOf(amount) + 1;
      })(),
    ],
  ])('the amount of a payment is not observed %s', async ([, show]) => {
    expect(await findingOf(show)).toMatchObject({ verdict: 'unknown' });
  });
});
