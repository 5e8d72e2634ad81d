import type { ValueSource } from '../../completion/sources.js';
import { files } from '../../completion/sources.js';
import { declare } from '../../program/declaration.js';
import { duration, flag, text, texts } from '../../program/options.js';
import { settings } from '../../program/setting-options.js';
import { WEBHOOK_SECRET_FACT, WEBHOOK_SECRETS } from '../../signatures/options.js';

const { port } = settings('port');

const ids: ValueSource = async () => {
  const { CATALOGUE } = await import('../../../check/catalogue/catalogue.js');
  return { candidates: CATALOGUE.map(({ id, passes }) => ({ value: id, description: passes })) };
};

export const check = declare({
  name: 'check',
  summary: 'check a webhook receiver: signatures, repeats, order, speed',
  description:
    'Sends right, forged, repeated and unordered webhooks, and explains each failure. With --probe it sees what they change; {code} and {id} stand for the order and its charge. With --order they are about orders of your application, created in a sandbox of its own, whose environment block all three commands get. It changes data of the application.',
  options: {
    forwardTo: text('target', 'your receiver: 3000/webhooks, /hook, host:port/path or a URL'),
    probe: text('command', 'a command or URL that prints what you hold for the order {code}'),
    order: text('command', 'a command that makes your application create the order {code}'),
    restart: text('command', 'a command that restarts your application'),
    ...WEBHOOK_SECRETS,
    header: texts('header', "a header for every request, 'Name: value'"),
    port: { ...port, description: '--order: port of the sandbox (default: a free one)' },
    useRunning: flag('--order: use the sandbox of this project, which runs already'),
    only: text('ids', 'only these, such as refuse.prefix or dup', ids),
    skip: text('ids', 'all but these', ids),
    strict: flag('warnings, unknown and gated checks fail, too'),
    baseline: text('file', 'failures that are known, each with a reason and a last day', files),
    writeBaseline: text('file', 'write such a file of what fails now', files),
    budget: duration('duration', 'time for all checks (default: 2m)'),
    list: flag('list the checks'),
    junit: text('file', 'also write the results as JUnit XML', files),
    html: text('file', 'also write a report to open in a browser', files),
    verbose: flag('show every request and answer'),
    yesRemote: flag('allow a receiver that is not on this machine'),
  },
  examples: [
    '--list',
    '--forward-to 3000/webhooks',
    '--forward-to 3000 --probe http://localhost:3000/o/{code}',
    '--forward-to 3000 --only refuse --junit report.xml',
  ],
  exits: {
    1: 'a check that must hold does not',
    3: '--use-running: no sandbox is running',
    4: 'the budget was spent',
    5: '--order: the port is taken',
  },
  related: ['verify', 'exec', 'doctor'],
  environment: [WEBHOOK_SECRET_FACT],
});

export default { commands: [check.runs(async () => (await import('./check.js')).checkReceiver)] };
