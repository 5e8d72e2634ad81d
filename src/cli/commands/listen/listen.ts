import { NotReachableError, SandboxError, type ControlClient } from '../../../client/control.js';
import type { AnswerOf, HeldCounts, Streams } from '../../../client/routes.js';
import { EVENT_TYPES } from '../../../contract/enums.js';
import { pause } from '../../../delivery/abort.js';
import { createHttpSender, type HttpSender } from '../../../delivery/http-attempt.js';
import type { SandboxServer } from '../../../http/server/start.js';
import { listenerNameOf, listenerTarget } from '../../../text/listener-name.js';
import { shortened, withoutUrlSecrets } from '../../../text/redaction.js';
import { isLoopbackName, parseUrl } from '../../../text/urls.js';
import { readOptions, type InvocationOf } from '../../program/declaration.js';
import { CliError } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import { findSandbox, withRunningSandbox } from '../../sandbox/find-sandbox.js';
import { noteSentence } from '../../terminal/text.js';
import { simulatedLines } from './attempt-text.js';
import { listen } from './command.js';
import { Forwarder } from './forwarder.js';
import {
  nothingForwarded,
  planFaults,
  planHeaders,
  planListeners,
  planTunnel,
  type ListenerPlan,
} from './plan.js';

type Invocation = InvocationOf<typeof listen>;
type Ready = Extract<AnswerOf<Streams, 'POST listeners'>, { readonly type: 'ready' }>;

/** The command that a `listen` is a part of. */
interface Within {
  readonly by: 'start' | 'exec';
  readonly abandoned: AbortSignal;
  readonly onConnected: () => void;
}

/** A `listen` within another command of this process. */
export interface ListeningWithin {
  /** Leaves as Ctrl-C leaves: resolves when what is in flight has ended. */
  readonly leave: () => Promise<void>;
  readonly abandon: () => void;
}

export interface WithinOptions {
  readonly by: 'start' | 'exec';
  readonly io: Io;
  readonly options: Partial<Invocation['options']> & Pick<Invocation['options'], 'forwardTo'>;
  readonly server: Pick<SandboxServer, 'url'>;
  readonly controlToken?: string | undefined;
}

/** Runs `listen` within another command; resolves when every listener is connected. */
export async function listenWithin(within: WithinOptions): Promise<ListeningWithin> {
  const { by, io, options, server, controlToken } = within;
  const stopping = new AbortController();
  const abandoned = new AbortController();
  const env = { ...io.env, SANDBOX_CONTROL_TOKEN: controlToken };
  const invocation = {
    io: { ...io, env, stopping: stopping.signal },
    args: {},
    options: { ...readOptions(listen.options, {}), ...options, url: server.url },
  };
  let listening: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    listening = receive(invocation, { by, abandoned: abandoned.signal, onConnected: resolve });
    listening.then(resolve, reject);
  });
  return {
    leave: () => {
      stopping.abort();
      return listening;
    },
    abandon: () => abandoned.abort(),
  };
}

/**
 * `sandbox listen`: receives signed deliveries and forwards them, one listener for each target, until a
 * signal; without a target, it verifies them and answers 200 itself. `within` is there if it is part of
 * another command.
 */
export async function receive(invocation: Invocation, within?: Within): Promise<void> {
  const { io, options } = invocation;
  const tunnel = planTunnel(io, options);
  if (tunnel !== undefined) return (await import('./tunnel.js')).listenThroughTunnel(invocation, tunnel);
  const listeners = planListeners(options);
  planFaults(options);
  planHeaders(options.header);
  if (listeners[0].target === undefined) {
    noteSentence(io, nothingForwarded(!options.skipVerify));
    // It may come from a settings file.
    if (options.header.length > 0) io.note('--header is ignored: nothing is forwarded.');
  }
  if (within === undefined) await noteSameTargets(invocation, listeners);
  const sender = createHttpSender({ policy: { routes: new Map(), allowLocalEndpoints: true } });
  const onReady = () => {
    if (sessions.every(({ wasReady }) => wasReady)) within?.onConnected();
  };
  const sessions = listeners.map(
    (plan) => new ListenerSession({ invocation, within, plan, sender, onReady }),
  );
  const leaveAll = () => Promise.all(sessions.map((session) => session.leave()));
  io.stopping.addEventListener('abort', () => void leaveAll(), { once: true });
  try {
    await Promise.all(sessions.map((session) => session.run()));
  } finally {
    await leaveAll();
    sender.close();
    if (within?.by !== 'exec' && sessions.some(({ wasReady }) => wasReady)) {
      const sum = (count: 'accepted' | 'failed') =>
        sessions.reduce((total, { forwarder }) => total + forwarder[count], 0);
      io.note(`\n${sum('accepted')} accepted, ${sum('failed')} failed.`);
    }
  }
}

