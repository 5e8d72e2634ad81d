import { EVENT_TYPES } from '../../contract/enums.js';
import { isDelivered } from '../../contract/transitions.js';
import { isSameJson } from '../../schema/object.js';
import { enumOf } from '../../schema/values.js';
import type { EventType } from '../../public-types.js';
import type { ExpectedCalls, SandboxVerbs } from '../api.js';
import type { OptionSchemas } from '../options.js';
import { checkArgument, checkOptions, COUNT_OPTION, OBJECT_OPTION, TEXT_OPTION } from '../options.js';
import { Receiver } from '../receiver.js';
import { compareCount, reportMissingDeliveries } from '../reports.js';

/** Additional expectations for events. */
export interface ExpectedEvents {
  /** Exact number of events. Defaults to at least one. */
  readonly times?: number | undefined;
}

/** Matcher result for Vitest and Jest. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/**
 * Matchers added by `expect.extend(matchers)`. For types, extend your runner's interface, e.g. `declare
 * module 'vitest' { interface Matchers<T> extends SandboxMatchers<T> {} }`.
 */
export interface SandboxMatchers<Result = void> {
  /** Asserts that a receiver accepted events of this type with these fields in `data.object`. */
  toHaveReceived: (type: EventType, fields?: object, expected?: ExpectedEvents) => Result;
  /** Waits until the sandbox is idle, then asserts that it has delivered events of this type. */
  toHaveDelivered: (type: EventType, expected?: ExpectedEvents & { code?: string }) => Promise<Result>;
  /** Asserts that the code under test sent these requests to a sandbox. */
  toHaveReceivedCall: (expected: ExpectedCalls) => Promise<Result>;
}

const EVENTS_KINDS: OptionSchemas<ExpectedEvents> = { times: COUNT_OPTION };
const DELIVERED_KINDS = { ...EVENTS_KINDS, code: TEXT_OPTION };

function toHaveReceived(
  received: unknown,
  type: EventType,
  fields: object = {},
  expected: ExpectedEvents = {},
): MatcherResult {
  if (!(received instanceof Receiver))
    throw new TypeError('toHaveReceived expects a receiver from createReceiver.');
  checkArgument('toHaveReceived', type, enumOf(EVENT_TYPES));
  checkArgument('toHaveReceived: fields', fields, OBJECT_OPTION);
  const { times } = checkOptions('toHaveReceived', expected, EVENTS_KINDS);
  const found = received.events.filter(
    (event) =>
      event.type === type &&
      Object.entries(fields).every(([name, value]) =>
        isSameJson((event.data.object as Readonly<Record<string, unknown>>)[name], value),
      ),
  );
  const { isExpected: pass, wanted } = compareCount(found.length, times);
  const what = `${type}${Object.keys(fields).length === 0 ? '' : ` with ${JSON.stringify(fields)}`}`;
  return {
    pass,
    message: () =>
      `Expected ${pass ? 'not ' : ''}${wanted} ${what}; got ${found.length}. ` +
      received.inventory(type, fields),
  };
}

async function toHaveDelivered(
  received: unknown,
  type: EventType,
  expected: ExpectedEvents & { code?: string } = {},
): Promise<MatcherResult> {
  const sandbox = sandboxOf('toHaveDelivered', received);
  checkArgument('toHaveDelivered', type, enumOf(EVENT_TYPES));
  const { code, times } = checkOptions('toHaveDelivered', expected, DELIVERED_KINDS);
  await sandbox.idle();
  const events = await sandbox.events.list({ type });
  const ids = new Set(
    events.filter(({ resource }) => code === undefined || resource.code === code).map(({ id }) => id),
  );
  const all = (await sandbox.deliveries.list({ type })).filter(({ event_id }) => ids.has(event_id));
  const delivered = all.filter(({ status }) => isDelivered(status));
  const { isExpected: pass, wanted } = compareCount(delivered.length, times);
  const others = all.filter(({ status }) => !isDelivered(status));
  const why = pass ? '' : await reportMissingDeliveries(sandbox, others);
  const what = `${type}${code === undefined ? '' : ` of ${code}`}`;
  return {
    pass,
    message: () =>
      `Expected ${pass ? 'not ' : ''}${wanted} delivered ${what}; got ` +
      `${delivered.length} of ${ids.size} events.${why}`,
  };
}

async function toHaveReceivedCall(received: unknown, expected: ExpectedCalls): Promise<MatcherResult> {
  const { pass, message } = await sandboxOf('toHaveReceivedCall', received).calls.judge(expected);
  return { pass, message: () => (pass ? message.replace('Expected', 'Expected not') : message) };
}

function sandboxOf(matcher: string, received: unknown): SandboxVerbs {
  const isSandbox = typeof received === 'object' && received !== null && 'deliveries' in received;
  if (!isSandbox) throw new TypeError(`${matcher} expects a sandbox from createSandbox or connectSandbox.`);
  return received as SandboxVerbs;
}

/** Matchers for `expect.extend` in Vitest and Jest. */
export const matchers = { toHaveReceived, toHaveDelivered, toHaveReceivedCall };
