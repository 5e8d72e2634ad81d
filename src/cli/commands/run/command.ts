import { files } from '../../completion/sources.js';
import { declare } from '../../program/declaration.js';
import { flag, rest, text } from '../../program/options.js';

export const run = declare({
  name: 'run',
  summary: 'run scenarios: steps with expectations, from files or built in',
  description:
    'Against the running sandbox, otherwise each in a fresh one. Names without a folder and ' +
    'an extension are built-in scenarios. An invalid file is refused before anything runs.',
  args: {
    files: rest(async () => {
      const { builtInNames } = await import('./scenarios.js');
      const candidates = builtInNames().map((value) => ({ value, description: 'built in' }));
      return { candidates, paths: 'files' };
    }),
  },
  options: {
    list: flag('list the built-in scenarios'),
    fresh: flag('each in its own sandbox, even if one is running'),
    forwardTo: text('target', 'forward what the receiver accepts to your application'),
    junit: text('file', 'also write the results as JUnit XML; - is stdout', files),
    bail: flag('stop after the first failure'),
    record: text('file', 'write a scenario of what happened in the running sandbox', files),
    force: flag('--record: overwrite a file that exists'),
  },
  examples: [
    '--list',
    'paid retries-to-dead-letter-and-recovery --fresh',
    'checks/*.json --junit report.xml',
  ],
  exits: { 1: 'a scenario failed', 3: 'with --record or --url: no sandbox is running' },
  related: ['exec', 'fixtures', 'reset'],
});

export default run.runs(async () => (await import('./run.js')).runScenarios, {
  when: ({ args, options }) => args.files.length === 0 && !options.list && options.record === undefined,
  load: async () => (await import('./run.js')).runQuestions,
});
