import { type ControlClient, NotReachableError, SandboxError } from '../../../client/control.js';
import { ListenerConnection, type ListenerNotice } from '../../../client/listener.js';
import type { HeldCounts } from '../../../client/routes.js';
import { EVENT_TYPES } from '../../../contract/enums.js';
import { isDisabled } from '../../../contract/transitions.js';
import { sleep } from '../../../delivery/abort.js';
import { createHttpSender, type HttpSender } from '../../../delivery/http-attempt.js';
import type { SandboxServer } from '../../../http/server/start.js';
import { parseListenerName, parseListenerTarget } from '../../../text/listener-name.js';
import { shortenSecret, redactUrl } from '../../../text/redaction.js';
import { isLoopbackName, parseUrl } from '../../../text/urls.js';
import { type InvocationOf, readOptions } from '../../program/declaration.js';
import { CliError } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import { findSandbox, withRunningSandbox } from '../../sandbox/find-sandbox.js';
import { printNote } from '../../terminal/text.js';
import { formatSimulated } from './attempt-text.js';
import { listen } from '../../declarations/serve.js';
import { Forwarder, type SandboxPorts } from './forwarder.js';
import {
  type ListenerPlan,
  describeNoForwarding,
  planFaults,
  planHeaders,
  planListeners,
  planTunnel,
} from './plan.js';

type Invocation = InvocationOf<typeof listen>;

interface EmbeddedContext {
  readonly by: 'start' | 'exec';
  /** Pending deliveries survive the command. */
  readonly isPersisted?: boolean;
  readonly abandoned: AbortSignal;
  readonly onConnected: () => void;
}

export interface EmbeddedListener {
  /** Stops like Ctrl-C: resolves when no attempt is in flight. */
  readonly leave: () => Promise<void>;
  readonly abandon: () => void;
}

interface WithinOptions extends Pick<EmbeddedContext, 'by' | 'isPersisted'> {
  readonly io: Io;
  readonly options: Partial<Invocation['options']> & Pick<Invocation['options'], 'forwardTo'>;
  readonly server: Pick<SandboxServer, 'url'>;
  readonly controlToken?: string | undefined;
}

/** Runs `listen` within another command; resolves when every listener is connected. */
export async function listenWithin(within: WithinOptions): Promise<EmbeddedListener> {
  const { by, isPersisted, io, options, server, controlToken } = within;
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
    listening = runListen(invocation, { by, isPersisted, abandoned: abandoned.signal, onConnected: resolve });
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
 * Runs `sandbox listen`: forwards signed deliveries until interrupted by a signal, with one listener per
 * target. Without a target, verifies deliveries and responds with 200.
 */
export async function runListen(invocation: Invocation, within?: EmbeddedContext): Promise<void> {
  const { io, options } = invocation;
  const tunnel = planTunnel(io, options);
  if (tunnel !== undefined) return (await import('./tunnel.js')).listenThroughTunnel(invocation, tunnel);
  const plans = planListeners(options);
  planFaults(options);
  planHeaders(options.header);
  if (plans[0].target === undefined) {
    printNote(io, describeNoForwarding(!options.skipVerify));
    // Not an error, because the option may come from a settings file.
    if (options.header.length > 0) io.note('--header is ignored: nothing is forwarded.');
  }
  if (within === undefined) await noteSameTargets(invocation, plans);
  const sender = createHttpSender({ policy: { routes: new Map(), allowLocalEndpoints: true } });
  const onReady = () => {
    if (sessions.every(({ wasReady }) => wasReady)) within?.onConnected();
  };
  const sessions = plans.map((plan) => new ListenerSession({ invocation, within, plan, sender, onReady }));
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
      for (const { forwarder } of sessions) forwarder.failures.note(io, within === undefined);
    }
  }
}

interface SessionOptions {
  readonly invocation: Invocation;
  readonly within: EmbeddedContext | undefined;
  readonly plan: ListenerPlan;
  readonly sender: HttpSender;
  readonly onReady: () => void;
}

const RECONNECT_MS = 500;

/** Runs one listener, and reconnects it when the sandbox is available again. */
class ListenerSession {
  readonly forwarder: Forwarder;
  wasReady = false;
  readonly #options: SessionOptions;
  readonly #io: Io;
  readonly #by: EmbeddedContext['by'] | undefined;
  readonly #place: string | undefined;
  /** Undefined for a derived name, which would only repeat the target. */
  readonly #name: string | undefined;
  #connection: ListenerConnection | undefined;
  #client: ControlClient | undefined;
  #side: SandboxPorts | undefined;
  #leaving: Promise<void> | undefined;

  constructor(options: SessionOptions) {
    const { invocation, within, plan, sender } = options;
    const { target } = plan;
    this.#options = options;
    this.#io = invocation.io;
    this.#by = within?.by;
    this.#name = invocation.options.name === undefined ? undefined : plan.name;
    this.#place = target === undefined ? undefined : redactUrl(target.href);
    this.forwarder = new Forwarder({
      io: invocation.io,
      target,
      sender,
      headers: planHeaders(invocation.options.header),
      endsSoon: within?.by === 'exec',
      abandoned: within?.abandoned,
    });
  }

  /** Listens until stopped. Rejects if no sandbox is running, or if the sandbox refuses the listener. */
  async run(): Promise<void> {
    await this.#connect();
    while (!this.#isLeaving) {
      this.#noteWarning('Lost connection to the sandbox. Reconnecting…');
      await this.#reconnect();
    }
  }

