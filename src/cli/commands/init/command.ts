import { declare } from '../../program/declaration.js';
import { choice, flag, text } from '../../program/options.js';
import { settings } from '../../program/setting-options.js';
import { TEST_RUNNERS } from '../../program/shared-options.js';

const { events } = settings('events');

export const init = declare({
  name: 'init',
  summary: 'set up a project: settings, .env.test and a first test',
  description:
    'On a terminal it asks for what is not given; otherwise it needs --yes. Writes sandbox.config.json, .env.test with the published values for an application, and a first test. Existing content is kept: whole files, and in .env.test every existing name. Nothing is added to package.json.',
  options: {
    forwardTo: text('target', 'where your application receives webhooks (default: localhost:3000/webhooks)'),
    events,
    seed: text('text', 'derive ids and secrets from it (default: new ones each time)'),
    test: choice(
      'runner',
      'vitest, node or none (default: what package.json has)',
      TEST_RUNNERS,
      'test runner',
    ),
    yes: flag('ask nothing: take the defaults'),
  },
  examples: ['--yes', '--forward-to localhost:8080/hooks --test node --yes'],
  exits: {},
  related: ['start', 'listen', 'config', 'env'],
});

export default {
  commands: [
    init.runs(async () => (await import('./init.js')).setUpProject, {
      when: ({ options }) => !options.yes,
      load: async () => (await import('./questions.js')).initQuestions,
    }),
  ],
};
