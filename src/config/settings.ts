import { LIMITS, RETRY_SCHEDULES } from '../contract/limits.js';
import { SESSION_DECISIONS } from '../contract/transitions.js';

/** Commands with options from the environment and config files. */
export const CONFIGURED_COMMANDS = ['start', 'exec', 'explore', 'check', 'listen', 'mcp', 'env'] as const;
export type ConfiguredCommand = (typeof CONFIGURED_COMMANDS)[number];

export function isConfigured(command: string): command is ConfiguredCommand {
  return CONFIGURED_COMMANDS.some((name) => name === command);
}

/**
 * A setting's type. On the command line, `words` are comma-separated and a `list` is repeatable; in JSON,
 * both are arrays. `assumptions`, `routes` and `variables` are lists of `key=value`, or an object in JSON. A
 * `path` in a file is relative to that file.
 */
export type SettingKind =
  | 'text'
  | 'textOrNumber'
  | 'path'
  | 'count'
  | 'duration'
  | 'delay'
  | 'rate'
  | 'instant'
  | 'switch'
  | 'choice'
  | 'words'
  | 'list'
  | 'assumptions'
  | 'routes'
  | 'variables';

/** A setting. The flag, the environment variable and the file key are derived from `key`. */
export interface Setting {
  /**
   * Prefixed with a command if several commands share a flag, e.g. `start.faults`. Overrides the setting
   * without a prefix, e.g. `forwardTo`.
   */
  readonly key: string;
  readonly kind: SettingKind;
  /** The value's name in the help; undefined for switches. */
  readonly placeholder?: string;
  readonly description: string;
  readonly commands: readonly ConfiguredCommand[];
  readonly fallback?: string;
  readonly choices?: readonly string[];
  readonly range?: readonly [number, number];
  /** Items can contain commas, so only line breaks separate items in an environment variable. */
  readonly itemsHoldCommas?: true;
  /** Option required for the setting to take effect, for all commands or per command. */
  readonly goesWith?: string | Readonly<Partial<Record<ConfiguredCommand, string>>>;
  readonly secret?: true;
}

export const DEFAULT_PORT = 7490;
export const DEFAULT_RELAY = 'https://localtunnel.me';

/** Conditions for `exec --fail-on`. */
export const FAIL_ON = ['undelivered', 'unverified', 'ledger', 'unmatched'] as const;

const START = ['start'] as const;
const SANDBOX = ['start', 'exec'] as const;
const WITH_SANDBOX = ['start', 'exec', 'explore'] as const;
const FORWARDERS = ['start', 'listen', 'exec'] as const;
/** `start` forwards webhooks only if `forwardTo` is set. */
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

