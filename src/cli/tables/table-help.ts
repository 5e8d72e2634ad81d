import type { CommandSpec } from '../program/command-spec.js';

/** Every command and group, as the pages of `help` are made from them. */
export interface CommandTable {
  readonly commands: readonly CommandSpec[];
  readonly groups: Readonly<Record<string, string>>;
}

/** The command that explains the others. It is handed the table that it stands in itself. */
export function helpCommand(table: () => CommandTable): CommandSpec {
  return {
    name: 'help',
    summary: 'a page about a command, a group or everything: options, exit codes, examples',
    args: ['[command...]'],
    examples: ['trigger', 'charges', 'clock advance'],
    load: async () => (await import('../commands/help/help.js')).help(table()),
  };
}
