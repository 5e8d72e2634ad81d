import type { CommandSpec } from './command-spec.js';
import { EXEC_COMMANDS } from '../tables/table-exec.js';
import { INIT_COMMANDS } from '../tables/table-init.js';
import { MAIN_COMMANDS } from '../tables/table-main.js';
import { RUN_COMMANDS } from '../tables/table-run.js';
import { SETUP_COMMANDS } from '../tables/table-setup.js';
import { SIGNING_COMMANDS } from '../tables/table-signing.js';

/** Words that group commands, with what they are about. */
export const GROUPS: Readonly<Record<string, string>> = {
  sign: 'the signature headers of a webhook or a request',
  fixtures: 'golden events and signature vectors, for tests in any language',
};

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandSpec[] = [
  ...MAIN_COMMANDS,
  ...EXEC_COMMANDS,
  ...RUN_COMMANDS,
  ...SIGNING_COMMANDS,
  ...INIT_COMMANDS,
  ...SETUP_COMMANDS,
];