// `exec` has no port or data directory setting, because values meant for `start` would conflict with a
// running sandbox.
const TABLE = {
  port: setting('count', 'port', START, 'port to listen on; 0 picks a free port', {
    fallback: String(DEFAULT_PORT),
    range: [0, 65_535],
  }),
  host: setting('text', 'host', START, 'address to listen on', { fallback: 'loopback' }),
  seed: setting(
    'textOrNumber',
    'text',
    WITH_SANDBOX,
    'derive ids, secrets and random choices from this seed',
  ),
  freeze: setting(
    'instant',
    'instant',
    WITH_SANDBOX,
    'start with the clock frozen at this instant, e.g. 2026-01-31T12:00:00Z',
  ),
  assume: setting('assumptions', 'id=value', WITH_SANDBOX, 'choose behavior left open by the contract'),
  route: setting(
    'routes',
    'from=to',
    WITH_SANDBOX,
    'redirect deliveries, e.g. https://shop.example=http://localhost:3000',
  ),
  env: setting(
    'variables',
    'name=source',
    [...WITH_SANDBOX, 'check', 'env'],
    'also set this variable, e.g. PIX_TOKEN=SANDBOX_TOKEN or API_URL={SANDBOX_BASE_URL}/api',
  ),
  allowLocalEndpoints: toggle(WITH_SANDBOX, 'allow http and local endpoints'),
  autoSettle: setting(
    'delay',
    'delay',
    WITH_SANDBOX,
    'pay charges automatically after this time, e.g. 5s, 2.8s~4.6s (median~99th percentile) or spi',
  ),
  rateLimit: setting(
    'rate',
    'n/time',
    WITH_SANDBOX,
    'rate limit for the payments API, per application, e.g. 100/1m',
  ),
  kyc: setting('choice', 'switch', WITH_SANDBOX, 'turn identity verification on or off', {
    fallback: 'on',
    choices: ['on', 'off'],
  }),
  kycAuto: setting(
    'choice',
    'status',
    WITH_SANDBOX,
    'decide every session automatically with this result, e.g. approved',
    {
      choices: SESSION_DECISIONS,
    },
  ),
  kycDelay: setting('delay', 'delay', WITH_SANDBOX, 'with --kyc-auto: time until the decision is available'),
  kycRateLimit: setting(
    'rate',
    'n/time',
    WITH_SANDBOX,
    'rate limit for the identity API, per organization, e.g. 60/1m',
  ),
  origin: setting('list', 'origin', WITH_SANDBOX, 'allow another web origin to embed the identity page'),
  allowHost: setting('list', 'name', START, 'allow another name in the Host header'),
  strict: toggle(SANDBOX, 'respond exactly like the service, without signature hints'),
  data: setting('path', 'dir', START, 'store all state in this directory and resume from it'),
  keepDeliveries: setting(
    'count',
    'n',
    START,
    'store at most this many finished deliveries and drop the oldest',
    {
      fallback: String(LIMITS.deliveriesKept),
      range: [1, LIMITS.deliveriesKeptMax],
    },
  ),
  quiet: toggle(SANDBOX, 'hide API requests (start) and deliveries (start, exec)'),
  forwardTo: setting(
    'list',
    'target',
    [...FORWARDERS, 'explore', 'check'],
    'deliver webhooks to this target, e.g. localhost:3000/webhooks',
    { itemsHoldCommas: true },
  ),
  events: setting(
    'words',
    'types',
    [...FORWARDERS, 'explore'],
    'deliver only these events, e.g. pix.*,withdrawal.failed',
    { fallback: 'all', goesWith: WITH_FORWARDING },
  ),
  retries: setting('choice', 'schedule', FORWARDERS, 'retry schedule: real, fast or off', {
    fallback: 'real; exec: fast',
    goesWith: WITH_FORWARDING,
    choices: Object.keys(RETRY_SCHEDULES),
  }),
  header: setting('list', 'header', PUBLIC, "add this 'Name: value' header to every forwarded request", {
    itemsHoldCommas: true,
    secret: true,
    goesWith: WITH_FORWARDING,
  }),
  concurrency: setting('count', 'n', PUBLIC, 'maximum concurrent attempts', {
    goesWith: WITH_FORWARDING,
    fallback: String(LIMITS.attemptsInFlightPerEndpoint),
    range: [1, LIMITS.attemptsInFlightPerEndpoint],
  }),
  tunnelHost: setting('text', 'url', PUBLIC, 'with --tunnel: the relay to use', {
    fallback: DEFAULT_RELAY,
    goesWith: 'tunnel',
  }),
  tunnelSubdomain: setting('text', 'name', PUBLIC, 'with --tunnel: the subdomain to request from the relay', {
    goesWith: 'tunnel',
  }),
  tunnelFor: setting(
    'duration',
    'duration',
    START,
    'with --tunnel: close the tunnel after this time, at most 24h',
    {
      fallback: '2h',
      goesWith: 'tunnel',
    },
  ),
  'start.faults': setting(
    'path',
    'path',
    START,
    'start with the faults in this file or `explore` results directory',
  ),
  'exec.faults': setting(
    'path',
    'path',
    ['exec'],
    'start with the faults in this file or `explore` results directory',
  ),
  failOn: setting('words', 'kinds', ['exec'], `exit 1 on these problems: ${FAIL_ON.join(',')}`, {
    choices: FAIL_ON,
  }),
  'check.without': setting(
    'words',
    'parts',
    ['check'],
    'skip parts not used by your application: withdrawals',
    { choices: ['withdrawals'] },
  ),
  'check.forwardTo': setting('list', 'target', ['check'], 'your receiver, if different from forwardTo', {
    itemsHoldCommas: true,
  }),
  'check.probe': setting(
    'text',
    'command',
    ['check', 'mcp'],
    'a command or URL that returns your data for order {code}',
  ),
  'check.order': setting(
    'text',
    'command',
    ['check', 'mcp'],
    'a command or URL (POST) that creates the order {code}, optionally for {amount}',
  ),
  'check.restart': setting('text', 'command', ['check', 'mcp'], 'a command that restarts your application'),
  'check.port': setting('count', 'port', ['check'], 'with --order: port of the sandbox', {
    fallback: 'a free one',
    range: [0, 65_535],
    goesWith: 'order',
  }),
  'check.useRunning': {
    ...toggle(
      ['check'],
      'with --order: use this project’s running sandbox, which keeps the charges of the checks',
    ),
    goesWith: 'order',
  },
  'explore.command': setting(
    'text',
    'command',
    ['explore', 'mcp'],
    'the shell command that runs your tests, if none is passed',
  ),
  'explore.forwardTo': setting(
    'list',
    'target',
    ['explore'],
    'deliver webhooks to this target during `explore`, if different from forwardTo',
    { itemsHoldCommas: true },
  ),
} satisfies Record<string, Omit<Setting, 'key'>>;

export type SettingKey = keyof typeof TABLE;

export type SettingOf<Key extends SettingKey> = (typeof TABLE)[Key];

/** All settings, in the output order of `sandbox config`. */
export const SETTINGS = (Object.keys(TABLE) as SettingKey[]).map(
  (key): Setting & { readonly key: SettingKey } => Object.assign({ key }, TABLE[key]),
);

function words(key: string, separator: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => separator + letter.toLowerCase()).replaceAll('.', separator);
}

/** Returns the option name, e.g. `faults` for `start.faults`. */
export function getOptionName({ key }: Pick<Setting, 'key'>): string {
  return key.slice(key.indexOf('.') + 1);
}

/** Returns the flag without its value, e.g. `--allow-host`. */
export function getSettingFlag(setting: Setting): string {
  return `--${words(getOptionName(setting), '-')}`;
}

/** Returns the environment variable, e.g. `SANDBOX_ALLOW_HOST`. */
export function getEnvironmentName({ key }: Setting): string {
  return `SANDBOX_${words(key, '_').toUpperCase()}`;
}

export function isRepeatable({ kind }: Setting): boolean {
  return kind === 'list' || kind === 'assumptions' || kind === 'routes' || kind === 'variables';
}
