import type { CallTest } from '../http/control/call-tests.js';
import { callTests, DOORS } from '../http/control/call-tests.js';
import type { CallView } from '../shapes.js';
import type { CallFilter, CallVerdict, ExpectedCalls } from './api.js';
import { checkedOptions, COUNT, oneOf, type OptionKinds, TEXT } from './options.js';
import { someLines } from './shortfall.js';

const MOST_SHOWN = 5;
const NO_CALLS =
  'The sandbox received no calls: does the code under test use its SANDBOX_BASE_URL or its fetch?';

const FILTER_KINDS: OptionKinds<CallFilter> = {
  method: TEXT,
  path: TEXT,
  status: {
    wanted: 'a number such as 401, or a string such as 4xx',
    is: (value) => typeof value === 'number' || typeof value === 'string',
  },
  door: oneOf(DOORS),
};

function testsOf({ status, ...filter }: CallFilter): Readonly<Record<string, CallTest>> {
  return callTests({ ...filter, status: status?.toString() });
}

/** @internal */
export function filterCalls(calls: readonly CallView[], filter: CallFilter): CallView[] {
  const tests = Object.values(testsOf(checkedOptions('calls.list', filter, FILTER_KINDS)));
  return calls.filter((call) => tests.every((test) => test(call)));
}

/** Whether the calls are the expected ones; they are given newest first. @internal */
export function judgeCalls(calls: readonly CallView[], expected: ExpectedCalls): CallVerdict {
  const kinds = { ...FILTER_KINDS, times: COUNT };
  const { times, ...filter } = checkedOptions('calls.expect', expected, kinds);
  const tests = Object.entries(testsOf(filter));
  const judged = calls.map((call) => ({
    call,
    wrong: tests.filter(([, test]) => !test(call)).map(([name]) => name),
  }));
  const found = judged.filter(({ wrong }) => wrong.length === 0).map(({ call }) => call);
  const pass = times === undefined ? found.length > 0 : found.length === times;
  const wanted = times === undefined ? 'at least 1 call' : `${times} call${times === 1 ? '' : 's'}`;
  const head = `Expected ${wanted}${describe(filter)}; got ${found.length}`;
  if (found.length > 0) {
    const lines = found.slice(0, MOST_SHOWN).map((call) => `\n  ${line(call)}`);
    return { pass, found, message: `${head}:${lines.join('')}` };
  }
  const misses = judged
    .filter(({ wrong }) => wrong.length > 0 && wrong.length < Math.max(tests.length, 2))
    .sort((a, b) => a.wrong.length - b.wrong.length)
    .slice(0, MOST_SHOWN);
  const message = [
    `${head}.`,
    ...(calls.length === 0 ? [NO_CALLS] : []),
    ...(misses.length === 0 ? [] : ['The nearest:']),
    ...misses.map(({ call, wrong }) => `  ${line(call)}   (not the ${wrong.join(', ')})`),
  ].join('\n');
  const came =
    misses.length === 0 && calls.length > 0 ? someLines(calls.map((call) => `  ${line(call)}`)) : '';
  return { pass, found, message: came === '' ? message : `${message}\nWhat came, newest first:${came}` };
}

function describe(filter: CallFilter): string {
  const { method, path, status, door } = filter;
  const request = [method?.toUpperCase(), path].filter((part) => part !== undefined).join(' ');
  return (
    (request === '' ? '' : ` of ${request}`) +
    (status === undefined ? '' : ` answered ${status}`) +
    (door === undefined ? '' : ` at the door ${door}`)
  );
}

function line({ method, path, status, error, hint }: CallView): string {
  return `${method} ${path} → ${status}${error === null ? '' : ` ${error}`}${hint === null ? '' : ` (${hint})`}`;
}
