import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clearTimeout, setTimeout } from 'node:timers';
import { EVENT_TYPES } from '../contract/enums.js';
import { shareAcrossRealms } from '../cross-realm.js';
import { guardHeaderCount, allowAllHeaders } from '../http/server/guards.js';
import type { EventType } from '../public-types.js';
import { getErrorMessage } from '../text/errors.js';
import type { WebhookVerdict } from '../signing/webhook.js';
import { verifyWebhook, webhookKey } from '../signing/webhook.js';
import type { GlobalRequest, GlobalResponse } from './global-types.js';
import type { WaitOptions, WebhookEvent } from './api.js';
import { shortenText } from './reports.js';
import { parseJson } from '../text/json.js';
import { enumOf } from '../schema/values.js';
import type { OptionSchemas } from './options.js';
import {
  checkArgument,
  checkOptions,
  FUNCTION_OPTION,
  PORT_OPTION,
  resolveTimeout,
  predicate,
} from './options.js';

export interface ReceiverOptions {
  /** One or more accepted secrets, e.g. `sandbox.env.SANDBOX_WEBHOOK_SECRET`. */
  readonly secret: string | readonly string[];
  /** Handles each event once. On an exception, the receiver responds with 500 and accepts another attempt. */
  readonly onEvent?: ((event: WebhookEvent) => unknown) | undefined;
}

const RECEIVER_KINDS: OptionSchemas<ReceiverOptions> = {
  secret: predicate(
    'a string or a list of strings, such as sandbox.env.SANDBOX_WEBHOOK_SECRET',
    (value) => value !== undefined && [value].flat().every((secret) => typeof secret === 'string'),
  ),
  onEvent: FUNCTION_OPTION,
};
const EVENT_CHOICE = predicate(
  `${enumOf(EVENT_TYPES).what}, or a function`,
  (value) => typeof value === 'function' || EVENT_TYPES.some((type) => type === value),
);

/** A received request, accepted or not. */
export interface ReceivedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly verdict: WebhookVerdict;
  /** Set if the webhook-id was already handled. */
  readonly duplicate: boolean;
  /** Status of the response. */
  readonly status: number;
  /** Message in the response: the reason for a rejection, or the error from `onEvent`. */
  readonly message: string;
}

/** Selects events by type or predicate. */
export type EventChoice<Type extends EventType = EventType> = Type | ((event: WebhookEvent) => boolean);

type EventOf<Type extends EventType> = Extract<WebhookEvent, { readonly type: Type }>;

/** Subset of `IncomingMessage` used by a receiver. */
export interface NodeRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly on: (event: 'data' | 'end', listener: (chunk: Uint8Array) => void) => unknown;
}

/** Subset of `ServerResponse` used by a receiver. */
export interface NodeResponse {
  readonly writeHead: (status: number, headers: Readonly<Record<string, string>>) => unknown;
  readonly end: (body: string) => unknown;
}

/** A reference receiver (§6). Verifies signatures, handles each webhook-id once and records all requests. */
export class Receiver implements AsyncDisposable {
  /** Set explicitly, because minifiers rename classes. */
  static readonly name = 'Receiver';
  static {
    shareAcrossRealms(this, this.name);
  }
  /** All requests, in response order. */
  readonly arrivals: ReceivedRequest[] = [];
  /** Verified and handled events, without duplicates. */
  readonly events: WebhookEvent[] = [];
  readonly #options: ReceiverOptions;
  readonly #handled = new Map<string, Promise<void>>();
  readonly #waiters = new Set<(event: WebhookEvent) => void>();
  readonly #servers: Server[] = [];

  constructor(options: ReceiverOptions) {
    checkArgument(
      'createReceiver: secret',
      checkOptions('createReceiver', options, RECEIVER_KINDS).secret,
      RECEIVER_KINDS.secret,
    );
    this.#options = options;
  }

  /** Handles a fetch `Request`, for `sandbox.forwardTo(receiver)` or a custom route. Reads the body. */
  readonly fetch = async (request: GlobalRequest): Promise<GlobalResponse> => {
    const body = Buffer.from(await request.arrayBuffer());
    const { status, message } = await this.#receive(Object.fromEntries(request.headers), body);
    return Response.json({ message }, { status });
  };

