import { matchesGlob } from '../../core/globs.js';
import { Refusal } from '../../core/refusal.js';
import { parseDuration } from '../../core/time.js';
import type { Call } from '../../sandbox/call-log.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Answer } from '../answer.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { ok } from './control.js';
import { callView, deliveryLine, eventLine } from './present.js';
import { eventStream } from './sse.js';

/** Which calls a query asks for: `method`, `path` (with `*`), `status` (`401`, `4xx`), `app`, `door`, `since` (`5m`). */
export function callFilter({ query, sandbox }: ControlRequest): (call: Call) => boolean {
  const method = query('method')?.toUpperCase();
  const path = query('path');
  const status = statusPattern(query('status'));
  const app = query('app');
  const door = query('door');
  const sinceMs = since(query('since'), sandbox.realNow());
  const appId =
    app === undefined
      ? undefined
      : sandbox.world.apps.rows.find(({ id, name }) => id === app || name === app)?.id;
  if (app !== undefined && appId === undefined)
    throw new Refusal('NOT_FOUND', `There is no application ${app}.`);
  return (call) =>
    (method === undefined || call.method === method) &&
    (path === undefined || matchesGlob(path, call.path.split('?')[0] ?? '')) &&
    (status === undefined || status.test(String(call.status))) &&
    (appId === undefined || call.appId === appId) &&
    (door === undefined || call.door === door) &&
    call.realAt >= sinceMs;
}

function statusPattern(text: string | undefined): RegExp | undefined {
  if (text === undefined) return undefined;
  if (/^[1-5](?:\d\d|xx)$/.test(text)) return new RegExp(`^${text.replaceAll('x', '\\d')}$`);
  throw new Refusal('INVALID_REQUEST', `status must be such as 401 or 4xx; got ${text}.`);
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

export function followed(sandbox: Sandbox, call: Call) {
  const { world } = sandbox;
  const events =
    call.resourceId === null
      ? []
      : world.events.rows.filter(({ resource }) => resource.id === call.resourceId);
  const own = new Set(events);
  const deliveries = world.deliveries.rows.filter(
    ({ id, event }) => own.has(event) || id === call.resourceId,
  );
  return {
    events: events.map(eventLine),
    deliveries: deliveries.map((delivery) => deliveryLine(sandbox, delivery)),
  };
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
