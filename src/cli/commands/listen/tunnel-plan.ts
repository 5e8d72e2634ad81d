import { parseUrl } from '../../../text/urls.js';
import { withoutUrlSecrets } from '../../../text/redaction.js';
import type { InvocationOf } from '../../program/declaration.js';
import { flagsGiven } from '../../program/declaration.js';
import { usageError } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import type { Duration } from '../../program/options.js';
import type { start } from '../start/command.js';
import type { TUNNEL } from '../start/sandbox-options.js';
import type { listen } from './command.js';

type StartOptions = InvocationOf<typeof start>['options'];
type ListenOptions = InvocationOf<typeof listen>['options'];

export interface TunnelPlan {
  readonly relay: URL;
  /** The name to request from the relay. */
  readonly name: string | undefined;
  /** How long it may stay open, in milliseconds of real time. */
  readonly forMs: number;
}

const DEFAULT_RELAY = 'https://localtunnel.me';
const DEFAULT_TIME = { text: '2h', ms: 7_200_000 };
const LONGEST_MS = 86_400_000;
/** What relays accept: letters, digits and hyphens, as in a host name. */
const NAME = /^[a-z0-9](?:[a-z0-9-]{2,61})[a-z0-9]$/;

/** Options that need `--tunnel`. */
const DEPENDENT = [
  'tunnelHost',
  'tunnelSubdomain',
  'tunnelFor',
  'tunnelInCi',
  'payPage',
  'secret',
  'secretFile',
] as const;

type Options = Pick<StartOptions, 'tunnel' | keyof typeof TUNNEL> &
  Partial<Pick<StartOptions, 'tunnelFor' | 'payPage' | 'route' | 'allowLocalEndpoints'>> &
  Partial<Pick<ListenOptions, 'secret' | 'secretFile'>>;

/** The tunnel that `--tunnel` requests; undefined without it. Throws a usage error for conflicting options. */
export function planTunnel({ env }: Pick<Io, 'env'>, options: Options): TunnelPlan | undefined {
  const { tunnel, tunnelInCi, allowLocalEndpoints = false, route = [] } = options;
  if (!tunnel) {
    const [stray] = flagsGiven(options, DEPENDENT);
    if (stray === undefined) return undefined;
    throw usageError(`${stray} goes with --tunnel.`, 'Add --tunnel, or leave it out.');
  }
  if (env.CI && !tunnelInCi) {
    throw usageError(
      '--tunnel opens this machine to the internet, and CI is set.',
      'Add --tunnel-in-ci if that is intended, or use `npx sandbox exec`, which needs no tunnel.',
    );
  }
  if (allowLocalEndpoints || route.length > 0) {
    throw usageError(
      '--tunnel is not possible together with --allow-local-endpoints or --route: strangers could make the sandbox call this machine.',
      'Leave one of the two out.',
    );
  }
  return {
    relay: parseRelay(options.tunnelHost ?? DEFAULT_RELAY),
    name: parseName(options.tunnelSubdomain),
    forMs: parseTime(options.tunnelFor),
  };
}

function parseRelay(text: string): URL {
  const url = parseUrl(text);
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

function parseTime({ text, ms }: Duration = DEFAULT_TIME): number {
  if (ms > 0 && ms <= LONGEST_MS) return ms;
  throw usageError(`--tunnel-for takes a duration of real time up to 24h; got ${text}.`);
}
