import { withoutUrlSecrets } from '../../../text/redaction.js';
import { parseDuration } from '../../../contract/time.js';
import { durationOrUsage } from '../../program/arguments.js';
import { usageError } from '../../program/errors.js';
import type { Invocation, Options } from '../../program/io.js';

/** The tunnel that somebody asked for. */
export interface TunnelPlan {
  readonly relay: URL;
  /** The name to ask the relay for. */
  readonly name: string | undefined;
  /** How long it may stand, in milliseconds of real time. */
  readonly forMs: number;
}

const DEFAULT_RELAY = 'https://localtunnel.me';
const DEFAULT_TIME = '2h';
const LONGEST_MS = 86_400_000;
/** What relays take: letters, digits and hyphens, as in a host name. */
const NAME = /^[a-z0-9](?:[a-z0-9-]{2,61})[a-z0-9]$/;

/** Options that say nothing without `--tunnel`, by their names here and on the command line. */
const DEPENDENT: Readonly<Record<string, string>> = {
  tunnelHost: '--tunnel-host',
  tunnelSubdomain: '--tunnel-subdomain',
  tunnelFor: '--tunnel-for',
  tunnelInCi: '--tunnel-in-ci',
  secret: '--secret',
  secretFile: '--secret-file',
};

/** The tunnel that `--tunnel` asks for; undefined without it. Throws a usage error for what does not go together. */
export function planTunnel({ io, options }: Invocation): TunnelPlan | undefined {
  if (!options.flag('tunnel')) {
    const stray = Object.keys(DEPENDENT).find((name) => isGiven(options, name));
    if (stray === undefined) return undefined;
    throw usageError(`${DEPENDENT[stray]} goes with --tunnel.`, 'Add --tunnel, or leave it out.');
  }
  if (io.env.CI && !options.flag('tunnelInCi')) {
    throw usageError(
      '--tunnel opens this machine to the internet, and CI is set.',
      'Add --tunnel-in-ci where that is meant, or use `npx pix-sandbox exec`, which needs no tunnel.',
    );
  }
  if (options.flag('allowLocalEndpoints') || options.list('route').length > 0) {
    throw usageError(
      '--tunnel is not possible together with --allow-local-endpoints or --route: strangers could have the sandbox call this machine.',
      'Leave one of the two out.',
    );
  }
  return {
    relay: parseRelay(options.text('tunnelHost') ?? DEFAULT_RELAY),
    name: parseName(options.text('tunnelSubdomain')),
    forMs: parseTime(options.text('tunnelFor') ?? DEFAULT_TIME),
  };
}

function isGiven(options: Options, name: string): boolean {
  return options.text(name) !== undefined || options.flag(name) || options.list(name).length > 0;
}

function parseRelay(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBare = url !== undefined && `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (url !== undefined && isBare && /^https?:$/.test(url.protocol)) return url;
  throw usageError(
    `--tunnel-host takes the URL of a localtunnel relay; got ${withoutUrlSecrets(text)}.`,
    `For example: --tunnel-host ${DEFAULT_RELAY}`,
  );
}

function parseName(text: string | undefined): string | undefined {
  if (text === undefined || NAME.test(text)) return text;
  throw usageError(
    `--tunnel-subdomain takes 4 to 63 lower-case letters, digits and hyphens; got ${text}.`,
    'For example: --tunnel-subdomain my-shop-test',
  );
}

function parseTime(text: string): number {
  const ms = parseDuration(durationOrUsage('--tunnel-for', text)) ?? 0;
  if (ms > 0 && ms <= LONGEST_MS) return ms;
  throw usageError(`--tunnel-for takes a duration of real time up to 24h; got ${text}.`);
}
