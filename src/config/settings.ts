import { LIMITS, RETRY_SCHEDULES } from '../contract/limits.js';
import { SESSION_DECISIONS } from '../contract/transitions.js';

/** The commands whose options may also come from the environment and from files. */
export const CONFIGURED_COMMANDS = ['start', 'exec', 'explore', 'check', 'listen'] as const;
export type ConfiguredCommand = (typeof CONFIGURED_COMMANDS)[number];

export function isConfigured(command: string): command is ConfiguredCommand {
  return CONFIGURED_COMMANDS.some((name) => name === command);
}

/**
 * Kind of a setting. `words` are separated by commas on the command line and an array in JSON; `list` is
 * repeatable; `assumptions` and `routes` are lists of `key=value`, optionally an object in JSON; a `path` in
 * a file is relative to that file.
 */
export type SettingKind =
  | 'text'
  | 'textOrNumber'
  | 'path'
  | 'count'
  | 'duration'
  | 'instant'
  | 'switch'
  | 'choice'
  | 'words'
  | 'list'
  | 'assumptions'
  | 'routes';

/** A setting: its flag, its twin in the environment and its key in files all follow from `key`. */
export interface Setting {
  /** A key such as `start.faults` is of one command, where another has a setting for the same flag. */
  readonly key: string;
  readonly kind: SettingKind;
  /** The name of the value in the help; a switch has none. */
  readonly placeholder?: string;
  readonly description: string;
  readonly commands: readonly ConfiguredCommand[];
  readonly fallback?: string;
  readonly choices?: readonly string[];
  readonly range?: readonly [number, number];
  /** An item of this list may hold a comma, so in the environment only line breaks separate. */
  readonly itemsHoldCommas?: true;
  /** Ignored without this option, of every command or of these. */
  readonly goesWith?: string | Readonly<Partial<Record<ConfiguredCommand, string>>>;
  readonly secret?: true;
}

export const DEFAULT_PORT = 7490;
export const DEFAULT_RELAY = 'https://localtunnel.me';

/** Conditions of `exec --fail-on`. */
export const FAIL_ON = ['undelivered', 'unverified', 'ledger', 'unmatched'] as const;

const START = ['start'] as const;
const SANDBOX = ['start', 'exec'] as const;
const WITH_SANDBOX = ['start', 'exec', 'explore'] as const;
const FORWARDERS = ['start', 'listen', 'exec'] as const;
/** `start` forwards only where it was asked to. */
const WITH_FORWARDING = { start: 'forwardTo' } as const;
const PUBLIC = ['start', 'listen'] as const;

type NoMore = { readonly [Name in never]: never };
type More = Omit<Setting, 'key' | 'kind' | 'placeholder' | 'commands' | 'description'>;

function setting<const Kind extends SettingKind, const Rest extends More = NoMore>(
  kind: Kind,
  placeholder: string,
  commands: Setting['commands'],
  description: string,
  more?: Rest,
) {
  return { kind, placeholder, commands, description, ...(more as Rest) };
}

function toggle(commands: Setting['commands'], description: string) {
  return { kind: 'switch', commands, description, fallback: 'no' } as const;
}

