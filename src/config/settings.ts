import { LIMITS, RETRY_SCHEDULES } from '../contract/limits.js';
import { SESSION_DECISIONS } from '../contract/transitions.js';
import type { ConfiguredCommand } from './configured-commands.js';

/**
 * What a setting holds. `words` are separated by commas on the command line and an array in JSON; `list` may be repeated;
 * `assumptions` and `routes` are lists of `key=value` and may be an object in JSON; a `path` in a file is relative to that file.
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
  /** The default in words; without it, there is none. */
  readonly fallback?: string;
  readonly choices?: readonly string[];
  /** The least and the most that a `count` may be. */
  readonly range?: readonly [number, number];
  /** An item of this list may hold a comma, so in the environment only line breaks separate. */
  readonly itemsHoldCommas?: true;
  /** Ignored without this option, of every command or of these. */
  readonly goesWith?: string | Readonly<Partial<Record<ConfiguredCommand, string>>>;
  /** Values are shown shortened. */
  readonly secret?: true;
}

const START = ['start'] as const;
const SANDBOX = ['start', 'exec'] as const;
const WITH_SANDBOX = ['start', 'exec', 'explore'] as const;
const FORWARDERS = ['start', 'listen', 'exec'] as const;
/** `start` forwards only where it was asked to. */
const WITH_FORWARDING = { start: 'forwardTo' } as const;
const PUBLIC = ['start', 'listen'] as const;

