import { declare } from '../../program/declaration.js';
import { choice, flag, text } from '../../program/options.js';
import { settings } from '../../program/setting-options.js';
import { CI_SERVICES, FRAMEWORKS, TEST_RUNNERS } from '../../program/shared-options.js';

const { events } = settings('events');

export const init = declare({
  name: 'init',
  summary: 'set up a project: settings, .env.test, a receiver, a first test and a CI job',
  description:
    'Looks at package.json, the Python requirements and the folder, and writes what fits: ' +
    'sandbox.config.json, .env.test with the published values for an application, a receiver ' +
    'if there is none, a first test, and a job for GitHub Actions if the project is there. ' +
    'On a terminal it asks for what is not given, and shows what it would write before it ' +
    'does; otherwise it needs --yes or --dry-run. Existing content is kept: whole files, and ' +
    'in .env.test every existing name. Nothing is added to package.json.',
  options: {
    forwardTo: text('target', 'where your application receives webhooks (default: localhost:3000/webhooks)'),
    events,
    seed: text('text', 'derive ids and secrets from it (default: new ones each time)'),
    framework: choice(
      'framework',
      `${FRAMEWORKS.slice(0, -1).join(', ')} or none (default: what the project has)`,
      FRAMEWORKS,
    ),
    test: choice(
      'runner',
      `${TEST_RUNNERS.slice(0, -1).join(', ')} or none (default: what the project has)`,
      TEST_RUNNERS,
      'test runner',
    ),
    ci: choice(
      'service',
      'github or none (default: github where there is a .github folder or a remote there)',
      CI_SERVICES,
      'CI service',
    ),
    start: text('command', 'what starts your application, for the CI job (default: what the project has)'),
    probe: text('command', 'a command or URL that prints your order {code}, for the check of the CI job'),
    order: text('command', 'a command that creates the order {code}, for the check of the CI job'),
    dryRun: flag('write nothing: print the files that would be written'),
    yes: flag('ask nothing: take the defaults'),
  },
  examples: ['--yes', '--dry-run', '--forward-to 8080 --framework express --test node --yes'],
  exits: {},
  related: ['start', 'listen', 'config', 'env'],
});

export default init.runs(async () => (await import('./init.js')).setUpProject, {
  when: ({ options }) => !options.yes && !options.dryRun,
  load: async () => (await import('./questions.js')).initQuestions,
});
