import { LIMITS } from '../../../contract/limits.js';
import { withoutUrlSecrets } from '../../../text/redaction.js';
import { EVENT_TYPES } from '../../../contract/events.js';
import { createHttpSender } from '../../../delivery/http-attempt.js';
import { openInbox } from '../../../tunnel/inbox.js';
import { newProbe } from '../../../tunnel/tunnel.js';
import { usageError } from '../../program/errors.js';
import type { InvocationOf } from '../../program/declaration.js';
import { flagsGiven } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import type { listen } from './command.js';
import type { ListenerPlan } from './plan.js';
import { nothingForwarded, planHeaders, planListeners } from './plan.js';
import type { FoundSecret } from '../../signatures/secrets.js';
import { findWebhookSecrets, secretText } from '../../signatures/secrets.js';
import { TunnelForwarder } from './tunnel-forwarder.js';
import type { TunnelPlan } from './tunnel-plan.js';
import { runTunnel } from './tunnel-run.js';

type Invocation = InvocationOf<typeof listen>;
type Options = Invocation['options'];

/** Far more than the few connections that a relay opens. */
const DEFAULT_CONCURRENCY = 16;

/**
 * `sandbox listen --tunnel`: receives deliveries from any sender at a public URL, and forwards those with a valid
 * signature. Needs no sandbox: the sender may be the real TEST environment.
 */
export async function listenThroughTunnel(invocation: Invocation, plan: TunnelPlan): Promise<void> {
  const { io, options } = invocation;
  checkOptions(options, io);
  const routes = planListeners(options);
  const secrets = options.skipVerify ? null : await findWebhookSecrets(invocation);
  const timeoutMs = options.timeout?.ms ?? LIMITS.attemptTimeoutMs;
  const sender = createHttpSender({
    policy: { routes: new Map(), allowLocalEndpoints: true },
    maxBodyBytes: LIMITS.controlBodyBytes,
  });
  const forwarder = new TunnelForwarder({
    io,
    routes,
    takesAll: routes[0].events.length === EVENT_TYPES.length,
    sender,
    headers: planHeaders(options.header),
    secrets: secrets?.map(({ secret }) => secret) ?? null,
    timeoutMs,
  });
  const probe = newProbe();
  const inbox = await openInbox({
    probe,
    bodyBytes: LIMITS.controlBodyBytes,
    bodyMs: timeoutMs,
    headerLines: LIMITS.requestHeaders,
    concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
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

/** Options that only work for deliveries of a sandbox. */
const SANDBOX_OPTIONS = [
  'name',
  'simulate',
  'duplicate',
  'shuffle',
  'delay',
  'app',
  'fresh',
  'printSecret',
] as const;

function checkOptions(options: Options, io: Io): void {
  const [stray] = flagsGiven(options, SANDBOX_OPTIONS);
  if (stray !== undefined) {
    throw usageError(
      `${stray} is for deliveries of a sandbox; with --tunnel, the sender may be anyone.`,
      'Leave one of the two out.',
    );
  }
  // It may come from a settings file.
  if (options.retries !== undefined) io.note('--retries is ignored: with --tunnel the sender decides.');
}

function announce(
  url: string,
  { relay }: TunnelPlan,
  routes: readonly ListenerPlan[],
  secrets: readonly FoundSecret[] | null,
  io: Io,
): void {
  const targets = routes.flatMap(({ target }) =>
    target === undefined ? [] : withoutUrlSecrets(target.href),
  );
  io.emit({ type: 'ready', url, relay: relay.host, forward_to: targets, verifies: secrets !== null });
  const { green, bold, yellow } = io.colour;
  io.note(`${green('Ready.')} Register ${bold(url)} as the webhook URL, with any path.`);
  io.note(
    targets.length === 0
      ? nothingForwarded(secrets !== null)
      : `Webhooks are forwarded to ${targets.join(', ')}`,
  );
  if (secrets === null && targets.length > 0)
    io.note(yellow('Nothing is verified, so anyone can send to your application.'));
  for (const index of (secrets ?? []).keys()) {
    io.note(`Verified with secret ${secretText(secrets ?? [], index)}`);
  }
  io.note('Ctrl-C closes the tunnel.\n');
}

function summarise({ accepted, failed, kept }: TunnelForwarder, io: Io): void {
  io.note(`\n${accepted} accepted, ${failed} failed, ${kept} not forwarded.`);
}
