import { setTimeout as pause } from 'node:timers/promises';
import { ControlError, NotReachableError } from '../../client/control-client.js';
import type { ControlClient } from '../../client/control-client.js';
import { EVENT_TYPES } from '../../core/world.js';
import type { ListenerAttempt } from '../../delivery/listener-hub.js';
import { createHttpSender } from '../../delivery/http-attempt.js';
import type { EndpointView } from '../../http/control/schema.js';
import { oneOfOrUsage } from '../closest.js';
import { CliError, usageError } from '../errors.js';
import { findSandbox } from '../find-sandbox.js';
import { Forwarder } from '../forwarder.js';
import { parseForwardTarget } from '../forward-target.js';
import type { Invocation } from '../io.js';
import { shortened } from '../text.js';

type Message =
  | { readonly type: 'ready'; readonly listener: EndpointView; readonly secret: string }
  | ({ readonly type: 'attempt' } & ListenerAttempt);

/** Real time between two tries to find a sandbox that went away. */
const RECONNECT_MS = 500;

/** `sandbox listen`: receives signed deliveries and forwards them, until a signal. */
export async function listen(invocation: Invocation): Promise<void> {
  const { io, options } = invocation;
  const forwardTo = options.text('forwardTo');
  if (forwardTo === undefined) {
    throw usageError(
      '--forward-to is required: where your application receives webhooks.',
      'For example: npx pix-sandbox listen --forward-to localhost:3000/webhooks',
    );
  }
  const target = parseForwardTarget(forwardTo);
  const query = { ...registration(invocation), description: `listener → ${target.href}` };
  const sender = createHttpSender({ policy: { routes: new Map(), allowLocalEndpoints: true } });
  const forwarder = new Forwarder({ io, target, sender });
  const session = new Session(invocation, forwarder, target);
  io.stopping.addEventListener('abort', () => void session.leave(), { once: true });
  try {
    await session.connect(query);
    while (!io.stopping.aborted) await session.reconnect(query);
  } finally {
    await session.leave();
    sender.close();
    forwarder.summarise();
  }
}

function registration({ options }: Invocation): Record<string, string | undefined> {
  const events = options
    .text('events')
    ?.split(',')
    .map((type) => oneOfOrUsage('event', type.trim(), EVENT_TYPES));
  const retries = options.text('retries');
  return {
    name: options.text('name'),
    events: events?.join(','),
    retries:
      retries === undefined ? undefined : oneOfOrUsage('retry schedule', retries, ['real', 'fast', 'off']),
    timeout: options.text('timeout'),
    app: options.text('app'),
  };
}

/** The connection to a sandbox, which is taken up again when the sandbox comes back. */
class Session {
  readonly #invocation: Invocation;
  readonly #forwarder: Forwarder;
  readonly #target: URL;
  readonly #hangUp = new AbortController();
  #client: ControlClient | undefined;
  #listenerId: string | undefined;
  #leaving: Promise<void> | undefined;

  constructor(invocation: Invocation, forwarder: Forwarder, target: URL) {
    this.#invocation = invocation;
    this.#forwarder = forwarder;
    this.#target = target;
  }

  /** Listens until the connection ends. */
  async connect(query: Record<string, string | undefined>): Promise<void> {
    const { io } = this.#invocation;
    const client = findSandbox(this.#invocation);
    this.#client = client;
    const messages = client.events<Message>('listeners/stream', query, this.#hangUp.signal);
    try {
      for await (const message of messages) {
        if (message.type === 'ready') this.#ready(message.listener, message.secret);
        else if (!io.stopping.aborted) void this.#forwarder.take(client, this.#listenerId ?? '', message);
      }
    } catch (error) {
      if (this.#hangUp.signal.aborted) return;
      if (error instanceof NotReachableError || error instanceof ControlError) throw error;
    }
  }

  /** Waits for the sandbox to be there again; a refusal to register ends the command. */
  async reconnect(query: Record<string, string | undefined>): Promise<void> {
    const { io } = this.#invocation;
    io.note(io.colour.yellow('The sandbox went away; waiting for it to come back.'));
    this.#listenerId = undefined;
    while (!io.stopping.aborted) {
      await pause(RECONNECT_MS, undefined, { signal: io.stopping }).catch(() => undefined);
      try {
        await this.connect(query);
        return;
      } catch (error) {
        const isAway =
          error instanceof NotReachableError || (error instanceof CliError && error.code === 'NOT_RUNNING');
        if (!isAway) throw error;
      }
    }
  }

  /** Takes no more work, finishes what is in flight, and takes the listener away. */
  leave(): Promise<void> {
    this.#leaving ??= this.#sayGoodBye();
    return this.#leaving;
  }

  async #sayGoodBye(): Promise<void> {
    await this.#forwarder.settled();
    if (this.#listenerId !== undefined) {
      await this.#client?.delete(`endpoints/${this.#listenerId}`).catch(() => undefined);
    }
    this.#hangUp.abort();
    this.#client?.close();
  }

  #ready(listener: EndpointView, secret: string): void {
    const { io, options } = this.#invocation;
    const isReturn = this.#listenerId !== undefined;
    this.#listenerId = listener.id;
    const shown = options.flag('printSecret') ? secret : shortened(secret);
    io.emit({
      type: 'ready',
      listener,
      forward_to: this.#target.href,
      ...(options.flag('printSecret') ? { secret } : {}),
    });
    if (isReturn) io.note('The sandbox was reset; listening again.');
    else
      io.note(
        `${io.colour.green('Ready.')} Forwarding ${listener.events.join(', ')} to ${this.#target.href}`,
      );
    if (!isReturn) io.note(`Deliveries are signed with ${shown} (SANDBOX_WEBHOOK_SECRET). Ctrl-C leaves.\n`);
  }
}
