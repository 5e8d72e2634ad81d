import { performance } from 'node:perf_hooks';
import { type ControlClient, NotReachableError, SandboxError } from '../client/control.js';
import { ListenerConnection } from '../client/listener.js';
import { EVENT_TYPES } from '../contract/enums.js';
import { LIMITS, RETRY_SCHEDULES } from '../contract/limits.js';
import { createCompletedAttempt, createFailedAttempt } from '../delivery/attempt-failure.js';
import { type AttemptResult, createHttpSender, type HttpSender } from '../delivery/http-attempt.js';
import type { ListenerAttempt } from '../delivery/listener-hub.js';
import { maintainConnection } from '../sandbox/connect-listener.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { EventType, RetrySchedule } from '../public-types.js';
import { describeValue, getErrorMessage } from '../text/errors.js';
import { readForwardTarget } from '../text/forward-target.js';
import { parseListenerName } from '../text/listener-name.js';
import { redactUrl } from '../text/redaction.js';
import type { GlobalRequest, GlobalResponse, GlobalUrl } from './global-types.js';
import { enumOf } from '../schema/values.js';
import { checkOptions, defineList, type OptionSchemas, TEXT_OPTION } from './options.js';
import { TIMEOUT_DEFAULT_MS } from './options.js';

/** Forwards deliveries over the control API, like `sandbox listen`. Resolves when connected. @internal */
export async function forwardOverStream(
  control: ControlClient,
  target: ForwardTarget,
  options: ForwardOptions = {},
): Promise<Forwarding> {
  const { receive, close, ...registration } = openForwarding(target, options);
  const connect = async (name: string) => {
    const connection = new ListenerConnection(control, {
      onAttempt: async (attempt, report) => void (await report(await receive(attempt))),
    });
    await connection.connect({ ...registration, name });
    return connection;
  };
  let connection: ListenerConnection;
  try {
    const { name } = options;
    connection = await (name === undefined ? connectUnnamed(control, connect) : connect(name));
  } catch (error) {
    close();
    throw error;
  }
  const leave = async () => {
    await connection.leave(TIMEOUT_DEFAULT_MS);
    await control.delete('endpoints/:id', { id: connection.id ?? '' }).catch(ignoreGone);
    close();
  };
  let left: Promise<void> | undefined;
  const stop = () => (left ??= leave());
  return { stop, [Symbol.asyncDispose]: stop };
}

/** Connects under a free name. Retries if another process claims that name first. */
async function connectUnnamed<Connection>(
  control: ControlClient,
  connect: (name: string) => Promise<Connection>,
): Promise<Connection> {
  for (;;) {
    const { data } = await control.get('endpoints');
    try {
      return await connect(findFreeName(data));
    } catch (error) {
      if (!(error instanceof SandboxError && error.code === 'ENDPOINT_ALREADY_EXISTS')) throw error;
    }
  }
}

/** Ignores errors if the sandbox or the listener is already gone. */
function ignoreGone(error: unknown): void {
  const isGone =
    error instanceof NotReachableError || (error instanceof SandboxError && error.code === 'NOT_FOUND');
  if (!isGone) throw error;
}

/**
 * A webhook receiver: a URL, a `--forward-to` value such as `3000/hook`, or an object with `fetch`, such as a
 * receiver or a Hono app.
 */
export type ForwardTarget =
  | string
  | GlobalUrl
  | { readonly fetch: (request: GlobalRequest) => GlobalResponse | Promise<GlobalResponse> };

export interface ForwardOptions {
  /** Event types to forward. Defaults to all. */
  readonly events?: readonly EventType[] | undefined;
  /** Retry schedule: `real` (the service's schedule), `fast` (14 s of real time) or `off` (one attempt). */
  readonly retries?: RetrySchedule | undefined;
  /** Webhook path of a target with `fetch`. Defaults to `/webhooks`. */
  readonly path?: string | undefined;
  /** Listener name shown in `deliveries` and `endpoints`. */
  readonly name?: string | undefined;
}

/** Active forwarding, ended by `stop` or at the end of an `await using` scope. */
export interface Forwarding extends AsyncDisposable {
  readonly stop: () => Promise<void>;
}

/** Delivers every event to the target, signed with SANDBOX_WEBHOOK_SECRET. */
export type ForwardVerb<Result> = (target: ForwardTarget, options?: ForwardOptions) => Result;

/** Origin of requests to a target's `fetch`. */
const FETCH_ORIGIN = 'http://receiver.localhost';

const FORWARD_KINDS: OptionSchemas<ForwardOptions> = {
  events: defineList(enumOf(EVENT_TYPES)),
  retries: enumOf(Object.keys(RETRY_SCHEDULES)),
  path: TEXT_OPTION,
  name: TEXT_OPTION,
};

