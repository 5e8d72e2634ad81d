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
  name: defineText('name', 'name of the listener (default: derived from its target)'),
  timeout: defineDuration('duration', 'time limit of an attempt (default: 10s)'),
  simulate: defineSimulate(
    'what attempts 1, 2, … hit instead of your application: 500,timeout,reset,slow:3s,lost,ok',
  ),
  duplicate: defineText('probability', 'send some twice'),
  shuffle: defineText('probability', 'deliver some out of order'),
  delay: defineText('duration', 'send later, such as 2s, or some, such as 0.5:2s'),
  fresh: defineFlag('fail what was held while it was away, instead of delivering it'),
  skipVerify: defineFlag('forward without verifying the signature first'),
  ...APP_NAME_OPTION,
};

const TARGETS = "3000, /hook, host:port/path, a URL, or for some events 'pix.*=3000/pix'";

const FORWARDING = {
  forwardTo: { ...forwardTo, description: `where to: ${TARGETS} (default: nowhere)` },
  ...HOW,
};

/** The same options of `start`, which forwards only with `--forward-to`. */
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
    'Each --forward-to is a separate listener; without one, deliveries are verified, shown ' +
    'and confirmed with 200 here. The bytes and headers of an attempt are forwarded unchanged, ' +
    'and the response of your application decides about retries. Runs until ' +
    'Ctrl-C, and reconnects when the sandbox comes back. While a listener is away, its ' +
    'pending deliveries are held and new events make none for it; it gets them when it ' +
    'returns under its name. With --json each attempt is a line that `verify --delivery` ' +
    'takes.',
  options: {
    ...FORWARDING,
    printSecret: defineFlag('print the secret that deliveries are signed with'),
    tunnel: defineFlag('receive at a public URL, also from the real TEST environment; needs no sandbox'),
    secret: defineTexts('secret', 'with --tunnel: verify with it (better: SANDBOX_WEBHOOK_SECRET)'),
    secretFile: defineText('file', 'with --tunnel: the same, one secret per line', completeFiles),
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
  environment: [{ ...WEBHOOK_SECRET_FACT, meaning: 'with --tunnel: the secret, where no --secret is given' }],
});

const DRAWN = ['TOKEN', 'SIGNING_SECRET', 'WEBHOOK_SECRET', 'KYC_TOKEN', 'KYC_PUBLISHABLE_KEY', 'ACCOUNT_ID'];

export const start = declareCommand({
  name: 'start',
  summary: 'start a sandbox: the whole TEST environment, in memory',
  description:
    'Everything is in memory unless --data keeps it. It prints the environment block for ' +
    'your application, shows each call to the service on stderr, and runs until Ctrl-C; with ' +
    '--forward-to, or the setting `forwardTo`, it does the work of `listen`, too, and shows ' +
    'each attempt among the calls. A second Ctrl-C exits immediately. On a terminal, single keys ' +
    'run common actions; ? shows them. On loopback the credentials are fixed and published; ' +
    'on another --host they are generated, and the control API needs the printed token.',
  options: {
    ...defineSettings('port', 'host', 'allowHost'),
    ...SANDBOX_OPTIONS,
    ...defineSettings('data', 'keepDeliveries'),
    record: defineText('file', 'record every change to a new file, for replay', completeFiles),
    tunnel: defineFlag('expose the service, without its control API, at a public URL'),
    ...TUNNEL_OPTIONS,
    ...defineSettings('tunnelFor'),
    payPage: defineFlag(
      'with --tunnel: the page of each charge, where it can be paid, at the public URL, too',
    ),
    payButtons: defineFlag(
      'with --host or --pay-page: whoever opens a pay page may pay, fail and expire the charge',
    ),
    ...FORWARDING_OF_START,
    ...SCENARIO_OPTIONS,
    ...FAULT_OPTIONS,
    quiet: defineFlag('hide API requests and deliveries'),
    detach: defineFlag('run in the background; return when it is ready'),
  },
  examples: ['', '--forward-to 3000/webhooks', '--port 0 --seed 7 --freeze 2026-01-31T12:00:00Z', '--detach'],
  exits: {
    1: 'with --detach: the sandbox of this project is already running; with --tunnel: it cannot be opened',
    5: '',
  },
  related: ['stop', 'listen', 'trigger', 'env', 'status', 'exec', 'config'],
  environment: [
    ...DRAWN.map((name) => ({
      name: `SANDBOX_${name}`,
      meaning: 'with --host or --tunnel: this one, instead of a generated one',
    })),
    { name: 'SANDBOX_CONTROL_TOKEN', meaning: 'with --host or --tunnel: the token of the control API' },
  ],
});
