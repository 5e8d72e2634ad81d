import { legacyFolder } from '../program/legacy.js';
import type { Command, CommandFolder } from '../program/declaration.js';

/** Loads the declarations of a folder, none of its code. */
type Load = () => Promise<{ readonly default: CommandFolder }>;

/** Every folder of commands by its first word, in the order of the help. */
export const FOLDERS = {
  start: legacyFolder('start'),
  stop: legacyFolder('stop'),
  listen: legacyFolder('listen'),
  trigger: legacyFolder('trigger'),
  env: legacyFolder('env'),
  status: legacyFolder('status'),
  wait: () => import('./wait/command.js'),
  clock: legacyFolder('clock'),
  assumptions: legacyFolder('assumptions'),
  reset: legacyFolder('reset'),
  state: legacyFolder('state'),
  exec: legacyFolder('exec'),
  run: legacyFolder('run'),
  verify: legacyFolder('verify'),
  sign: legacyFolder('sign'),
  fixtures: legacyFolder('fixtures'),
  charges: legacyFolder('charges'),
  withdrawals: legacyFolder('withdrawals'),
  events: legacyFolder('events'),
  deliveries: legacyFolder('deliveries'),
  endpoints: legacyFolder('endpoints'),
  kyc: legacyFolder('kyc'),
  faults: legacyFolder('faults'),
  calls: legacyFolder('calls'),
  init: legacyFolder('init'),
  config: legacyFolder('config'),
  completion: legacyFolder('completion'),
  doctor: legacyFolder('doctor'),
  logs: legacyFolder('logs'),
  help: () => import('./help/command.js'),
} as const satisfies Readonly<Record<string, Load>>;

/** Commands with what their groups are about, as help and completion walk them. */
export interface CommandTable {
  readonly folders: ReadonlyMap<string, CommandFolder>;
  readonly commands: readonly Command[];
}

/** Every command. */
export function allCommands(): Promise<CommandTable> {
  return tableOf(Object.entries<Load>(FOLDERS));
}

/** The folder of a first word, or all where there is none: loading and describing all takes longer than most commands run. */
export function commandsFor(word: string | undefined): Promise<CommandTable> {
  const loads = Object.entries<Load>(FOLDERS);
  const named = loads.filter(([name]) => name === word);
  return tableOf(named.length > 0 ? named : loads);
}

async function tableOf(loads: readonly (readonly [word: string, load: Load])[]): Promise<CommandTable> {
  const folders = await Promise.all(
    loads.map(async ([word, load]) => [word, (await load()).default] as const),
  );
  return { folders: new Map(folders), commands: folders.flatMap(([, { commands }]) => commands) };
}
