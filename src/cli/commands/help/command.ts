import { declare } from '../../program/declaration.js';
import { rest } from '../../program/options.js';

export const help = declare({
  name: 'help',
  summary: 'help for a command, a group or everything: options, exit codes, examples',
  args: { command: rest() },
  examples: ['trigger', 'charges', 'clock advance'],
  exits: {},
  related: ['completion', 'doctor'],
});

export default { commands: [help.runs(async () => (await import('./help.js')).showHelp)] };
