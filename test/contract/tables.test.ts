import { expect, test } from 'vitest';
import * as assumptions from '../../src/contract/assumptions.js';
import * as attemptErrors from '../../src/contract/attempt-errors.js';
import * as routes from '../../src/contract/call-routes.js';
import * as customers from '../../src/contract/customer-types.js';
import * as events from '../../src/contract/events.js';
import * as reasons from '../../src/contract/failure-reasons.js';
import * as faults from '../../src/contract/fault-kinds.js';
import * as fixed from '../../src/contract/fixed-assumptions.js';
import * as limits from '../../src/contract/limits.js';
import * as refusals from '../../src/contract/refusals.js';
import * as scheme from '../../src/contract/request-scheme.js';
import * as scopes from '../../src/contract/scopes.js';
import * as transitions from '../../src/contract/transitions.js';
import * as system from '../../src/text/system-errors.js';

const MODULES: Readonly<Record<string, object>> = {
  assumptions,
  attemptErrors,
  customers,
  events,
  faults,
  fixed,
  limits,
  reasons,
  refusals,
  routes,
  scheme,
  scopes,
  system,
  transitions,
};

/** The tables that a module exports, a line for each row. */
function tablesOf(module: object): string {
  return Object.entries(module)
    .filter(([, value]) => typeof value !== 'function')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}\n${rowsOf(value)}`)
    .join('');
}

function rowsOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return `  ${JSON.stringify(value)}\n`;
  return Object.entries(value)
    .map(([key, row]) => `  ${key}: ${JSON.stringify(row)}\n`)
    .join('');
}

test('what the contract and the system name is as it was', async () => {
  const text = Object.entries(MODULES).map(([name, module]) => `# ${name}\n${tablesOf(module)}`);
  await expect(text.join('\n')).toMatchFileSnapshot('tables.txt');
});
