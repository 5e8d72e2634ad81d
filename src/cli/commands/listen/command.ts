import { files } from '../../completion/sources.js';
import { declare, type OptionSpec, type OptionSpecs } from '../../program/declaration.js';
import { duration, flag, text, texts } from '../../program/options.js';
import { settings } from '../../program/setting-options.js';
import { APP, simulate, WEBHOOK_SECRET_FACT } from '../../program/shared-options.js';
import { TUNNEL } from '../start/sandbox-options.js';

const { forwardTo, ...tuning } = settings('forwardTo', 'events', 'retries', 'header', 'concurrency');

const HOW = {
  ...tuning,
  name: text('name', 'name of the listener (default: derived from its target)'),
  timeout: duration('duration', 'time limit of an attempt (default: 10s)'),
  simulate: simulate(
    'what attempts 1, 2, … hit instead of your application: 500,timeout,reset,slow:3s,lost,ok',
  ),
  duplicate: text('probability', 'send some twice'),
  shuffle: text('probability', 'deliver some out of order'),
  delay: text('duration', 'send later, such as 2s, or some, such as 0.5:2s'),
  fresh: flag('fail what was held while it was away, instead of delivering it'),
  skipVerify: flag('forward without verifying the signature first'),
  ...APP,
};

const TARGETS = "3000, /hook, host:port/path, a URL, or for some events 'pix.*=3000/pix'";

const FORWARDING = {
  forwardTo: { ...forwardTo, description: `where to: ${TARGETS} (default: nowhere)` },
  ...HOW,
};

/** The same options of `start`, which forwards only with `--forward-to`. */
export const FORWARDING_OF_START = {
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

export const listen = declare({
  name: 'listen',
  summary: 'receive signed deliveries and forward them to your application',
  description:
    'Each --forward-to is a separate listener; without one, deliveries are verified, shown ' +
    'and answered 200 here. The bytes and headers of an attempt are forwarded as they are, ' +
    'and the answer of your application decides whether the delivery is retried. Runs until ' +
    'Ctrl-C, and reconnects when the sandbox comes back. While a listener is away, its ' +
    'pending deliveries are held and new events make none for it; it gets them when it ' +
    'returns under its name. With --json each attempt is a line that `verify --delivery` ' +
    'takes.',
  options: {
    ...FORWARDING,
    printSecret: flag('print the secret that deliveries are signed with'),
    tunnel: flag('receive at a public URL, also from the real TEST environment; needs no sandbox'),
    secret: texts('secret', 'with --tunnel: verify with it (better: SANDBOX_WEBHOOK_SECRET)'),
    secretFile: text('file', 'with --tunnel: the same, one secret per line', files),
    ...TUNNEL,
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

export default listen.runs(async () => (await import('./listen.js')).receive);
