import type { CommandSpec } from '../program/command-spec.js';

/** The command that sets a project up. */
export const INIT_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'init',
    summary: 'set a project up: settings, .env.test and a first test',
    options: [
      {
        flags: '--forward-to <target>',
        description: 'where your application receives webhooks (default: localhost:3000/webhooks)',
      },
      {
        flags: '--events <types>',
        description: 'only these, such as pix.*,withdrawal.failed (default: all)',
      },
      { flags: '--seed <text>', description: 'ids and secrets follow from it (default: new ones each time)' },
      { flags: '--test <runner>', description: 'vitest, node or none (default: what package.json has)' },
      { flags: '--yes', description: 'ask nothing: take the defaults' },
    ],
    examples: ['--yes', '--forward-to localhost:8080/hooks --test node --yes'],
    load: async () => (await import('../commands/init/init.js')).init,
  },
];
