import type { CommandSpec } from './command-spec.js';
import { EXEC_COMMANDS } from '../tables/table-exec.js';
import { FAULT_COMMANDS } from '../tables/table-faults.js';
import { INIT_COMMANDS } from '../tables/table-init.js';
import { KYC_COMMANDS } from '../tables/table-kyc.js';
import { LOG_COMMANDS } from '../tables/table-logs.js';
import { MAIN_COMMANDS } from '../tables/table-main.js';
import { RESOURCE_COMMANDS } from '../tables/table-resources.js';
import { RUN_COMMANDS } from '../tables/table-run.js';
import { SETUP_COMMANDS } from '../tables/table-setup.js';
import { SIGNING_COMMANDS } from '../tables/table-signing.js';
import { STATE_COMMANDS } from '../tables/table-state.js';

/** Words that group commands, with what they are about. */
export const GROUPS: Readonly<Record<string, string>> = {
  charges: 'the charges: list, show, create, and the payer’s side',
  withdrawals: 'the withdrawals: list, show, create, and the bank’s side',
  events: 'what the service announced',
  deliveries: 'events on their way to endpoints, with every attempt',
  endpoints: 'registered webhook URLs and listeners',
  kyc: 'identity sessions: create, list, show, decide',
  clock: 'sandbox time: look, advance, freeze, speed',
  calls: 'what your code sent to the sandbox, and what came of it',
  faults: 'what is to go wrong, on purpose',
  state: 'the whole sandbox: out to a file, in again, saved under a name',
  sign: 'the signature headers of a webhook or a request',
  fixtures: 'golden events and signature vectors, for tests in any language',
};

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandSpec[] = [
  ...MAIN_COMMANDS,
  ...STATE_COMMANDS,
  ...EXEC_COMMANDS,
  ...RUN_COMMANDS,
  ...SIGNING_COMMANDS,
  ...RESOURCE_COMMANDS,
  ...KYC_COMMANDS,
  ...FAULT_COMMANDS,
  ...INIT_COMMANDS,
  ...SETUP_COMMANDS,
  ...LOG_COMMANDS,
];
