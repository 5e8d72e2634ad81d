import { files, type ValueSource } from '../../completion/sources.js';
import { declare } from '../../program/declaration.js';
import { choice, choices, duration, flag, text, texts } from '../../program/options.js';
import { settings } from '../../program/setting-options.js';
import { WEBHOOK_SECRET_FACT, WEBHOOK_SECRETS } from '../../program/shared-options.js';
import type { CheckPart } from '../../../check/public.js';

const { port } = settings('port');
const PARTS = ['withdrawals'] as const satisfies readonly CheckPart[];

const ids: ValueSource = async () => {
  const { CATALOGUE } = await import('../../../check/catalogue.js');
  return { candidates: CATALOGUE.map(({ id, passes }) => ({ value: id, description: passes })) };
};

export const check = declare({
  name: 'check',
  summary: 'check a webhook receiver: signatures, repeats, order, speed',
  description:
    'Sends valid, forged, repeated and reordered webhooks, and explains each failure. With ' +
    '--probe and --order it also checks their effects on orders of your application; ' +
    'without, it checks signatures and transport only. {code} and {id} stand for the order ' +
    'and its charge, {amount} for the amount of a new order. Orders are created in a ' +
    'separate sandbox, whose environment block all commands get. It changes data of the ' +
    'application. Exit code 0 means that every must was observed and holds.',
  options: {
    forwardTo: text('target', 'your receiver: 3000/webhooks, /hook, host:port/path or a URL'),
    probe: text('command', 'a command or URL that prints what you hold for the order {code}'),
    order: text('command', 'a command or URL (POST) that creates the order {code}, if it can for {amount}'),
    restart: text('command', 'a command that restarts your application'),
    ...WEBHOOK_SECRETS,
    header: texts('header', "a header for every request, 'Name: value'"),
    port: { ...port, description: '--order: port of the sandbox (default: a free one)' },
    useRunning: flag('--order: use the sandbox of this project, which runs already'),
    only: text('ids', 'only these, such as refuse.prefix or dup', ids),
    skip: text('ids', 'all but these', ids),
    without: choices('parts', 'parts that your application does not use: withdrawals', PARTS, 'part'),
    require: choice('scope', 'fail without --probe and --order: effects', ['effects']),
    allowUnobserved: text('ids', 'succeed although these were not observed', ids),
    strict: flag('warnings and unobserved checks fail, too'),
    baseline: text('file', 'known failures and unobserved checks, each with a reason and a last day', files),
    writeBaseline: text('file', 'write such a file of the current ones', files),
    budget: duration('duration', 'time limit for all checks (default: 2m)'),
    wait: duration('duration', 'wait this long until the receiver listens (default: 10s)'),
    effectTimeout: duration('duration', 'time limit for the effect of an event (default: 15s)'),
    probeIgnore: texts('place', 'a place in the output of --probe to ignore, such as updated_at'),
    list: flag('list the checks'),
    junit: text('file', 'also write the results as JUnit XML', files),
    html: text('file', 'also write a report to open in a browser', files),
    verbose: flag('show every request and response'),
    yesRemote: flag('allow a receiver that is not on this machine'),
  },
  examples: [
    '--list',
    '--forward-to 3000/webhooks',
    '--forward-to 3000 --probe http://localhost:3000/o/{code}',
    '--forward-to 3000 --without withdrawals --strict',
    '--forward-to 3000 --only refuse --junit report.xml',
  ],
  exits: {
    1: 'a must failed, or was not observed',
    3: '--use-running: no sandbox is running',
    4: 'the budget was spent',
    5: '--order: the port is taken',
  },
  related: ['verify', 'exec', 'doctor'],
  environment: [WEBHOOK_SECRET_FACT],
});

export default check.runs(async () => (await import('./check.js')).checkReceiver);
