import { createHash } from 'node:crypto';
import { DEFAULT_RELAY } from '../../../config/settings.js';
import { getLongDelay } from '../../../contract/delay.js';
import { EVENT_TYPES, type EventType } from '../../../contract/enums.js';
import { LIMITS } from '../../../contract/limits.js';
import { readForwardTarget } from '../../../text/forward-target.js';
import { matchesGlob } from '../../../text/globs.js';
import {
  LISTENER_NAME_FORM,
  LISTENER_NAME_LENGTH,
  describeListenerNameRule,
} from '../../../text/listener-name.js';
import { redactUrl } from '../../../text/redaction.js';
import { parseUrl } from '../../../text/urls.js';
import { parseChoice, createUsageError } from '../../program/errors.js';
import { listPassedFlags, type InvocationOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import { parseDelayOption } from '../../program/options.js';
import { toOneLine, shortenHeader } from '../../terminal/text.js';
import type { start } from '../../declarations/serve.js';
import type { TUNNEL_OPTIONS } from '../../program/setting-options.js';
import type { listen } from '../../declarations/serve.js';

type StartOptions = InvocationOf<typeof start>['options'];
type ListenOptions = InvocationOf<typeof listen>['options'];

export interface TunnelPlan {
  readonly relay: URL;
  readonly name: string | undefined;
  /** Real-time limit for the tunnel. */
  readonly forMs: number;
}

const DEFAULT_TIME = { text: '2h', ms: 7_200_000 };
const LONGEST_MS = 86_400_000;
/** Subdomains accepted by relays. */
const SUBDOMAIN = /^[a-z0-9](?:[a-z0-9-]{2,61})[a-z0-9]$/;
const DEPENDENT = [
  'tunnelHost',
  'tunnelSubdomain',
  'tunnelFor',
  'tunnelInCi',
  'payPage',
  'secret',
  'secretFile',
] as const;

type TunnelFlags = Pick<StartOptions, 'tunnel' | keyof typeof TUNNEL_OPTIONS> &
  Partial<Pick<StartOptions, 'tunnelFor' | 'payPage' | 'route' | 'allowLocalEndpoints'>> &
  Partial<Pick<ListenOptions, 'secret' | 'secretFile'>>;

/**
 * Parses the tunnel options; returns undefined without `--tunnel`. Throws a usage error for invalid options.
 */
export function planTunnel({ env }: Pick<Io, 'env'>, options: TunnelFlags): TunnelPlan | undefined {
  const { tunnel, tunnelInCi, allowLocalEndpoints = false, route = [] } = options;
  const { tunnelHost = DEFAULT_RELAY, tunnelSubdomain: name, tunnelFor = DEFAULT_TIME } = options;
  if (!tunnel) {
    const [stray] = listPassedFlags(options, DEPENDENT);
    if (stray === undefined) return undefined;
    throw createUsageError(`${stray} requires --tunnel.`, 'Add --tunnel, or omit the option.');
  }
  if (env.CI && !tunnelInCi) {
    throw createUsageError(
      '--tunnel exposes this machine to the internet, so it is disabled in CI.',
      'Add --tunnel-in-ci to allow tunnels, or use `npx sandbox exec`, which requires no tunnel.',
    );
  }
  if (allowLocalEndpoints || route.length > 0) {
    throw createUsageError(
      '--tunnel cannot be combined with --allow-local-endpoints or --route: others ' +
        'could make the sandbox send requests to this machine.',
      'Remove one of the two options.',
    );
  }
  const relay = parseUrl(tunnelHost);
  const isBare =
    relay !== undefined && `${relay.username}${relay.password}${relay.search}${relay.hash}` === '';
  if (!isBare || !/^https?:$/.test(relay.protocol)) {
    throw createUsageError(
      `--tunnel-host must be the URL of a localtunnel relay; got ${redactUrl(tunnelHost)}.`,
      `For example: --tunnel-host ${DEFAULT_RELAY}`,
    );
  }
  if (name !== undefined && !SUBDOMAIN.test(name)) {
    throw createUsageError(
      `--tunnel-subdomain must have 4 to 63 lowercase letters, digits and hyphens; got ${name}.`,
      'For example: --tunnel-subdomain my-shop-test',
    );
  }
  const { text, ms: forMs } = tunnelFor;
  if (forMs > 0 && forMs <= LONGEST_MS) return { relay, name, forMs };
  throw createUsageError(`--tunnel-for must be a real-time duration of up to 24h; got ${text}.`);
}

export interface ListenerPlan {
  readonly name: string;
  /** Without a target, even invalid deliveries get a 200 response. */
  readonly target: URL | undefined;
  readonly events: readonly EventType[];
}

/** Plans one listener per `--forward-to` target, or a single one without a target. */
export function planListeners({
  forwardTo,
  events: given = '*',
  name,
}: Pick<ListenOptions, 'forwardTo' | 'events' | 'name'>): readonly [ListenerPlan, ...ListenerPlan[]] {
  const wanted = parseEventTypes(given);
  const routes: readonly Omit<ListenerPlan, 'name'>[] =
    forwardTo.length === 0
      ? [{ target: undefined, events: wanted }]
      : forwardTo.map((text) => planRoute(text, wanted));
  const names = listenerNames(
    name,
    routes.map(({ target }) => target),
  );
  const plans = routes.map(({ target, events }, index) => ({ name: names[index] ?? '', target, events }));
  return plans as [ListenerPlan, ...ListenerPlan[]];
}

export function describeNoForwarding(verifies: boolean): string {
  const done = verifies ? 'verified and gets a 200 response' : 'accepted with 200 without verification';
  return `Nothing is forwarded: every delivery is ${done}. To forward deliveries, use --forward-to 3000/webhooks`;
}

function planRoute(text: string, wanted: readonly EventType[]): Omit<ListenerPlan, 'name'> {
  const [globs, target] = splitRoute(text);
  const events =
    globs === undefined ? wanted : parseEventTypes(globs).filter((type) => wanted.includes(type));
  if (events.length > 0) return { target: parseForwardTarget(target), events };
  throw createUsageError(`--forward-to ${redactUrl(text)} and --events have no event in common.`);
}

/** Splits `pix.*=localhost:3000/pix` into patterns and target; a `=` after `/` or `?` is part of the URL. */
export function splitRoute(text: string): [globs: string | undefined, target: string] {
  const [, globs, target = text] = /^([a-z*.,]+)=(.+)$/.exec(text) ?? [];
  return [globs, target];
}

export function parseForwardTarget(text: string): URL {
  const read = readForwardTarget(text);
  if ('url' in read) return read.url;
  if (read.problem === 'password')
    throw createUsageError('--forward-to must not contain a user name or password.');
  throw createUsageError(
    `--forward-to must be a port, a path, host:port/path or an http URL; got ${redactUrl(text)}.`,
    read.meant === undefined
      ? 'For example: --forward-to localhost:3000/webhooks'
      : `Did you mean ${redactUrl(read.meant)}?`,
  );
}

/** Parses a list of names and patterns such as `pix.*,withdrawal.failed` into event types. */
export function parseEventTypes(text: string): readonly EventType[] {
  const found = text.split(',').flatMap((given) => {
    const pattern = given.trim();
    const matches = EVENT_TYPES.filter((type) => matchesGlob(pattern, type));
    if (matches.length === 0) parseChoice('event', pattern, EVENT_TYPES);
    return matches;
  });
  const wanted = new Set(found);
  return EVENT_TYPES.filter((type) => wanted.has(type));
}

/** Leaves space for a numeric suffix. */
const DERIVED_LENGTH = 36;
const HASH_LENGTH = 8;
const LONGEST_SHOWN = 60;

/**
 * Returns each target's listener name: `--name`, numbered for further targets, or a name derived from the
 * target, so that rerunning the command reuses the name.
 */
function listenerNames(given: string | undefined, targets: readonly (URL | undefined)[]): readonly string[] {
  if (given === undefined) return distinct(targets.map(derivedName));
  const room = LISTENER_NAME_LENGTH - (targets.length < 2 ? 0 : `-${targets.length}`.length);
  if (!LISTENER_NAME_FORM.pattern.test(given) || given.length > room) {
    const shown = given === '' ? '""' : toOneLine(given, LONGEST_SHOWN);
    throw createUsageError(
      `--name must have ${describeListenerNameRule(room)}; got ${shown}.`,
      `For example: --name ${plain(given.slice(0, room)) || 'dev'}`,
    );
  }
  return targets.map((_, index) => (index === 0 ? given : `${given}-${index + 1}`));
}

/** Derives a name from host, port and path, without redacted values. */
function derivedName(target: URL | undefined): string {
  const place = target === undefined ? '' : redactUrl(target.href).replace(/^https?:/, '');
  const name = plain(place) || 'listener';
  if (name.length <= DERIVED_LENGTH) return name;
  const hash = createHash('sha256').update(place).digest('hex').slice(0, HASH_LENGTH);
  return `${plain(name.slice(0, DERIVED_LENGTH - HASH_LENGTH - 1))}-${hash}`;
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

function distinct(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  for (const name of names) {
    let own = name;
    for (let number = 2; taken.has(own); number += 1) own = `${name}-${number}`;
    taken.add(own);
  }
  return [...taken];
}

type PlannedFault = { readonly action: string } & Readonly<Record<string, string | number>>;

/** Parses `--simulate`, `--duplicate`, `--shuffle` and `--delay` into faults. */
export function planFaults({
  simulate,
  duplicate,
  shuffle,
  delay,
}: Pick<ListenOptions, 'simulate' | 'duplicate' | 'shuffle' | 'delay'>): readonly PlannedFault[] {
  const faults = simulate === undefined ? [] : simulate.split(',').flatMap(simulated);
  const chance = (option: string, text: string | undefined, fault: PlannedFault) => {
    if (text !== undefined) faults.push({ ...fault, probability: probabilityOf(option, text) });
  };
  chance('--duplicate', duplicate, { action: 'duplicate', copies: 1 });
  chance('--shuffle', shuffle, { action: 'reorder' });
  const [, probability = '1', time = ''] = /^(?:([^:]*):)?([^]*)$/.exec(delay ?? '') ?? [];
  if (delay !== undefined)
    chance('--delay', probability, { on: 'delivery', action: 'delay', delay: shortDelay('--delay', time) });
  return faults;
}

const STEPS = '500, timeout, reset, slow:3s, lost or ok';
const STEP_ACTIONS = new Map([
  ['timeout', 'timeout'],
  ['reset', 'drop'],
  ['lost', 'lose-answer'],
]);

/** Parses one step of `--simulate`; `ok` requires no fault. */
function simulated(step: string, index: number): PlannedFault[] {
  const attempt = index + 1;
  const word = step.trim();
  if (word === 'ok') return [];
  if (/^[2-5]\d\d$/.test(word)) return [{ action: 'answer', status: Number(word), attempt }];
  if (word.startsWith('slow:')) {
    const delay = shortDelay('--simulate slow', word.slice('slow:'.length));
    return [{ on: 'delivery', action: 'slow', delay, attempt }];
  }
  const action = STEP_ACTIONS.get(word);
  if (action !== undefined) return [{ action, attempt }];
  throw createUsageError(
    `--simulate must be a comma-separated list of ${STEPS}; got ${word}.`,
    'For example: --simulate 500,timeout,ok',
  );
}

function shortDelay(what: string, text: string): string {
  if (getLongDelay(parseDelayOption(text, what).ms) <= LIMITS.faultDelayMs) return text;
  throw createUsageError(`${what} must be a real-time delay of up to 60s; got ${text}.`);
}

function probabilityOf(option: string, text: string): number {
  const probability = Number(text);
  if (text.trim() !== '' && probability > 0 && probability <= 1) return probability;
  throw createUsageError(`${option} must be a probability above 0 and up to 1, e.g. 0.2; got ${text}.`);
}

const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*((?:[!-~\x80-\x9f\xa1-\xff][\t\x20-\x7e\x80-\xff]*)?)$/;
const RESERVED = new Set(['content-type', 'content-length', 'transfer-encoding', 'connection', 'user-agent']);

/** Parses `--header` options. Throws a usage error for headers set by the delivery. */
export function planHeaders(texts: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const text of texts) {
    const [, given, value = ''] = HEADER.exec(text) ?? [];
    const name = given?.toLowerCase();
    if (name === undefined)
      throw createUsageError(`--header must have the form 'Name: value'; got ${shortenHeader(text)}.`);
    if (name.startsWith('webhook-') || RESERVED.has(name)) {
      throw createUsageError(`--header cannot replace ${name}, which is part of the delivery.`);
    }
    headers[name] = value;
  }
  return headers;
}
