import { Refusal } from '../../core/refusal.js';
import { parseDuration } from '../../core/time.js';
import type { Call } from '../../sandbox/call-log.js';
import type { Answer } from '../answer.js';
import { callTests } from './call-tests.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { ok } from './control.js';
import { callView, followed } from './present.js';
import { eventStream } from './sse.js';

/** Which calls a query asks for: what `callTests` knows, `app`, and `since` (`5m`). */
export function callFilter({ query, sandbox }: ControlRequest): (call: Call) => boolean {
  const tests = Object.values(
    callTests({
      method: query('method'),
      path: query('path'),
      status: query('status'),
      door: query('door'),
    }),
  );
  const app = query('app');
  const sinceMs = since(query('since'), sandbox.realNow());
  const appId =
    app === undefined
      ? undefined
      : sandbox.world.apps.rows.find(({ id, name }) => id === app || name === app)?.id;
  if (app !== undefined && appId === undefined)
    throw new Refusal('NOT_FOUND', `There is no application ${app}.`);
  return (call) =>
    tests.every((test) => test(call)) &&
    (appId === undefined || call.appId === appId) &&
    call.realAt >= sinceMs;
}

function since(text: string | undefined, realNow: number): number {
  if (text === undefined) return 0;
  const agoMs = parseDuration(text);
  if (agoMs === undefined)
    throw new Refusal('INVALID_REQUEST', `since must be a duration such as 5m; got ${text}.`);
  return realNow - agoMs;
}

function listCalls(request: ControlRequest): Answer {
  const { sandbox } = request;
  return ok({ data: sandbox.calls.newest().filter(callFilter(request)).map(callView) });
}

/** A call with what followed from it: the events of what it made or moved, and their deliveries. */
function showCall({ sandbox, param }: ControlRequest): Answer {
  const call = sandbox.calls.newest().find(({ requestId }) => requestId === param('id'));
  if (call === undefined) {
    throw new Refusal('NOT_FOUND', `There is no call ${param('id')} in the log.`, {
      hint: 'The log keeps the newest calls; `npx pix-sandbox calls list` shows them.',
    });
  }
  return ok({ ...callView(call), ...followed(sandbox, call) });
}

function clearCalls({ sandbox }: ControlRequest): Answer {
  const { count } = sandbox.calls;
  sandbox.calls.clear();
  return ok({ deleted: count });
}

/** GET stream/calls: the calls to come that the query asks for. */
function streamCalls(request: ControlRequest): Response {
  const { sandbox, context } = request;
  const matches = callFilter(request);
  return eventStream(context, (stream) => {
    stream.send({ type: 'ready' });
    const ends = [
      sandbox.calls.subscribe((call) => {
        if (matches(call)) stream.send({ type: 'call', call: callView(call) });
      }),
      sandbox.onClose(stream.close),
    ];
    return () => {
      for (const end of ends) end();
    };
  });
}

export const CALL_ROUTES: readonly ControlRoute[] = [
  { method: 'GET', path: 'stream/calls', handle: streamCalls },
  { method: 'GET', path: 'calls', handle: listCalls },
  { method: 'GET', path: 'calls/:id', handle: showCall },
  { method: 'DELETE', path: 'calls', handle: clearCalls },
];