// A port or a data folder of `start` would clash with a running sandbox in `exec`.
const TABLE = {
  port: setting('count', 'port', START, 'port to listen on; 0 picks a free one', {
    fallback: String(DEFAULT_PORT),
    range: [0, 65_535],
  }),
  host: setting('text', 'host', START, 'address to listen on', { fallback: 'loopback' }),
  seed: setting('textOrNumber', 'text', WITH_SANDBOX, 'ids, secrets and random choices derive from it'),
  freeze: setting(
    'instant',
    'instant',
    WITH_SANDBOX,
    'begin at this instant, such as 2026-01-31T12:00:00Z, and stand still',
  ),
  assume: setting('assumptions', 'id=value', WITH_SANDBOX, 'choose what the contract leaves open'),
  route: setting('routes', 'from=to', WITH_SANDBOX, 'deliver https://shop.example=http://localhost:3000'),
  allowLocalEndpoints: toggle(WITH_SANDBOX, 'allow http and local endpoints'),
  autoSettle: setting('duration', 'duration', WITH_SANDBOX, 'pay charges automatically after this time'),
  kyc: setting('choice', 'switch', WITH_SANDBOX, 'identity verification: on or off', {
    fallback: 'on',
    choices: ['on', 'off'],
  }),
  kycAuto: setting('choice', 'status', WITH_SANDBOX, 'decide every session automatically, such as approved', {
    choices: SESSION_DECISIONS,
  }),
  kycDelay: setting(
    'duration',
    'duration',
    WITH_SANDBOX,
    'with --kyc-auto: time until the decision can be read',
  ),
  kycRateLimit: setting('text', 'n/time', WITH_SANDBOX, 'requests to the identity API, such as 60/1m'),
  origin: setting('list', 'origin', WITH_SANDBOX, 'another web origin allowed to embed the identity page'),
  allowHost: setting('list', 'name', START, 'a further name in the Host header'),
  strict: toggle(SANDBOX, 'respond exactly like the service, without explaining signatures'),
  data: setting('path', 'dir', START, 'keep all state in this directory, and resume from it'),
  keepDeliveries: setting('count', 'n', START, 'finished deliveries to keep; the oldest are dropped', {
    fallback: String(LIMITS.deliveriesKept),
    range: [1, LIMITS.deliveriesKeptMax],
  }),
  quiet: toggle(SANDBOX, 'hide API requests (start) and deliveries (start, exec)'),
  forwardTo: setting(
    'list',
    'target',
    [...FORWARDERS, 'explore'],
    'where your application receives webhooks, such as localhost:3000/webhooks',
    { itemsHoldCommas: true },
  ),
  events: setting(
    'words',
    'types',
    [...FORWARDERS, 'explore'],
    'only these, such as pix.*,withdrawal.failed',
    { fallback: 'all', goesWith: WITH_FORWARDING },
  ),
  retries: setting('choice', 'schedule', FORWARDERS, 'real, fast or off', {
    fallback: 'real, of exec fast',
    goesWith: WITH_FORWARDING,
    choices: Object.keys(RETRY_SCHEDULES),
  }),
  header: setting('list', 'header', PUBLIC, "a header for every forwarded request, 'Name: value'", {
    itemsHoldCommas: true,
    secret: true,
    goesWith: WITH_FORWARDING,
  }),
  concurrency: setting('count', 'n', PUBLIC, 'attempts at a time', {
    goesWith: WITH_FORWARDING,
    fallback: String(LIMITS.attemptsInFlightPerEndpoint),
    range: [1, LIMITS.attemptsInFlightPerEndpoint],
  }),
  tunnelHost: setting('text', 'url', PUBLIC, 'with --tunnel: the relay to use', {
    fallback: DEFAULT_RELAY,
    goesWith: 'tunnel',
  }),
  tunnelSubdomain: setting('text', 'name', PUBLIC, 'with --tunnel: the name to ask the relay for', {
    goesWith: 'tunnel',
  }),
  tunnelFor: setting('duration', 'duration', START, 'with --tunnel: close it after this time, at most 24h', {
    fallback: '2h',
    goesWith: 'tunnel',
  }),
  'start.faults': setting(
    'path',
    'path',
    START,
    'a file of faults, or a directory of results of `explore`, with which `start` begins',
  ),
  'exec.faults': setting(
    'path',
    'path',
    ['exec'],
    'a file of faults, or a directory of results of `explore`, with which `exec` begins',
  ),
  failOn: setting('words', 'kinds', ['exec'], `exit 1 on what the sandbox saw: ${FAIL_ON.join(',')}`, {
    choices: FAIL_ON,
  }),
  'check.without': setting(
    'words',
    'parts',
    ['check'],
    'parts that your application does not use: withdrawals',
    { choices: ['withdrawals'] },
  ),
} satisfies Record<string, Omit<Setting, 'key'>>;

export type SettingKey = keyof typeof TABLE;

export type SettingOf<Key extends SettingKey> = (typeof TABLE)[Key];

/** Every setting, in the order of `sandbox config`. */
export const SETTINGS = (Object.keys(TABLE) as SettingKey[]).map(
  (key): Setting & { readonly key: SettingKey } => Object.assign({ key }, TABLE[key]),
);

function words(key: string, separator: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => separator + letter.toLowerCase()).replaceAll('.', separator);
}

/** The name of its option: `faults` for `start.faults`. */
export function getOptionName({ key }: Pick<Setting, 'key'>): string {
  return key.slice(key.indexOf('.') + 1);
}

/** The flag without its value: `--allow-host`. */
export function getSettingFlag(setting: Setting): string {
  return `--${words(getOptionName(setting), '-')}`;
}

/** The name in the environment: `SANDBOX_ALLOW_HOST`. */
export function getEnvironmentName({ key }: Setting): string {
  return `SANDBOX_${words(key, '_').toUpperCase()}`;
}

export function isRepeatable({ kind }: Setting): boolean {
  return kind === 'list' || kind === 'assumptions' || kind === 'routes';
}
