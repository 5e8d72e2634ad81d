import { AssertionError } from 'node:assert';
import type { CallTest } from '../http/control/call-tests.js';
import { callTests, DOORS, isUnmatched } from '../http/control/call-tests.js';
import type { ControlClient } from '../client/control.js';
import type { CallView } from '../shapes.js';
import type { OptionKinds } from './options.js';
import { someLines } from './shortfall.js';
import { checkedOptions, COUNT, oneOf, TEXT } from './options.js';

/** A filter of calls: a path may contain `*` and has no query; a status is `201` or `4xx`. */
export interface CallFilter {
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly status?: number | `${number}xx` | undefined;
  readonly door?: 'api' | 'identity' | undefined;
}

/** The expected calls: exactly `times`, or at least one. */
export interface ExpectedCalls extends CallFilter {
  readonly times?: number | undefined;
}

export interface CallVerdict {
  readonly pass: boolean;
  readonly found: readonly CallView[];
  /** What was expected, what came, and the nearest calls. */
  readonly message: string;
}

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
const EXPECTED_KINDS: OptionKinds<ExpectedCalls> = { ...FILTER_KINDS, times: COUNT };

/** What the code under test sent to the sandbox: the newest calls, as the call log keeps them. */
export interface CallVerbs {
  /** Newest first. */
  readonly list: (filter?: CallFilter) => Promise<CallView[]>;
  /**
   * Calls that met no route, newest first: a wrong path or method, not an unknown id. Their `hint` names the
   * nearest route.
   */
  readonly unmatched: () => Promise<readonly CallView[]>;
  readonly judge: (expected: ExpectedCalls) => Promise<CallVerdict>;
  /** Resolves to the matching calls; rejects with AssertionError, whose message lists the nearest misses. */
  readonly expect: (expected: ExpectedCalls) => Promise<readonly CallView[]>;
  readonly clear: () => Promise<void>;
}

/** @internal */
export function callVerbs(control: ControlClient): CallVerbs {
  const all = async () => (await control.get('calls')).data;
  const judge: CallVerbs['judge'] = async (expected) => {
    checkedOptions('calls.expect', expected, EXPECTED_KINDS);
    return judgeCalls(await all(), expected);
  };
  return {
    list: async (filter = {}) => {
      const tests = Object.values(testsOf(checkedOptions('calls.list', filter, FILTER_KINDS)));
      return (await all()).filter((call) => tests.every((test) => test(call)));
    },
    unmatched: async () => (await all()).filter(isUnmatched),
    judge,
    expect: async (expected) => {
      const { pass, found, message } = await judge(expected);
      if (!pass) throw new AssertionError({ message });
      return found;
    },
    clear: async () => {
      await control.delete('calls');
    },
  };
}

function testsOf({ status, ...filter }: CallFilter): Readonly<Record<string, CallTest>> {
  return callTests({ ...filter, status: status?.toString() });
}

/** Whether the calls are the expected ones; they are given newest first. @internal */
export function judgeCalls(calls: readonly CallView[], expected: ExpectedCalls): CallVerdict {
  const { times, ...filter } = expected;
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