  /** Handles a `node:http` or Express request with an unread body. */
  readonly handler = (request: NodeRequest, response: NodeResponse): void => {
    const chunks: Uint8Array[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value ?? '')]);
      void this.#receive(Object.fromEntries(headers) as Record<string, string>, Buffer.concat(chunks)).then(
        ({ status, message }) => {
          response.writeHead(status, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ message }));
        },
      );
    });
  };

  /** Listens on 127.0.0.1, by default on a free port. Resolves to the URL. */
  async listen(port = 0): Promise<string> {
    checkArgument('listen', port, PORT_OPTION);
    const server = allowAllHeaders(
      createServer((request, response) => {
        if (guardHeaderCount(request) === undefined) this.handler(request, response);
        else response.writeHead(431).end();
      }),
    );
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    this.#servers.push(server);
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  /**
   * Resolves to the first matching event, even one already received. Rejects after a real-time timeout; the
   * error lists the received requests.
   */
  async waitFor<Type extends EventType>(
    choice: EventChoice<Type>,
    wait: WaitOptions = {},
  ): Promise<EventOf<Type>> {
    checkArgument('waitFor', choice, EVENT_CHOICE);
    const timeoutMs = resolveTimeout('waitFor', wait);
    const matches = (event: WebhookEvent): event is EventOf<Type> =>
      typeof choice === 'string' ? event.type === choice : choice(event);
    const earlier = this.events.find(matches);
    if (earlier !== undefined) return earlier;
    return new Promise((resolve, reject) => {
      const waiter = (event: WebhookEvent) => {
        if (!matches(event)) return;
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        resolve(event);
      };
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        const what = typeof choice === 'string' ? choice : 'an event';
        reject(new Error(`Waited ${timeoutMs} ms for ${what}. ${this.inventory()}`));
      }, timeoutMs);
      this.#waiters.add(waiter);
    });
  }

  /** Describes the received requests and rejections. For events of `type`, shows the values of `fields`. */
  inventory(type?: EventType, fields: object = {}): string {
    if (this.arrivals.length === 0) return 'No requests received.';
    const lines = this.arrivals.map(({ status, message, duplicate, headers, body }) => {
      const id = headers['webhook-id'] ?? 'without webhook-id';
      const event = announcedIn(body);
      const names = event?.type === type ? Object.keys(fields) : [];
      const values = Object.fromEntries(names.map((name) => [name, event?.resource[name]]));
      const shown = names.length === 0 ? '' : `, with ${shortenText(JSON.stringify(values))}`;
      const what = event === undefined ? '' : shortenText(`${event.type} of ${event.code}`) + shown;
      const why = status < 300 ? (duplicate ? 'duplicate' : '') : shortenText(message);
      return `  ${[String(status), id, what, why].filter((part) => part !== '').join(' ')}`;
    });
    return `Received:\n${lines.join('\n')}`;
  }

  /** Discards all records, including the handled webhook-ids. */
  clear(): void {
    this.arrivals.length = 0;
    this.events.length = 0;
    this.#handled.clear();
  }

  async close(): Promise<void> {
    const closing = this.#servers.splice(0).map((server) => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      return closed;
    });
    await Promise.all(closing);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #receive(headers: Readonly<Record<string, string>>, body: Buffer) {
    const nowS = Math.floor(Date.now() / 1000);
    const verdict = verifyWebhook({ body, headers, secrets: this.#options.secret, nowS });
    const id = headers['webhook-id'] ?? '';
    const duplicate = verdict.ok && this.#handled.has(id);
    let response = verdict.ok
      ? { status: 200, message: 'Accepted.' }
      : { status: 400, message: `${verdict.cause}: ${verdict.message}` };
    try {
      if (verdict.ok) await this.#once(id, body);
    } catch (error) {
      response = { status: 500, message: getErrorMessage(error) };
    }
    this.arrivals.push({ headers, body: body.toString(), verdict, duplicate, ...response });
    return response;
  }

  /**
   * Handles a webhook-id's event once. Concurrent duplicates share the result; after a failure, the next
   * request handles the event again.
   */
  #once(id: string, body: Buffer): Promise<void> {
    const earlier = this.#handled.get(id);
    if (earlier !== undefined) return earlier;
    const handling = this.#handle(body);
    this.#handled.set(id, handling);
    handling.catch(() => this.#handled.delete(id));
    return handling;
  }

  async #handle(body: Buffer): Promise<void> {
    const event = JSON.parse(body.toString()) as WebhookEvent;
    await this.#options.onEvent?.(event);
    this.events.push(event);
    for (const waiter of this.#waiters) waiter(event);
  }
}

/**
 * Creates a receiver. Pass it to `sandbox.forwardTo`, or call `listen`. Throws SecretFormatError for an
 * invalid secret, and TypeError for unknown options.
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  const receiver = new Receiver(options);
  for (const secret of [options.secret].flat()) webhookKey(secret);
  return receiver;
}

interface Announced {
  readonly type: string;
  readonly code: string;
  readonly resource: Readonly<Record<string, unknown>>;
}

/** Parses the event in a body. Returns undefined if the body contains no event. */
function announcedIn(body: string): Announced | undefined {
  const { type = '', data } = (parseJson(body) ?? {}) as Partial<WebhookEvent>;
  const resource = data?.object;
  return typeof resource?.code === 'string'
    ? { type, code: resource.code, resource: { ...resource } }
    : undefined;
}
