import type { FailedTry } from '../../../tunnel/tunnel.js';
import { keepTunnel, TunnelGone } from '../../../tunnel/tunnel.js';
import type { Pause } from '../../../tunnel/tunnel.js';
import type { Probe } from '../../../tunnel/tunnel.js';
import { CliError, EXIT } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import { oneLine } from '../../terminal/text.js';
import type { TunnelPlan } from './tunnel-plan.js';

export interface TunnelRun {
  readonly plan: TunnelPlan;
  /** Where the local server that answers the probe listens. */
  readonly localPort: number;
  readonly probe: Probe;
  /** Closes the tunnel at once. */
  readonly signal: AbortSignal;
  readonly io: Io;
  /** Called when the public origin is known, before anything passes through it. */
  readonly onUrl?: (url: string) => void;
  /** Called when the tunnel opens for the first time. */
  readonly onReady: (url: string) => void;
  /** Waits between tries; by default in real time. */
  readonly pause?: Pause;
}

/**
 * Keeps a tunnel open until the signal aborts, and prints its state. Rejects with exit 1: TUNNEL_FAILED if it cannot be opened,
 * TUNNEL_LOST if it was open and cannot be opened again.
 */
export async function runTunnel({ plan, io, onUrl, onReady, ...rest }: TunnelRun): Promise<void> {
  const { relay, name } = plan;
  warn(relay, io);
  let ready: string | undefined;
  const onOpen = (url: string) => {
    if (ready === undefined) onReady(url);
    else reopened(url, ready, io);
    ready = url;
  };
  const options = { ...rest, relay, name, onUrl: onUrl ?? (() => undefined), onOpen };
  try {
    await keepTunnel({ ...options, onFailedTry: (failed) => tellFailed(failed, io) });
  } catch (error) {
    if (error instanceof TunnelGone) throw gone(error);
    throw error;
  }
}

function warn(relay: URL, io: Io): void {
  io.note(
    `${io.colour.yellow('warning')} All traffic passes through ${relay.host}, which others may run and which can read and change it. Send only test data.`,
  );
}

function reopened(url: string, before: string, io: Io): void {
  io.emit({ type: 'tunnel', state: 'open', url, changed: url !== before });
  const { green, yellow, bold } = io.colour;
  if (url === before) io.note(`${green('The tunnel is open again')} at ${url}`);
  else io.note(`${yellow('The public URL has changed.')} Register ${bold(url)} instead of ${before}`);
}

function tellFailed({ reason, tries, limit, waitMs }: FailedTry, io: Io): void {
  io.emit({ type: 'tunnel', state: 'failed', reason, tries, limit, wait_ms: waitMs });
  const next = `Try ${tries + 1} of ${limit} follows in ${waitMs / 1000} s.`;
  io.note(`${io.colour.yellow('The tunnel is closed.')} ${oneLine(reason, 0)} ${next}`);
}

function gone({ message, wasOpen }: TunnelGone): CliError {
  const what = wasOpen
    ? 'The tunnel broke and could not be opened again.'
    : 'The tunnel could not be opened.';
  return new CliError(EXIT.no, wasOpen ? 'TUNNEL_LOST' : 'TUNNEL_FAILED', `${what} ${oneLine(message, 0)}`, {
    hint: 'Check the connection to the internet, or take another localtunnel relay with --tunnel-host URL.',
  });
}
