import { expect, test } from 'vitest';
import { advice, missingNeeds, missingOf, scopeOf } from '../../src/check/catalogue.js';
import { CATALOGUE } from '../../src/check/catalogue.js';
import type { CheckOptions } from '../../src/check/check.js';
import { chosen } from '../../src/check/catalogue.js';

const probe = () => Promise.resolve('');
const order = () => Promise.resolve();
const sandbox: CheckOptions['sandbox'] = { control: {} as never, settles: true };

test('the scope covers effects only with a probe, and an order in a sandbox', () => {
  const scopes = [{}, { probe }, { order, sandbox }, { probe, order }, { probe, order, sandbox }].map(
    scopeOf,
  );
  expect(scopes).toEqual(['wire', 'wire', 'wire', 'wire', 'effects']);
});

test('a check needs a restart or an amount only where the options lack it', () => {
  const needs = ['probe', 'restart', 'amount'] as const;
  expect(missingNeeds({ needs }, { probe, order, sandbox })).toEqual(['restart', 'amount']);
  expect(missingNeeds({ needs }, { probe, order, sandbox, takesAmount: true, restart: order })).toEqual([]);
  // Without an order command there is nothing to take an amount.
  expect(missingNeeds({ needs }, { probe, takesAmount: true, restart: order })).toEqual(['amount']);
});

test('the advice names probe and order first, because the rest needs them, too', () => {
  expect(advice(missingOf(CATALOGUE, {}))).toBe('add --probe and --order');
  expect(advice(missingOf(CATALOGUE, { probe }))).toBe('add --order');
  expect(advice(missingOf(CATALOGUE, { probe, order, sandbox, takesAmount: true }))).toBe('add --restart');
  expect(advice(['restart', 'amount'])).toBe('add --restart and {amount} to --order');
});

test('an application without withdrawals is not checked for them', () => {
  const all = chosen({}).map(({ id }) => id);
  const left = new Set(chosen({ without: ['withdrawals'] }).map(({ id }) => id));
  expect(all.filter((id) => !left.has(id))).toEqual(['order.returned', 'order.returned-late']);
});
