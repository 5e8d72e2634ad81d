import { LIMITS } from '../../../contract/limits.js';
import { withoutUrlSecrets } from '../../../text/redaction.js';
import { parseDuration } from '../../../contract/time.js';
import { EVENT_TYPES } from '../../../contract/events.js';
import { createHttpSender } from '../../../delivery/http-attempt.js';
import { openInbox } from '../../../tunnel/inbox.js';
import { newProbe } from '../../../tunnel/probe.js';
import { durationOrUsage } from '../../program/arguments.js';
import { usageError } from '../../program/errors.js';
import type { Invocation, Io, Options } from '../../program/io.js';
import type { ListenerPlan } from './plan.js';
import { planConcurrency, planHeaders, planListeners } from './plan.js';
import type { FoundSecret } from '../../signatures/secrets.js';
import { findWebhookSecrets, secretText } from '../../signatures/secrets.js';
import { TunnelForwarder } from './tunnel-forwarder.js';
import type { TunnelPlan } from './tunnel-plan.js';
import { runTunnel } from './tunnel-run.js';

/** Relays hold few connections, so this many are never reached by what they let through. */
const DEFAULT_CONCURRENCY = 16;

/**
 * `sandbox listen --tunnel`: takes deliveries at a public URL, from whoever sends them, and forwards those whose signature
 * holds. Needs no sandbox: the sender may be the real TEST environment.
 */
export async function listenThroughTunnel(invocation: Invocation, plan: TunnelPlan): Promise<void> {
  const { io, options } = invocation;
  checkOptions(options, io);
  const routes = routesOf(options);
  const secrets = options.flag('skipVerify') ? null : await findWebhookSecrets(invocation);
  const timeoutMs = timeoutOf(options);
  const sender = createHttpSender({
    policy: { routes: new Map(), allowLocalEndpoints: true },
    maxBodyBytes: LIMITS.controlBodyBytes,
  });
  const forwarder = new TunnelForwarder({
    io,
    routes,
    takesAll: routes[0].events.length === EVENT_TYPES.length,
    sender,
    headers: planHeaders(options),
    secrets: secrets?.map(({ secret }) => secret) ?? null,
    timeoutMs,
  });
  const probe = newProbe();
  const inbox = await openInbox({
    probe,
    bodyBytes: LIMITS.controlBodyBytes,
    bodyMs: timeoutMs,
    headerLines: LIMITS.requestHeaders,
    concurrency: planConcurrency(options) ?? DEFAULT_CONCURRENCY,
    handle: (incoming) => forwarder.take(incoming),
  });
  let wasReady = false;
  try {
    await runTunnel({
      plan,
      io,
      probe,
      localPort: inbox.port,
      signal: io.stopping,
      onReady: (url) => {
        wasReady = true;
        announce(url, plan, routes, secrets, io);
      },
    });
  } finally {
    sender.close();
    await inbox.close();
    if (wasReady) summarise(forwarder, io);
  }
}

/** What a sandbox does with its own deliveries, and nobody can ask of another sender. */
const SANDBOX_OPTIONS: Readonly<Record<string, string>> = {
  name: '--name',
  simulate: '--simulate',
  duplicate: '--duplicate',
  shuffle: '--shuffle',
  delay: '--delay',
  app: '--app',
  printSecret: '--print-secret',
};

function checkOptions(options: Options, io: Io): void {
  const stray = Object.keys(SANDBOX_OPTIONS).find(
    (name) => options.text(name) !== undefined || options.flag(name),
  );
  if (stray !== undefined) {
    throw usageError(
      `${SANDBOX_OPTIONS[stray]} is for deliveries of a sandbox; with --tunnel, anybody may be the sender.`,
      'Leave one of the two out.',
    );
  }
  // It may stand in a file that is meant for other calls.
  if (options.text('retries') !== undefined)
    io.note('--retries is left out: with --tunnel the sender decides.');
}

function routesOf(options: Options): readonly [ListenerPlan, ...ListenerPlan[]] {
  const [first, ...others] = planListeners(options);
  if (first === undefined) throw new RangeError('Expected a listener for each --forward-to.');
  return [first, ...others];
}

function timeoutOf(options: Options): number {
  const text = options.text('timeout');
  if (text === undefined) return LIMITS.attemptTimeoutMs;
  return parseDuration(durationOrUsage('--timeout', text)) ?? LIMITS.attemptTimeoutMs;
}

function announce(
  url: string,
  { relay }: TunnelPlan,
  routes: readonly ListenerPlan[],
  secrets: readonly FoundSecret[] | null,
  io: Io,
): void {
  const targets = routes.map(({ target }) => withoutUrlSecrets(target.href));
  io.emit({ type: 'ready', url, relay: relay.host, forward_to: targets, verifies: secrets !== null });
  const { green, bold, yellow } = io.colour;
  io.note(`${green('Ready.')} Register ${bold(url)} as the webhook URL, with any path.`);
  io.note(`What comes there is forwarded to ${targets.join(', ')}`);
  if (secrets === null) io.note(yellow('Nothing is verified, so anybody can send to your application.'));
  for (const index of (secrets ?? []).keys()) {
    io.note(`Verified with secret ${secretText(secrets ?? [], index)}`);
  }
  io.note('Ctrl-C closes the tunnel.\n');
}

function summarise({ accepted, failed, kept }: TunnelForwarder, io: Io): void {
  io.note(`\n${accepted} accepted, ${failed} failed, ${kept} not forwarded.`);
}