interface SessionOptions {
  readonly invocation: Invocation;
  readonly within: Within | undefined;
  readonly plan: ListenerPlan;
  readonly sender: HttpSender;
  readonly onReady: () => void;
}

const RECONNECT_MS = 500;

/** The connection of one listener to a sandbox; it reconnects when the sandbox comes back. */
class ListenerSession {
  readonly forwarder: Forwarder;
  wasReady = false;
  readonly #options: SessionOptions;
  readonly #io: Io;
  readonly #hangUp = new AbortController();
  #client: ControlClient | undefined;
  #listener: { readonly id: string; readonly secret: string | null } | undefined;
  #leaving: Promise<void> | undefined;
  #hasLeft = false;
  /** Resolves once the sandbox has accepted or refused the listener. */
  #answered = Promise.resolve();

  constructor(options: SessionOptions) {
    const { invocation, within, plan, sender } = options;
    this.#options = options;
    this.#io = invocation.io;
    this.forwarder = new Forwarder({
      io: invocation.io,
      target: plan.target,
      sender,
      headers: planHeaders(invocation.options.header),
      endsSoon: within?.by === 'exec',
      abandoned: within?.abandoned,
    });
  }

  /** Listens until the signal to stop. Rejects if no sandbox is found at the start, or if it refuses the listener. */
  async run(): Promise<void> {
    await this.#connect();
    while (!this.#isLeaving) {
      this.#noteWarning('The sandbox went away; waiting for it to come back.');
      this.#listener = undefined;
      await this.#reconnect();
    }
  }

  /** Tells the sandbox to hold what is pending, finishes what is in flight, and disconnects. */
  leave(): Promise<void> {
    this.#leaving ??= this.#disconnect();
    return this.#leaving;
  }

