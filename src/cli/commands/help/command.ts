import { declare } from '../../program/declaration.js';
import { choice, flag, otherwise, rest } from '../../program/options.js';

const FORMATS = ['text', 'markdown'] as const;

export const help = declare({
  name: 'help',
  summary: 'help for a command, a group or everything: options, exit codes, examples',
  args: { command: rest() },
  options: {
    all: flag('every command in a line of its own; with --format or --json, the page of each'),
    format: otherwise(choice('format', 'text or markdown (default: text)', FORMATS), 'text'),
  },
  examples: ['trigger', 'clock advance', '--all --format markdown'],
  exits: {},
  related: ['completion', 'doctor'],
});

export default { commands: [help.runs(async () => (await import('./help.js')).showHelp)] };
