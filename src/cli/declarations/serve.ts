import { completeFiles } from '../completion/sources.js';
import { declareCommand, type OptionSpec, type OptionSpecs } from '../program/declaration.js';
import { defineDuration, defineFlag, defineText, defineTexts } from '../program/options.js';
import {
  FAULT_OPTIONS,
  SANDBOX_OPTIONS,
  SCENARIO_OPTIONS,
  defineSettings,
  TUNNEL_OPTIONS,
} from '../program/setting-options.js';
import { APP_NAME_OPTION, defineSimulate, WEBHOOK_SECRET_FACT } from '../program/shared-options.js';

const { forwardTo, ...tuning } = defineSettings('forwardTo', 'events', 'retries', 'header', 'concurrency');

const HOW = {
  ...tuning,
  name: defineText('name', 'listener name (default: derived from its target)'),
  timeout: defineDuration('duration', 'time limit per attempt (default: 10s)'),
  simulate: defineSimulate('simulate the results of attempts 1, 2, …: 500,timeout,reset,slow:3s,lost,ok'),
  duplicate: defineText('probability', 'probability of sending a delivery twice'),
  shuffle: defineText('probability', 'probability of delivering out of order'),
  delay: defineText('duration', 'delay every delivery, e.g. 2s, or half of them, e.g. 0.5:2s'),
  fresh: defineFlag('fail deliveries held while the listener was disconnected, instead of delivering them'),
  skipVerify: defineFlag('forward without verifying the signature first'),
  ...APP_NAME_OPTION,
};

const TARGETS = "3000, /hook, host:port/path, a URL, or for some events 'pix.*=3000/pix'";

const FORWARDING = {
  forwardTo: { ...forwardTo, description: `forward deliveries to ${TARGETS} (default: none)` },
  ...HOW,
};

/** Prefixes the descriptions for `start`, which forwards only with `--forward-to`. */
const FORWARDING_OF_START = {
  forwardTo: { ...forwardTo, description: `forward deliveries, as \`listen\` does: ${TARGETS}` },
  ...withPrefix(HOW, '--forward-to: '),
};

export const FORWARDING_NAMES = Object.keys(HOW) as (keyof typeof HOW)[];

function withPrefix<Specs extends OptionSpecs>(specs: Specs, prefix: string): Specs {
  const prefixed = Object.entries(specs).map(([name, spec]: [string, OptionSpec<unknown>]) => [
    name,
    { ...spec, description: prefix + spec.description },
  ]);
  return Object.fromEntries(prefixed) as Specs;
}

export const listen = declareCommand({
  name: 'listen',
  summary: 'receive signed deliveries and forward them to your application',
  description:
    'Each --forward-to is a separate listener. Without --forward-to, deliveries are verified, printed ' +
    'and acknowledged with 200. The body and headers of each attempt are forwarded unchanged, ' +
    'and your application’s response determines retries. Runs until ' +
    'Ctrl-C, and reconnects when the sandbox is available again. While a listener is disconnected, its ' +
    'pending deliveries are held until it reconnects under the same name, and new events ' +
    'create no deliveries for it. With --json, each attempt is a line that `verify --delivery` ' +
    'accepts.',
  options: {
    ...FORWARDING,
    printSecret: defineFlag('print the secret used to sign deliveries'),
    tunnel: defineFlag(
      'receive deliveries at a public URL, also from the real TEST environment; requires no sandbox',
    ),
    secret: defineTexts('secret', 'with --tunnel: verify with this secret (better: SANDBOX_WEBHOOK_SECRET)'),
    secretFile: defineText('file', 'with --tunnel: a file with one secret per line', completeFiles),
    ...TUNNEL_OPTIONS,
  },
  examples: [
    '--forward-to localhost:3000/webhooks',
    '--forward-to 3000 --events pix.settled --retries fast',
    "--forward-to 'pix.*=/pix' --forward-to '*=/other'",
    '--forward-to 3000 --simulate 500,timeout,ok',
    '--forward-to 3000 --tunnel --secret-file webhook.secret',
  ],
  exits: { 1: 'the sandbox refuses the listener, or with --tunnel the tunnel is lost', 3: '' },
  related: ['start', 'trigger', 'verify', 'deliveries', 'faults'],
  environment: [{ ...WEBHOOK_SECRET_FACT, meaning: 'with --tunnel: the secret, if --secret is not passed' }],
});

const DRAWN = ['TOKEN', 'SIGNING_SECRET', 'WEBHOOK_SECRET', 'KYC_TOKEN', 'KYC_PUBLISHABLE_KEY', 'ACCOUNT_ID'];

export const start = declareCommand({
  name: 'start',
  summary: 'start a sandbox: the entire TEST environment in memory',
  description:
    'All data is in memory unless --data is set. Prints the environment block for ' +
    'your application, logs each API request to stderr, and runs until Ctrl-C. With ' +
    '--forward-to, or the setting `forwardTo`, also forwards deliveries like `listen`, and logs ' +
    'each attempt. A second Ctrl-C exits immediately. On a terminal, single keys ' +
    'run common actions; ? lists them. On loopback, the credentials are fixed and published; ' +
    'on another --host, they are generated, and the control API requires the printed token.',
  options: {
    ...defineSettings('port', 'host', 'allowHost'),
    ...SANDBOX_OPTIONS,
    ...defineSettings('data', 'keepDeliveries'),
    record: defineText('file', 'record every change to a new file, for replay', completeFiles),
    tunnel: defineFlag('expose the service, without its control API, at a public URL'),
    ...TUNNEL_OPTIONS,
    ...defineSettings('tunnelFor'),
    payPage: defineFlag('with --tunnel: also expose each charge’s pay page'),
    payButtons: defineFlag(
      'with --host or --pay-page: anyone who opens a pay page can pay, fail or expire the charge',
    ),
    ...FORWARDING_OF_START,
    ...SCENARIO_OPTIONS,
    ...FAULT_OPTIONS,
    quiet: defineFlag('hide API requests and deliveries'),
    detach: defineFlag('run in the background; exit when the sandbox is ready'),
  },
  examples: ['', '--forward-to 3000/webhooks', '--port 0 --seed 7 --freeze 2026-01-31T12:00:00Z', '--detach'],
  exits: {
    1: 'with --detach: this project’s sandbox is already running; with --tunnel: the tunnel cannot be opened',
    5: '',
  },
  related: ['stop', 'listen', 'trigger', 'env', 'status', 'exec', 'config'],
  environment: [
    ...DRAWN.map((name) => ({
      name: `SANDBOX_${name}`,
      meaning: 'with --host or --tunnel: used instead of a generated value',
    })),
    { name: 'SANDBOX_CONTROL_TOKEN', meaning: 'with --host or --tunnel: the token of the control API' },
  ],
});
