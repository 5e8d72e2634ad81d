import { CALL_APIS } from '../contract/fault-kinds.js';
import { createCallTests } from '../http/control/call-tests.js';
import type { CallView, DeliveryLine, EventLine } from '../public-types.js';
import type { CallFilter, CallVerdict, ExpectedCalls, SandboxVerbs } from './api.js';
import { enumOf } from '../schema/values.js';
import { checkOptions, COUNT_OPTION, type OptionSchemas, TEXT_OPTION, predicate } from './options.js';

const MOST_SHOWN = 5;
const MOST_CHARACTERS = 200;

/** Shortens text to one line without control characters. */
export function shortenText(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  const characters = Array.from(line.slice(0, 2 * MOST_CHARACTERS + 2));
  return characters.length > MOST_CHARACTERS ? `${characters.slice(0, MOST_CHARACTERS).join('')}…` : line;
}

/** Joins the first lines and counts the remaining ones. */
export function limitLines(lines: readonly string[]): string {
  const left = lines.length - MOST_SHOWN;
  const shown = left > 0 ? [...lines.slice(0, MOST_SHOWN), `  … ${left} more`] : lines;
  return shown.map((line) => `\n${line}`).join('');
}

/** Compares a count with the expectation (exactly `times`, or at least one) and describes the expectation. */
export function compareCount(
  count: number,
  times: number | undefined,
): { isExpected: boolean; wanted: string } {
  return times === undefined
    ? { isExpected: count > 0, wanted: 'at least 1' }
    : { isExpected: count === times, wanted: String(times) };
}

/** Describes the responses to failed deliveries, and the existing events, newest first. */
export async function reportMissingDeliveries(
  sandbox: SandboxVerbs,
  failed: readonly DeliveryLine[],
): Promise<string> {
  const [answers, events, deliveries] = await Promise.all([
    Promise.all(failed.map((line, index) => answerLine(sandbox, line, index < MOST_SHOWN))),
    sandbox.events.list(),
    sandbox.deliveries.list(),
  ]);
  if (events.length === 0) return '\nNo events occurred.';
  const lines = events.map((event) => eventText(event, deliveries));
  return `${limitLines(answers)}\nExisting events, newest first:${limitLines(lines)}`;
}

/** Formats a delivery with its last response, fetched only if the line is shown. */
async function answerLine(sandbox: SandboxVerbs, line: DeliveryLine, isShown: boolean): Promise<string> {
  const { id, status, attempts, last_error, last_response_status } = line;
  const delivery = isShown ? await sandbox.deliveries.get(id) : undefined;
  const body = shortenText(delivery?.attempt_log.at(-1)?.response?.body ?? '');
  const response = [last_error, last_response_status, body].filter((part) => part !== null && part !== '');
  return `  ${status} after ${attempts} attempts: ${response.join(' ')}`;
}

function eventText({ id, type, resource }: EventLine, deliveries: readonly DeliveryLine[]): string {
  const own = deliveries.filter(({ event_id }) => event_id === id).map(({ status }) => status);
  return `  ${type} of ${resource.code}: ${own.join(', ') || 'no endpoint receives it'}`;
}

const NO_CALLS =
  'The sandbox received no requests. Check that the code under test uses SANDBOX_BASE_URL or `sandbox.fetch`.';

const FILTER_KINDS: OptionSchemas<CallFilter> = {
  method: TEXT_OPTION,
  path: TEXT_OPTION,
  status: predicate('a number such as 401, or a string such as 4xx', (value) =>
    ['number', 'string'].includes(typeof value),
  ),
  api: enumOf(CALL_APIS),
};

function testsOf({ status, ...filter }: CallFilter) {
  return Object.entries(createCallTests({ ...filter, status: status?.toString() }));
}

/** @internal */
export function filterCalls(calls: readonly CallView[], filter: CallFilter): CallView[] {
  const tests = testsOf(checkOptions('calls.list', filter, FILTER_KINDS));
  return calls.filter((call) => tests.every(([, test]) => test(call)));
}

/** Compares requests, sorted newest first, with an expectation. @internal */
export function judgeCalls(calls: readonly CallView[], expected: ExpectedCalls): CallVerdict {
  const kinds = { ...FILTER_KINDS, times: COUNT_OPTION };
  const { times, ...filter } = checkOptions('calls.expect', expected, kinds);
  const tests = testsOf(filter);
  const judged = calls.map((call) => ({
    call,
    wrong: tests.filter(([, test]) => !test(call)).map(([name]) => name),
  }));
  const found = judged.filter(({ wrong }) => wrong.length === 0).map(({ call }) => call);
  const { isExpected: pass, wanted } = compareCount(found.length, times);
  const plural = (times ?? 1) === 1 ? '' : 's';
  const head = `Expected ${wanted} request${plural}${wording(filter)}; got ${found.length}`;
  if (found.length > 0) {
    const lines = found.slice(0, MOST_SHOWN).map((call) => `\n  ${callLine(call)}`);
    return { pass, found, message: `${head}:${lines.join('')}` };
  }
  if (calls.length === 0) return { pass, found, message: `${head}.\n${NO_CALLS}` };
  const misses = judged
    .filter(({ wrong }) => wrong.length < Math.max(tests.length, 2))
    .sort((a, b) => a.wrong.length - b.wrong.length)
    .slice(0, MOST_SHOWN)
    .map(({ call, wrong }) => `\n  ${callLine(call)}   (different ${wrong.join(', ')})`);
  const came = limitLines(calls.map((call) => `  ${callLine(call)}`));
  const rest = misses.length > 0 ? `Closest requests:${misses.join('')}` : `Received, newest first:${came}`;
  return { pass, found, message: `${head}.\n${rest}` };
}

function wording(filter: CallFilter): string {
  const { method, path, status, api } = filter;
  const request = [method?.toUpperCase(), path].filter((part) => part !== undefined).join(' ');
  return (
    (request === '' ? '' : ` matching ${request}`) +
    (status === undefined ? '' : ` with status ${status}`) +
    (api === undefined ? '' : ` to the API ${api}`)
  );
}

function callLine({ method, path, status, error, hint }: CallView): string {
  return `${method} ${path} → ${status}${error === null ? '' : ` ${error}`}${hint === null ? '' : ` (${hint})`}`;
}
