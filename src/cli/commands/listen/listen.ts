import type { HeldCounts } from '../../../client/routes.js';
import { EVENT_TYPES } from '../../../contract/events.js';
import { createHttpSender } from '../../../delivery/http-attempt.js';
import type { EndpointView } from '../../../http/control/schema.js';
import { listenerNameOf, listenerTarget } from '../../../text/listener-name.js';
import { shortened, withoutUrlSecrets } from '../../../text/redaction.js';
import { isLoopbackName, parseUrl } from '../../../text/urls.js';
import type { InvocationOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import { withRunningSandbox } from '../../sandbox/find-sandbox.js';
import { noteSentence } from '../../terminal/text.js';
import { simulatedLines } from './attempt-lines.js';
import type { listen } from './command.js';
import { Forwarder } from './forwarder.js';
import { ListenerSession, type SessionPlan } from './listener-session.js';
import {
  type ListenerPlan,
  nothingForwarded,
  planFaults,
  planHeaders,
  planListeners,
  type PlannedFault,
  planTunnel,
} from './plan.js';

/** Warns of other connected listeners that forward some of the same events to the same target. */
async function noteSameTargets(
  { io, options }: InvocationOf<typeof listen>,
  plans: readonly ListenerPlan[],
): Promise<void> {
  const { app, url } = options;
  const found = await withRunningSandbox({ io, options: { url } }, (client) =>
    client.get('endpoints', { app }),
  );
  for (const { name, target, events } of plans) {
    if (target === undefined) continue;
    const place = withoutUrlSecrets(target.href);
    for (const other of found?.data ?? []) {
      const otherName = listenerNameOf(other.url);
      const isSame =
        other.connected && otherName !== name && events.some((type) => other.events.includes(type));
      const forwarding = listenerTarget(other.description);
      if (!isSame || forwarding === undefined || placeOf(forwarding.target) !== placeOf(place)) continue;
      const who = forwarding.by === 'start' ? '`sandbox start`' : 'Another `listen`';
      noteSentence(
        io,
        `${io.colour.yellow('warning')} ${who} forwards to ${place} already (listener ${otherName}): what both receive arrives there twice.`,
      );
    }
  }
}

/** A target as it is compared: this machine has several names. */
function placeOf(target: string): string {
  const url = parseUrl(target);
  if (url === undefined) return target;
  if (isLoopbackName(url.hostname)) url.hostname = 'localhost';
  return url.href;
}

type Invocation = InvocationOf<typeof listen>;

/** What `listen` is told by a command that it is a part of. */
export interface Within {
  readonly by: 'start' | 'exec';
  /** Gives up what is in flight. */
  readonly abandoned: AbortSignal;
  /** Called when every listener is connected. */
  readonly onConnected: () => void;
}

/**
 * `sandbox listen`: receives signed deliveries and forwards them, one listener for each target, until a signal; without a target,
 * it verifies them and answers 200 itself. `within` is there if it is part of another command.
 */
export async function receive(invocation: Invocation, within?: Within): Promise<void> {
  const { io, options } = invocation;
  const tunnel = planTunnel(io, options);
  if (tunnel !== undefined) {
    return (await import('./listen-tunnel.js')).listenThroughTunnel(invocation, tunnel);
  }
  const listeners = planListeners(options);
  const faults = planFaults(options);
  const headers = planHeaders(options.header);
  if (listeners[0].target === undefined) {
    noteSentence(io, nothingForwarded(!options.skipVerify));
    // It may come from a settings file.
    if (options.header.length > 0) io.note('--header is ignored: nothing is forwarded.');
  }
  if (within === undefined) await noteSameTargets(invocation, listeners);
  const sender = createHttpSender({ policy: { routes: new Map(), allowLocalEndpoints: true } });
  const forwarders: Forwarder[] = [];
  const sessions = listeners.map((listener) => {
    const { target } = listener;
    const endsSoon = within?.by === 'exec';
    const forwarder = new Forwarder({ io, target, sender, headers, endsSoon, abandoned: within?.abandoned });
    forwarders.push(forwarder);
    const plan = sessionPlan(listener, faults, invocation, within?.by);
    const onReady: SessionPlan['onReady'] = (...ready) => {
      plan.onReady(...ready);
      if (sessions.every(({ wasReady }) => wasReady)) within?.onConnected();
    };
    return new ListenerSession(invocation, { ...plan, onReady }, forwarder);
  });
  const leaveAll = () => Promise.all(sessions.map((session) => session.leave()));
  io.stopping.addEventListener('abort', () => void leaveAll(), { once: true });
  try {
    await Promise.all(sessions.map((session) => session.run()));
  } finally {
    await leaveAll();
    sender.close();
    if (within?.by !== 'exec' && sessions.some(({ wasReady }) => wasReady)) summarise(forwarders, io);
  }
}

function sessionPlan(
  { name, events, target }: ListenerPlan,
  faults: readonly PlannedFault[],
  { io, options }: Invocation,
  by: Within['by'] | undefined,
): SessionPlan {
  const { retries, timeout, concurrency, app, fresh, skipVerify, printSecret: prints } = options;
  const place = target === undefined ? undefined : withoutUrlSecrets(target.href);
  const description = `${by === 'start' ? by : 'listener'} → ${place ?? 'nothing'}`;
  return {
    registration: {
      retries,
      timeout: timeout?.text,
      concurrency,
      app,
      name,
      events,
      fresh,
      faults,
      description,
    },
    verifies: !skipVerify,
    onReady: (listener, secret, counts) => announce(listener, place, { secret, prints, by, ...counts }, io),
    onSimulated: (attempt) => {
      io.emit({ type: 'simulated', ...attempt });
      io.say(simulatedLines(attempt, io, by === 'exec').join('\n'));
    },
    onReset: (counts) => {
      noteSentence(io, 'The sandbox was reset; listening again.');
      noteHeld(counts, io);
    },
    onLeft: (held) => {
      if (held > 0 && by !== 'exec')
        noteSentence(
          io,
          `Held until ${name} returns: ${held} ${deliveries(held)}. With --fresh it does without them.`,
        );
    },
    onAway: () => {
      if (!io.stopping.aborted)
        noteSentence(io, io.colour.yellow('The sandbox went away; waiting for it to come back.'));
    },
  };
}

function announce(
  listener: EndpointView,
  place: string | undefined,
  {
    secret,
    prints,
    by,
    ...counts
  }: { secret: string; prints: boolean; by: Within['by'] | undefined } & HeldCounts,
  io: Io,
): void {
  io.emit({
    // The `ready` of `start` is its own.
    type: by === 'start' ? 'forwarding' : 'ready',
    listener,
    forward_to: place ?? null,
    ...counts,
    ...(prints ? { secret } : {}),
  });
  noteHeld(counts, io);
  if (listener.status === 'DISABLED') {
    noteSentence(io, io.colour.yellow(`It is disabled: \`${io.program} endpoints enable ${listener.id}\`.`));
  }
  const events = listener.events.length === EVENT_TYPES.length ? 'every event' : listener.events.join(', ');
  const what = place === undefined ? `Receiving ${events}.` : `Forwarding ${events} to ${place}`;
  if (by === 'start') {
    noteSentence(io, what);
    return;
  }
  noteSentence(io, `${io.colour.green('Ready.')} ${what}`);
  const leaves = by === undefined ? ' Ctrl-C leaves.' : '';
  noteSentence(
    io,
    `Deliveries are signed with ${prints ? secret : shortened(secret)} (SANDBOX_WEBHOOK_SECRET).${leaves}\n`,
  );
}

function deliveries(count: number): string {
  return count === 1 ? 'delivery' : 'deliveries';
}

/** What was held while the listener was away. */
function noteHeld({ released, failed }: HeldCounts, io: Io): void {
  if (released > 0) noteSentence(io, `Released ${released} ${deliveries(released)} held while it was away.`);
  if (failed > 0)
    noteSentence(io, `Failed ${failed} ${deliveries(failed)} held while it was away, because of --fresh.`);
}

function summarise(forwarders: readonly Forwarder[], io: Io): void {
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const accepted = sum(forwarders.map((forwarder) => forwarder.accepted));
  const failed = sum(forwarders.map((forwarder) => forwarder.failed));
  io.note(`\n${accepted} accepted, ${failed} failed.`);
}
