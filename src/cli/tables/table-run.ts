import type { CommandSpec } from '../program/command-spec.js';

/** The command that runs scenarios. */
export const RUN_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'run',
    summary: 'run scenarios: steps with expectations, from files or built in',
    args: ['[files...]'],
    options: [
      { flags: '--list', description: 'show the scenarios that are built in' },
      { flags: '--fresh', description: 'each in a sandbox of its own, also where one runs' },
      { flags: '--forward-to <target>', description: 'let your application take what the receiver accepts' },
      { flags: '--junit <file>', description: 'write the results as JUnit XML, too' },
      { flags: '--bail', description: 'end after the first that fails' },
      { flags: '--record <file>', description: 'write a scenario of what happened in the running sandbox' },
      { flags: '--force', description: '--record: overwrite a file that exists' },
    ],
    examples: [
      '--list',
      'paid retries-to-dead-letter-and-recovery --fresh',
      'checks/*.json --junit report.xml',
    ],
    load: async () => (await import('../commands/run/run.js')).run,
  },
];
