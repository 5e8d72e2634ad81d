import { formatDuration, formatIsoTime } from '../../../contract/time.js';
import { servePublic } from '../../../http/server/serve-public.js';
import type { SandboxServer } from '../../../http/server/start.js';
import { createProbe } from '../../../tunnel/tunnel.js';
import { CliError } from '../../program/errors.js';
import type { InvocationOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import type { TunnelPlan } from '../listen/plan.js';
import { runTunnel } from '../listen/tunnel.js';
import type { start } from '../../declarations/serve.js';
import { mapEnvironment } from '../../../text/environment.js';
import { parseMapping } from '../../program/options.js';
import { createTimeout } from '../../../delivery/abort.js';

/**
 * Exposes a sandbox's service through a tunnel until the command is stopped or the time limit expires.
 * Rejects if the tunnel cannot be opened; if the tunnel is lost later, the sandbox keeps running, because it
 * holds the user's data.
 */
export async function showThroughTunnel(
  { sandbox, env }: SandboxServer,
  plan: TunnelPlan,
  { io, options }: InvocationOf<typeof start>,
  onOrigin: (origin: string | undefined) => void,
): Promise<void> {
  const probe = createProbe();
  let origin: string | undefined;
  const served = await servePublic(sandbox, {
    origin: () => origin,
    probe,
    pay: options.payPage ? { buttons: options.payButtons } : undefined,
  });
  const timeUp = createTimeout(plan.forMs);
  const endsAt = Date.now() + plan.forMs;
  try {
    await runTunnel({
      plan,
      io,
      probe,
      localPort: served.port,
      signal: AbortSignal.any([io.stopping, timeUp]),
      onUrl: (url) => {
        origin = url;
        onOrigin(url);
      },
      onReady: (url) => {
        const urls = { SANDBOX_BASE_URL: url, SANDBOX_KYC_API_URL: url, SANDBOX_KYC_HOSTED_URL: url };
        const all = Object.entries(mapEnvironment({ ...env, ...urls }, parseMapping(options.env)));
        const local = Object.values<string>(env);
        const changed = all.filter(([, value]) => !local.includes(value));
        announce(url, endsAt, Object.fromEntries(changed), plan, io);
        if (options.payPage) io.note(payPagesNote(io, options.payButtons));
      },
    });
    if (timeUp.aborted) reportClosed(`The tunnel was closed after ${formatDuration(plan.forMs)}.`, io);
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'TUNNEL_LOST') throw error;
    reportClosed(error.message, io);
  } finally {
    onOrigin(undefined);
    await served.close(0);
  }
}

function announce(
  url: string,
  endsAt: number,
  env: Readonly<Record<string, string>>,
  { relay, forMs }: TunnelPlan,
  io: Io,
): void {
  io.emit({ type: 'tunnel', state: 'open', url, relay: relay.host, ends_at: formatIsoTime(endsAt), env });
  const { bold, yellow } = io.colors;
  io.note(
    `\n${yellow('PUBLIC')} The service is exposed to the internet at ${bold(url)} for ${formatDuration(forMs)}`,
  );
  for (const [name, value] of Object.entries(env)) io.note(`  ${name}=${value}`);
  io.note('The control API is not exposed. Anyone with the credentials above can use the service.\n');
}

function payPagesNote({ program }: Io, hasButtons: boolean): string {
  const buttons = hasButtons ? 'with' : 'without';
  return (
    `The pay pages are also public, ${buttons} their buttons. \`${program} charges show\` ` +
    `prints a local URL; that page shows its public URL.\n`
  );
}

function reportClosed(reason: string, io: Io): void {
  io.emit({ type: 'tunnel', state: 'closed', reason });
  io.note(
    `${io.colors.yellow('The service is no longer public.')} ${reason} The sandbox keeps ` +
      'running for this machine; restart the sandbox with --tunnel to get a new URL.',
  );
}
