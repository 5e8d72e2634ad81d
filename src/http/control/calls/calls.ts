import { duration, NAME, text } from '../../../core/input/text-kinds.js';
import { LIMITS } from '../../../contract/limits.js';
import type { Named } from '../../../core/lookup.js';
import { lookUpIn } from '../../../core/lookup.js';
import type { Call } from '../../../sandbox/call-log.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import type { Entry } from '../../../sandbox/timeline/entry.js';
import { named, optional } from '../../../schema/fields.js';
import { object } from '../../../schema/object.js';
import type { Infer } from '../../../schema/schema.js';
import { oneOf } from '../../../schema/values.js';
import { callTests, DOORS, isUnmatched, STATUS_FORM } from './call-tests.js';
import type { ControlRoute } from '../control.js';
import { ok, route } from '../control.js';
import { appFilter } from '../of-app.js';
import { callDetail, callView } from '../views.js';
import { entryStream, typedBreak } from '../timeline/entry-stream.js';

const METHOD_LENGTH = 20;

/** Which calls a query asks for: what `callTests` knows, `matched`, `app` (id or name), and `since` (a duration of real time). */
export const CALL_QUERY = object('a query', {
  method: optional(text(METHOD_LENGTH)),
  path: optional(text(LIMITS.urlLength)),
  status: optional(text(LIMITS.nameLength, STATUS_FORM)),
  door: optional(oneOf(DOORS)),
  matched: optional(oneOf(['true', 'false'])),
  app: optional(NAME),
  sinceMs: named('since', optional(duration({ example: '5m' }))),
});

export type CallFilter = Infer<typeof CALL_QUERY>;

/** The real time of the oldest entries that a query asks for. */
export function fromInstant({ realNow }: Sandbox, { sinceMs }: Pick<CallFilter, 'sinceMs'>): number {
  return sinceMs === undefined ? 0 : realNow() - sinceMs;
}

export function callFilter(sandbox: Sandbox, filter: CallFilter): (call: Call) => boolean {
  const { matched } = filter;
  const tests = Object.values(callTests(filter));
  const appId = appFilter(sandbox.world, filter.app)?.id;
  const from = fromInstant(sandbox, filter);
  return (call) =>
    tests.every((test) => test(call)) &&
    (appId === undefined || call.appId === appId) &&
    (matched === undefined || isUnmatched(call) === (matched === 'false')) &&
    call.realAt >= from;
}

/** The call that an entry of the timeline is about; undefined for another entry, and while its answer is not known. */
export function callOf({ calls }: Sandbox, { kind, id, facts }: Entry): Call | undefined {
  return kind === 'call' && facts.status !== undefined ? calls.get(id ?? '') : undefined;
}

/** Calls by the beginning of their id. */
export function namedCalls({ calls }: Sandbox): Named<Call> {
  const rows = () => calls.newest().reverse();
  return {
    what: 'call',
    prefix: 'req_',
    rows,
    idOf: ({ requestId }) => requestId,
    byId: (id) => calls.get(id),
    label: ({ method, path, status }) => `${method} ${path} ${status}`,
    hint: 'The log keeps the newest requests since the last reset, restore or import; `npx sandbox calls list` shows them.',
  };
}

export const CALL_ROUTES: readonly ControlRoute[] = [
  // Future calls that match the query.
  route('GET', 'stream/calls', { query: CALL_QUERY }, ({ sandbox, context, query }) => {
    const matches = callFilter(sandbox, query);
    return entryStream(sandbox, context, {
      ready: { type: 'ready' },
      message: (entry) => {
        const call = callOf(sandbox, entry);
        return call && matches(call) ? { type: 'call', call: callView(call) } : undefined;
      },
      breakMessage: typedBreak,
    });
  }),
  route('GET', 'calls', { query: CALL_QUERY }, ({ sandbox, query }) =>
    ok({ data: sandbox.calls.newest().filter(callFilter(sandbox, query)).map(callView) }),
  ),
  route('GET', 'calls/:id', {}, ({ sandbox, param }) =>
    ok(callDetail(sandbox, lookUpIn(namedCalls(sandbox), param('id')))),
  ),
  route('DELETE', 'calls', {}, ({ sandbox }) => {
    const { count } = sandbox.calls;
    sandbox.calls.clear();
    return ok({ deleted: count });
  }),
];