/** Forwards deliveries in this process, like `listen --forward-to`. @internal */
export function forwardTo(sandbox: Sandbox, target: ForwardTarget, options: ForwardOptions = {}): Forwarding {
  const { receive, close, retries, ...rest } = openForwarding(target, options);
  const name = options.name ?? findFreeName(sandbox.world.endpoints.values());
  const listener = { ...rest, name, schedule: retries };
  const connection = maintainConnection(sandbox, listener, {
    send: (attempt, { id }) => {
      void receive(attempt).then((result) => sandbox.listeners.reply(id, attempt.attempt_id, result));
    },
  });
  const stop = (): Promise<void> => {
    const { endpointId } = connection;
    connection.forget();
    close();
    if (sandbox.world.endpoints.has(endpointId)) sandbox.dispatch({ type: 'endpoint.delete', endpointId });
    return Promise.resolve();
  };
  sandbox.onClose(close);
  return { stop, [Symbol.asyncDispose]: stop };
}

/** Finds an unused listener name. @internal */
export function findFreeName(endpoints: Iterable<{ readonly url: string }>): string {
  const taken = new Set(Array.from(endpoints, ({ url }) => parseListenerName(url)));
  let number = 1;
  while (taken.has(`receiver-${number}`)) number += 1;
  return `receiver-${number}`;
}

type Receive = (attempt: ListenerAttempt) => Promise<AttemptResult>;

/**
 * Creates a target's registration and transport. `close` ends its connections. Throws TypeError. @internal
 */
export function openForwarding(target: ForwardTarget, options: ForwardOptions) {
  const { events = EVENT_TYPES, retries } = checkOptions('forwardTo', options, FORWARD_KINDS);
  const sender = createHttpSender({ policy: { routes: new Map(), allowLocalEndpoints: true } });
  return { events, retries, ...receiverFor(target, options, sender), close: () => sender.close() };
}

/** Creates the target's transport and its description for lists. Throws TypeError. */
function receiverFor(
  target: ForwardTarget,
  { path, name = 'listener' }: ForwardOptions,
  sender: HttpSender,
): { readonly description: string; readonly receive: Receive } {
  if (typeof target === 'object' && 'fetch' in target && typeof target.fetch === 'function') {
    const url = new URL(path ?? '/webhooks', FETCH_ORIGIN).href;
    return { description: `${name} → fetch`, receive: (attempt) => callFetch(target.fetch, url, attempt) };
  }
  if (path !== undefined)
    throw new TypeError('path requires a target with fetch; for a URL, include the path in the URL.');
  const url = parseTargetUrl('forwardTo', target).href;
  return {
    description: `${name} → ${redactUrl(url)}`,
    receive: ({ headers, body, timeout_ms: timeoutMs }) =>
      sender
        .send({ url, headers: { ...headers }, body: Buffer.from(body, 'base64'), timeoutMs })
        .catch((error: unknown) => failed(error, 0)),
  };
}

/** Parses the URL of a target. Throws TypeError with a message that starts with `what`. @internal */
export function parseTargetUrl(what: string, target: unknown): URL {
  const isAddress = typeof target === 'string' || typeof target === 'number' || target instanceof URL;
  const text = isAddress ? String(target) : '';
  const read = readForwardTarget(text);
  if ('url' in read) return read.url;
  if (read.problem === 'password')
    throw new TypeError(`${what} does not accept a user name or password in the URL.`);
  const got = isAddress ? `"${redactUrl(text)}"` : describeValue(target);
  const suggestion = read.meant === undefined ? '' : ` Did you mean ${redactUrl(read.meant)}?`;
  throw new TypeError(
    `${what} expects a URL such as http://localhost:3000/webhooks, or an object with fetch; got ${got}.${suggestion}`,
  );
}

async function callFetch(
  fetch: (request: Request) => Response | Promise<Response>,
  url: string,
  { headers, body }: ListenerAttempt,
): Promise<AttemptResult> {
  const startedAtMs = performance.now();
  const latencyMs = () => performance.now() - startedAtMs;
  try {
    const response = await fetch(
      new Request(url, { method: 'POST', headers: { ...headers }, body: Buffer.from(body, 'base64') }),
    );
    const { status } = response;
    if (status === 0) throw new TypeError('The receiver returned Response.error().');
    const bytes = new Uint8Array(await response.arrayBuffer());
    return {
      ...createCompletedAttempt(status, response.ok ? null : `The receiver returned ${status}.`),
      latencyMs: latencyMs(),
      response: {
        headers: [...response.headers],
        body: bytes.subarray(0, LIMITS.responseBytes),
        truncated: bytes.length > LIMITS.responseBytes,
      },
    };
  } catch (error) {
    return failed(error, latencyMs());
  }
}

function failed(error: unknown, latencyMs: number): AttemptResult {
  return createFailedAttempt('CONNECTION_RESET', getErrorMessage(error), latencyMs);
}
