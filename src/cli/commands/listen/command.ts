import { files } from '../../completion/sources.js';
import { declare } from '../../program/declaration.js';
import { flag, text, texts } from '../../program/options.js';
import { WEBHOOK_SECRET_FACT } from '../../program/shared-options.js';
import { TUNNEL } from '../start/sandbox-options.js';
import { FORWARDING } from './forwarding-options.js';

export const listen = declare({
  name: 'listen',
  summary: 'receive signed deliveries and forward them to your application',
  description:
    'Each --forward-to is a separate listener; without one, deliveries are verified, shown and answered 200 here. The bytes and headers of an attempt are forwarded as they are, and the answer of your application decides whether the delivery is retried. Runs until Ctrl-C, and reconnects when the sandbox comes back. While a listener is away, its pending deliveries are held and new events make none for it; it gets them when it returns under its name. With --json each attempt is a line that `verify --delivery` takes.',
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

export default { commands: [listen.runs(async () => (await import('./listen.js')).receive)] };
