import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  describeMissingRequirements,
  CHECK_CATALOG,
  resolveCheckIds,
  selectChecks,
  findMissingRequirements,
  collectMissingRequirements,
  resolveScope,
} from '../../src/check/catalog.js';
import type { CheckOptions } from '../../src/check/check.js';
import { getContractLink } from '../../src/check/judge.js';

const CONTRACT = readFileSync(new URL('../../INTERFACE.md', import.meta.url), 'utf8');
const IDS = CHECK_CATALOG.map(({ id }) => id);

/** The lines of a section of the contract by its number, such as `5.5`, which is the fifth entry of section 5. */
function sectionOf(number: string): string | undefined {
  const [section = '', part] = number.split('.');
  const text = CONTRACT.split(/^## /m).find((one) => one.startsWith(`${section}. `));
  if (part === undefined) return text;
  return text?.split('\n').find((line) => line.startsWith(`${part}. `) || line.startsWith(`### ${number} `));
}

/** Found by the run itself, on the way. */
const WITHOUT_PLAN = ['effect.paid', 'dup.type', 'answer.load', 'answer.alive'];

test('every check has a plan', () => {
  expect(new Set(IDS).size).toBe(IDS.length);
  expect(CHECK_CATALOG.filter(({ plan }) => plan === undefined).map(({ id }) => id)).toEqual(WITHOUT_PLAN);
  expect(CHECK_CATALOG.filter(({ level }) => level === 'must')).toHaveLength(34);
});

/** Whether a clause of the contract exists, or is an address. */
function isWritten(clause: string): boolean {
  const [, section, rule = ''] = /^§([\d.]+)(?: rule (\d))?$/.exec(clause) ?? [];
  if (section === undefined) return getContractLink(clause).startsWith('https:');
  return sectionOf(section)?.includes(rule === '' ? '' : `\n${rule}. `) === true;
}

test('checks name existing clauses, and their gates are checks', () => {
  expect(CHECK_CATALOG.filter(({ clause }) => !isWritten(clause))).toEqual([]);
  expect(['§5.9', '§6 rule 9', '§12', 'RFC 1'].filter(isWritten)).toEqual([]);
  for (const { id, gates = {} } of CHECK_CATALOG) {
    expect(IDS.filter((one) => one !== id)).toEqual(expect.arrayContaining(Object.keys(gates)));
  }
});

test('selects checks by id, by group and by pattern', () => {
  expect([...resolveCheckIds(['time', 'refuse.prefix'])]).toEqual([
    'time.limit',
    'time.advice',
    'refuse.prefix',
  ]);
  expect([...resolveCheckIds(['*.large'])]).toEqual(['accept.large']);
  expect(() => resolveCheckIds(['accept.lage'])).toThrow('Did you mean accept.large?');
});

const probe = () => Promise.resolve('');
const order = () => Promise.resolve();
const sandbox: CheckOptions['sandbox'] = { control: {} as never, settles: true };

test('covers effects only with a probe, and an order in a sandbox', () => {
  const scopes = [{}, { probe }, { order, sandbox }, { probe, order }, { probe, order, sandbox }].map(
    resolveScope,
  );
  expect(scopes).toEqual(['wire', 'wire', 'wire', 'wire', 'effects']);
});

test('requires a restart or an amount only if the options lack it', () => {
  const needs = ['probe', 'restart', 'amount'] as const;
  expect(findMissingRequirements({ needs }, { probe, order, sandbox })).toEqual(['restart', 'amount']);
  expect(
    findMissingRequirements({ needs }, { probe, order, sandbox, takesAmount: true, restart: order }),
  ).toEqual([]);
  // Without an order command there is nothing to take an amount.
  expect(findMissingRequirements({ needs }, { probe, takesAmount: true, restart: order })).toEqual([
    'amount',
  ]);
});

test('names probe and order first, because the other options need them', () => {
  expect(describeMissingRequirements(collectMissingRequirements(CHECK_CATALOG, {}))).toBe(
    'add --probe and --order',
  );
  expect(describeMissingRequirements(collectMissingRequirements(CHECK_CATALOG, { probe }))).toBe(
    'add --order',
  );
  expect(
    describeMissingRequirements(
      collectMissingRequirements(CHECK_CATALOG, { probe, order, sandbox, takesAmount: true }),
    ),
  ).toBe('add --restart');
  expect(describeMissingRequirements(['restart', 'amount'])).toBe('add --restart and {amount} to --order');
});

test('skips the checks of withdrawals for an application without them', () => {
  const all = selectChecks({}).map(({ id }) => id);
  const left = new Set(selectChecks({ without: ['withdrawals'] }).map(({ id }) => id));
  expect(all.filter((id) => !left.has(id))).toEqual(['order.returned', 'order.returned-late']);
});
