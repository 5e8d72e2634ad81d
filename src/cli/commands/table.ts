import type { Command, CommandFolder } from '../program/declaration.js';

/** Loads the declarations of a folder, none of its code. */
type Load = () => Promise<{ readonly default: CommandFolder }>;

const webhooks = (name: 'events' | 'deliveries' | 'endpoints') => async () => ({
  default: (await import('./webhooks/command.js'))[name],
});

const payments = (name: 'charges' | 'withdrawals' | 'ledger') => async () => ({
  default: (await import('./payments/command.js'))[name],
});

const time = (name: 'clock' | 'agenda' | 'reset') => async () => ({
  default: (await import('./clock/command.js'))[name],
});

const signatures = (name: 'sign' | 'verify') => async () => ({
  default: (await import('./signatures/command.js'))[name],
});

/** Every folder of commands by its first word, in the order of the help. */
export const FOLDERS = {
  start: () => import('./start/command.js'),
  stop: () => import('./stop/command.js'),
  listen: () => import('./listen/command.js'),
  trigger: () => import('./trigger/command.js'),
  env: () => import('./env/command.js'),
  status: () => import('./status/command.js'),
  wait: () => import('./wait/command.js'),
  clock: time('clock'),
  agenda: time('agenda'),
  trace: () => import('./trace/command.js'),
  assumptions: () => import('./assumptions/command.js'),
  reset: time('reset'),
  state: () => import('./state/command.js'),
  exec: () => import('./exec/command.js'),
  check: () => import('./check/command.js'),
  explore: () => import('./explore/command.js'),
  run: () => import('./run/command.js'),
  verify: signatures('verify'),
  sign: signatures('sign'),
  fixtures: () => import('./fixtures/command.js'),
  charges: payments('charges'),
  withdrawals: payments('withdrawals'),
  ledger: payments('ledger'),
  events: webhooks('events'),
  deliveries: webhooks('deliveries'),
  apps: () => import('./apps/command.js'),
  endpoints: webhooks('endpoints'),
  kyc: () => import('./kyc/command.js'),
  faults: () => import('./faults/command.js'),
  calls: () => import('./calls/command.js'),
  init: () => import('./init/command.js'),
  config: () => import('./config/command.js'),
  completion: () => import('./completion/command.js'),
  doctor: () => import('./doctor/command.js'),
  logs: () => import('./logs/command.js'),
  help: () => import('./help/command.js'),
} as const satisfies Readonly<Record<string, Load>>;

/** Commands with the description of their groups, for help and completion. */
export interface CommandTable {
  readonly folders: ReadonlyMap<string, CommandFolder>;
  readonly commands: readonly Command[];
}

export function allCommands(): Promise<CommandTable> {
  return tableOf(Object.entries<Load>(FOLDERS));
}

/** The folder of a first word, or all folders without one: loading all takes longer than most commands run. */
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