// A port or a data folder of `start` would clash with a running sandbox in `exec`.
const TABLE = {
  port: {
    kind: 'count',
    placeholder: 'port',
    description: 'port to listen on; 0 picks a free one',
    commands: START,
    fallback: '7490',
    range: [0, 65_535],
  },
  host: {
    kind: 'text',
    placeholder: 'host',
    description: 'address to listen on',
    commands: START,
    fallback: 'loopback',
  },
  seed: {
    kind: 'textOrNumber',
    placeholder: 'text',
    description: 'ids, secrets and random choices derive from it',
    commands: WITH_SANDBOX,
  },
  freeze: {
    kind: 'instant',
    placeholder: 'instant',
    description: 'begin at this instant, such as 2026-01-31T12:00:00Z, and stand still',
    commands: WITH_SANDBOX,
  },
  assume: {
    kind: 'assumptions',
    placeholder: 'id=value',
    description: 'choose what the contract leaves open',
    commands: WITH_SANDBOX,
  },
  route: {
    kind: 'routes',
    placeholder: 'from=to',
    description: 'deliver https://shop.example=http://localhost:3000',
    commands: WITH_SANDBOX,
  },
  allowLocalEndpoints: {
    kind: 'switch',
    description: 'allow http and local endpoints',
    commands: WITH_SANDBOX,
    fallback: 'no',
  },
  autoSettle: {
    kind: 'duration',
    placeholder: 'duration',
    description: 'pay charges automatically after this time',
    commands: WITH_SANDBOX,
  },
  kyc: {
    kind: 'choice',
    placeholder: 'switch',
    description: 'identity verification: on or off',
    commands: WITH_SANDBOX,
    fallback: 'on',
    choices: ['on', 'off'],
  },
  kycAuto: {
    kind: 'choice',
    placeholder: 'status',
    description: 'decide every session automatically, such as approved',
    commands: WITH_SANDBOX,
    choices: SESSION_DECISIONS,
  },
  kycDelay: {
    kind: 'duration',
    placeholder: 'duration',
    description: 'with --kyc-auto: time until the decision can be read',
    commands: WITH_SANDBOX,
  },
  kycRateLimit: {
    kind: 'text',
    placeholder: 'n/time',
    description: 'calls of the identity API, such as 60/1m',
    commands: WITH_SANDBOX,
  },
  origin: {
    kind: 'list',
    placeholder: 'origin',
    description: 'a further web origin that may embed the identity page',
    commands: WITH_SANDBOX,
  },
  allowHost: {
    kind: 'list',
    placeholder: 'name',
    description: 'a further name in the Host header',
    commands: START,
  },
  strict: {
    kind: 'switch',
    description: 'answer as the service does, and explain no signature',
    commands: SANDBOX,
    fallback: 'no',
  },
  data: {
    kind: 'path',
    placeholder: 'dir',
    description: 'keep all state in this directory, and resume from it',
    commands: START,
  },
  keepDeliveries: {
    kind: 'count',
    placeholder: 'n',
    description: 'finished deliveries to keep; the oldest are dropped',
    commands: START,
    fallback: String(LIMITS.deliveriesKept),
    range: [1, LIMITS.deliveriesKeptMax],
  },
  quiet: {
    kind: 'switch',
    description: 'show no calls (start) and no deliveries (start, exec)',
    commands: SANDBOX,
    fallback: 'no',
  },
  forwardTo: {
    kind: 'list',
    placeholder: 'target',
    description: 'where your application receives webhooks, such as localhost:3000/webhooks',
    commands: [...FORWARDERS, 'explore'],
    itemsHoldCommas: true,
  },
  events: {
    kind: 'words',
    placeholder: 'types',
    description: 'only these, such as pix.*,withdrawal.failed',
    commands: [...FORWARDERS, 'explore'],
    fallback: 'all',
    goesWith: WITH_FORWARDING,
  },
  retries: {
    kind: 'choice',
    placeholder: 'schedule',
    description: 'real, fast or off',
    commands: FORWARDERS,
    fallback: 'real, of exec fast',
    goesWith: WITH_FORWARDING,
    choices: Object.keys(RETRY_SCHEDULES),
  },
  header: {
    kind: 'list',
    placeholder: 'header',
    description: "a header for every forwarded request, 'Name: value'",
    commands: PUBLIC,
    itemsHoldCommas: true,
    secret: true,
    goesWith: WITH_FORWARDING,
  },
  concurrency: {
    kind: 'count',
    placeholder: 'n',
    description: 'attempts at a time',
    commands: PUBLIC,
    goesWith: WITH_FORWARDING,
    fallback: String(LIMITS.attemptsInFlightPerEndpoint),
    range: [1, LIMITS.attemptsInFlightPerEndpoint],
  },
  tunnelHost: {
    kind: 'text',
    placeholder: 'url',
    description: 'with --tunnel: the relay to use',
    commands: PUBLIC,
    fallback: 'https://localtunnel.me',
    goesWith: 'tunnel',
  },
  tunnelSubdomain: {
    kind: 'text',
    placeholder: 'name',
    description: 'with --tunnel: the name to ask the relay for',
    commands: PUBLIC,
    goesWith: 'tunnel',
  },
  tunnelFor: {
    kind: 'duration',
    placeholder: 'duration',
    description: 'with --tunnel: close it after this time, at most 24h',
    commands: START,
    fallback: '2h',
    goesWith: 'tunnel',
  },
  'start.faults': {
    kind: 'path',
    placeholder: 'path',
    description: 'a file of faults, or a directory of results of `explore`, with which `start` begins',
    commands: START,
  },
  'exec.faults': {
    kind: 'path',
    placeholder: 'path',
    description: 'a file of faults, or a directory of results of `explore`, with which `exec` begins',
    commands: ['exec'],
  },
  failOn: {
    kind: 'words',
    placeholder: 'kinds',
    description: 'exit 1 on what the sandbox saw, such as undelivered,unverified,ledger',
    commands: ['exec'],
  },
  'check.without': {
    kind: 'words',
    placeholder: 'parts',
    description: 'parts that your application does not use: withdrawals',
    commands: ['check'],
  },
} as const satisfies Record<string, Omit<Setting, 'key'>>;

export type SettingKey = keyof typeof TABLE;

/** The setting of a key, without it. */
export type SettingOf<Key extends SettingKey> = (typeof TABLE)[Key];

/** Every setting, in the order of `sandbox config`. */
export const SETTINGS = (Object.keys(TABLE) as SettingKey[]).map(
  (key): Setting & { readonly key: SettingKey } => Object.assign({ key }, TABLE[key]),
);

function words(key: string, separator: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => separator + letter.toLowerCase()).replaceAll('.', separator);
}

/** The name of its option: `faults` for `start.faults`. */
export function optionOf({ key }: Pick<Setting, 'key'>): string {
  return key.slice(key.indexOf('.') + 1);
}

/** The flag without its value: `--allow-host`. */
export function flagOf(setting: Setting): string {
  return `--${words(optionOf(setting), '-')}`;
}

/** The option as commander takes it: `--allow-host <name>`. */
export function flagsOf(setting: Setting): string {
  return flagOf(setting) + (setting.placeholder === undefined ? '' : ` <${setting.placeholder}>`);
}

/** The name in the environment: `SANDBOX_ALLOW_HOST`. */
export function environmentNameOf({ key }: Setting): string {
  return `SANDBOX_${words(key, '_').toUpperCase()}`;
}

export function isRepeatable({ kind }: Setting): boolean {
  return kind === 'list' || kind === 'assumptions' || kind === 'routes';
}