  /** Finishes attempts in flight and disconnects; the sandbox holds pending deliveries. */
  leave(): Promise<void> {
    this.#leaving ??= this.#disconnect();
    return this.#leaving;
  }

  get #isLeaving(): boolean {
    return this.#leaving !== undefined || this.#io.stopping.aborted;
  }

  async #connect(): Promise<void> {
    const { invocation, plan } = this.#options;
    const { options } = invocation;
    const client = findSandbox(invocation);
    this.#client = client;
    this.#side = undefined;
    this.#connection = new ListenerConnection(client, {
      onNotice: (notice) => this.#handleNotice(client, notice),
      onAttempt: async (attempt, report) => {
        if (this.#side !== undefined) await this.forwarder.forward(this.#side, attempt, report);
      },
    });
    await this.#connection.run({
      name: plan.name,
      events: plan.events,
      retries: options.retries,
      timeout: options.timeout?.text,
      concurrency: options.concurrency,
      app: options.app,
      // `--fresh` fails held deliveries only on the first connection.
      fresh: options.fresh && !this.wasReady,
      faults: planFaults(options),
      description: `${this.#name ?? (this.#by === 'start' ? 'start' : 'listener')} → ${this.#place ?? 'nothing'}`,
    });
  }

  async #reconnect(): Promise<void> {
    while (!this.#isLeaving) {
      await sleep(RECONNECT_MS, this.#io.stopping).catch(() => undefined);
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
    const held = (await this.#connection?.leave()) ?? 0;
    this.#client?.close();
    if (held === 0 || this.#by === 'exec') return;
    const { within } = this.#options;
    const text = deliveriesText(held);
    printNote(
      this.#io,
      within?.isPersisted === false
        ? `Lost, because this sandbox is in memory: ${text}. Use --data to keep deliveries across restarts.`
        : `Held until ${this.#name ?? 'this listener'} reconnects: ${text}. Use --fresh to fail them instead.`,
    );
  }

  #handleNotice(client: ControlClient, notice: ListenerNotice): void {
    if (notice.type === 'simulated') {
      this.#io.emit(notice);
      this.#io.say(formatSimulated(notice, this.#io, this.#by === 'exec').join('\n'));
      return;
    }
    const { listener, secret, released, failed } = notice;
    const { printSecret, skipVerify } = this.#options.invocation.options;
    const wasReset = this.#side !== undefined;
    this.#side = { client, secret: skipVerify ? null : secret, sends: new Map() };
    if (this.#isLeaving) return;
    this.wasReady = true;
    const io = this.#io;
    if (wasReset) {
      printNote(io, 'The sandbox was reset; listening again.');
      return noteHeld({ released, failed }, io);
    }
    const isStart = this.#by === 'start';
    const place = this.#place;
    // `start` emits its own `ready` message.
    const ready = { type: isStart ? 'forwarding' : 'ready', listener, forward_to: place ?? null };
    io.emit({ ...ready, released, failed, ...(printSecret ? { secret } : {}) });
    noteHeld({ released, failed }, io);
    if (isDisabled(listener.status)) {
      this.#noteWarning(`This listener is disabled: \`${io.program} endpoints enable ${listener.id}\`.`);
    }
    const events = listener.events.length === EVENT_TYPES.length ? 'every event' : listener.events.join(', ');
    const what = place === undefined ? `Receiving ${events}.` : `Forwarding ${events} to ${place}`;
    printNote(io, isStart ? what : `${io.colors.green('Ready.')} ${what}`);
    if (!isStart) {
      const signedWith = `${printSecret ? secret : shortenSecret(secret)} (SANDBOX_WEBHOOK_SECRET)`;
      const leaves = this.#by === undefined ? ' Press Ctrl-C to stop.' : '';
      printNote(io, `Deliveries are signed with ${signedWith}.${leaves}\n`);
    }
    this.#options.onReady();
  }

  #noteWarning(text: string): void {
    if (!this.#io.stopping.aborted) printNote(this.#io, this.#io.colors.yellow(text));
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
  const wasAway = 'held while the listener was disconnected';
  if (released > 0) printNote(io, `Released ${deliveriesText(released)} ${wasAway}.`);
  if (failed > 0) printNote(io, `Failed ${deliveriesText(failed)} ${wasAway}, because of --fresh.`);
}

/** Warns about other connected listeners that forward the same events to the same target. */
async function noteSameTargets(
  { io, options: { app, url } }: Invocation,
  plans: readonly ListenerPlan[],
): Promise<void> {
  const found = await withRunningSandbox({ io, options: { url } }, (client) =>
    client.get('endpoints', { app }),
  );
  const others = (found?.data ?? []).filter(({ connected }) => connected);
  for (const { name, target, events } of plans) {
    if (target === undefined) continue;
    const place = redactUrl(target.href);
    for (const other of others) {
      const otherName = parseListenerName(other.url);
      const forwarding = parseListenerTarget(other.description);
      if (forwarding === undefined || otherName === name) continue;
      if (!events.some((type) => other.events.includes(type))) continue;
      if (normalizedTarget(forwarding.target) !== normalizedTarget(place)) continue;
      const who = forwarding.by === 'start' ? '`sandbox start`' : 'Another listener';
      printNote(
        io,
        `${io.colors.yellow('warning')} ${who} already forwards to ${place} (listener ${otherName}): ` +
          'events received by both arrive there twice.',
      );
    }
  }
}

function normalizedTarget(target: string): string {
  const url = parseUrl(target);
  if (url !== undefined && isLoopbackName(url.hostname)) url.hostname = 'localhost';
  return url?.href ?? target;
}
