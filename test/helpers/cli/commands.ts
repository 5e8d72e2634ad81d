import { loadCommands } from '../../../src/cli/commands/table.js';

/** Every command and group, as the program knows them. */
export const TABLE = await loadCommands();
export const { commands: COMMANDS } = TABLE;

/** The names of the groups. */
export const GROUPS: readonly string[] = Array.from(TABLE.folders)
  .filter(([, { about }]) => about !== undefined)
  .map(([name]) => name);
