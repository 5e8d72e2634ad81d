import { files } from '../../completion/sources.js';
import { FAULTS, SANDBOX, SCENARIO, TUNNEL } from './sandbox-options.js';
import { declare } from '../../program/declaration.js';
import { flag, text } from '../../program/options.js';
import { settings } from '../../program/setting-options.js';
import { FORWARDING_OF_START } from '../listen/command.js';

const DRAWN = ['TOKEN', 'SIGNING_SECRET', 'WEBHOOK_SECRET', 'KYC_TOKEN', 'KYC_PUBLISHABLE_KEY', 'ACCOUNT_ID'];

export const start = declare({
  name: 'start',
  summary: 'start a sandbox: the whole TEST environment, in memory',
  description:
    'Everything is in memory unless --data keeps it. It prints the environment block for ' +
    'your application, shows each call to the service on stderr, and runs until Ctrl-C; with ' +
    '--forward-to, or the setting `forwardTo`, it does the work of `listen`, too, and shows ' +
    'each attempt among the calls. A second Ctrl-C exits at once. On a terminal, single keys ' +
    'run common actions; ? shows them. On loopback the credentials are fixed and published; ' +
    'on another --host they are generated, and the control API needs the printed token.',
  options: {
    ...settings('port', 'host', 'allowHost'),
    ...SANDBOX,
    ...settings('data', 'keepDeliveries'),
    record: text('file', 'record every change to a new file, for replay', files),
    tunnel: flag('expose the service, without its control API, at a public URL'),
    ...TUNNEL,
    ...settings('tunnelFor'),
    payPage: flag('with --tunnel: the page of each charge, where it can be paid, at the public URL, too'),
    payButtons: flag(
      'with --host or --pay-page: whoever opens a pay page may pay, fail and expire the charge',
    ),
    ...FORWARDING_OF_START,
    ...SCENARIO,
    ...FAULTS,
    quiet: flag('show neither calls nor deliveries'),
    detach: flag('run in the background; return when it is ready'),
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

export default start.runs(async () => (await import('./detach.js')).startSandbox);