  get #isLeaving(): boolean {
    return this.#leaving !== undefined || this.#io.stopping.aborted;
  }

  get #by(): Within['by'] | undefined {
    return this.#options.within?.by;
  }

  get #place(): string | undefined {
    const { target } = this.#options.plan;
    return target === undefined ? undefined : withoutUrlSecrets(target.href);
  }

  get #registration() {
    const { invocation, plan } = this.#options;
    const { retries, timeout, concurrency, app, fresh } = invocation.options;
    return {
      name: plan.name,
      events: plan.events,
      retries,
      timeout: timeout?.text,
      concurrency,
      app,
      // What was held failed at the first connection; what is held since is to arrive.
      fresh: fresh && !this.wasReady,
      faults: planFaults(invocation.options),
      description: `${this.#by === 'start' ? 'start' : 'listener'} → ${this.#place ?? 'nothing'}`,
    };
  }

  async #connect(): Promise<void> {
    const client = findSandbox(this.#options.invocation);
    this.#client = client;
    const messages = client.stream('POST listeners', {
      body: this.#registration,
      signal: this.#hangUp.signal,
    });
    let onAnswer = () => {};
    this.#answered = new Promise((resolve) => {
      onAnswer = resolve;
    });
    let isConnected = false;
    try {
      for await (const message of messages) {
        isConnected = true;
        if (message.type === 'ready') this.#onReady(message);
        else if (message.type === 'simulated') {
          this.#io.emit(message);
          this.#io.say(simulatedLines(message, this.#io, this.#by === 'exec').join('\n'));
        } else if (this.#listener !== undefined && !this.#hasLeft) {
          void this.forwarder.take(client, this.#listener, message);
        }
        onAnswer();
      }
    } catch (error) {
      if (this.#hangUp.signal.aborted) return;
      // A connection that broke later means that the sandbox went away, not that it never existed.
      if (!(isConnected && error instanceof NotReachableError)) throw error;
    } finally {
      onAnswer();
    }
  }

  async #reconnect(): Promise<void> {
    while (!this.#isLeaving) {
      await pause(RECONNECT_MS, this.#io.stopping).catch(() => undefined);
      if (this.#isLeaving) return;
      try {
        await this.#connect();
        return;
      } catch (error) {
        if (!isAway(error)) throw error;
      }
    }
  }

  async #disconnect(): Promise<void> {
    await this.#answered;
    const { id } = this.#listener ?? {};
    const left =
      id === undefined
        ? undefined
        : await this.#client?.post('listeners/:id/leave', { id }).catch(() => undefined);
    this.#hasLeft = true;
    await this.forwarder.settled();
    this.#hangUp.abort();
    this.#client?.close();
    const { name } = this.#options.plan;
    if (left !== undefined && left.held > 0 && this.#by !== 'exec') {
      const held = deliveriesText(left.held);
      noteSentence(this.#io, `Held until ${name} returns: ${held}. With --fresh it does without them.`);
    }
  }

  #onReady({ listener, secret, released, failed }: Ready): void {
    const { printSecret, skipVerify } = this.#options.invocation.options;
    const wasReset = this.#listener !== undefined;
    this.#listener = { id: listener.id, secret: skipVerify ? null : secret };
    if (this.#isLeaving) return;
    this.wasReady = true;
    const io = this.#io;
    if (wasReset) {
      noteSentence(io, 'The sandbox was reset; listening again.');
      return noteHeld({ released, failed }, io);
    }
    const by = this.#by;
    const place = this.#place;
    const ready = { listener, forward_to: place ?? null, released, failed };
    // The `ready` of `start` is its own.
    const type = by === 'start' ? 'forwarding' : 'ready';
    io.emit({ type, ...ready, ...(printSecret ? { secret } : {}) });
    noteHeld({ released, failed }, io);
    if (listener.status === 'DISABLED') {
      this.#noteWarning(`It is disabled: \`${io.program} endpoints enable ${listener.id}\`.`);
    }
    const events = listener.events.length === EVENT_TYPES.length ? 'every event' : listener.events.join(', ');
    const what = place === undefined ? `Receiving ${events}.` : `Forwarding ${events} to ${place}`;
    noteSentence(io, by === 'start' ? what : `${io.colour.green('Ready.')} ${what}`);
    if (by !== 'start') {
      const signedWith = `${printSecret ? secret : shortened(secret)} (SANDBOX_WEBHOOK_SECRET)`;
      const leaves = by === undefined ? ' Ctrl-C leaves.' : '';
      noteSentence(io, `Deliveries are signed with ${signedWith}.${leaves}\n`);
    }
    this.#options.onReady();
  }

  #noteWarning(text: string): void {
    if (!this.#io.stopping.aborted) noteSentence(this.#io, this.#io.colour.yellow(text));
  }
}

function isAway(error: unknown): boolean {
  if (error instanceof NotReachableError) return true;
  if (error instanceof CliError) return error.code === 'NOT_RUNNING';
  return error instanceof SandboxError && error.body.code === 'ENDPOINT_ALREADY_EXISTS';
}

function deliveriesText(count: number): string {
  return `${count} ${count === 1 ? 'delivery' : 'deliveries'}`;
}

function noteHeld({ released, failed }: HeldCounts, io: Io): void {
  if (released > 0) noteSentence(io, `Released ${deliveriesText(released)} held while it was away.`);
  if (failed > 0)
    noteSentence(io, `Failed ${deliveriesText(failed)} held while it was away, because of --fresh.`);
}

/** Warns of other connected listeners that forward some of the same events to the same target. */
async function noteSameTargets(
  { io, options: { app, url } }: Invocation,
  plans: readonly ListenerPlan[],
): Promise<void> {
  const found = await withRunningSandbox({ io, options: { url } }, (client) =>
    client.get('endpoints', { app }),
  );
  for (const { name, target, events } of plans) {
    for (const other of found?.data ?? []) {
      const otherName = listenerNameOf(other.url);
      const forwarding = listenerTarget(other.description);
      if (target === undefined || forwarding === undefined || !other.connected || otherName === name)
        continue;
      const place = withoutUrlSecrets(target.href);
      if (!events.some((type) => other.events.includes(type))) continue;
      if (normalizedTarget(forwarding.target) !== normalizedTarget(place)) continue;
      const who = forwarding.by === 'start' ? '`sandbox start`' : 'Another `listen`';
      const warning =
        `${who} forwards to ${place} already (listener ${otherName}): what both receive arrives ` +
        'there twice.';
      noteSentence(io, `${io.colour.yellow('warning')} ${warning}`);
    }
  }
}

/** Replaces the several names of this machine by one. */
function normalizedTarget(target: string): string {
  const url = parseUrl(target);
  if (url === undefined) return target;
  if (isLoopbackName(url.hostname)) url.hostname = 'localhost';
  return url.href;
}
