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

const setup = (name: 'env' | 'config' | 'doctor' | 'completion' | 'help') => async () => ({
  default: (await import('./setup/command.js')).folders[name],
});

/** Every folder of commands by its first word, in groups by what one wants to do. */
export const GROUPS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  'Start and stop': {
    start: () => import('./start/command.js'),
    listen: () => import('./listen/command.js'),
    env: setup('env'),
    status: () => import('./status/command.js'),
    wait: () => import('./wait/command.js'),
    stop: () => import('./stop/command.js'),
  },
  'Make things happen': {
    trigger: () => import('./trigger/command.js'),
    charges: payments('charges'),
    withdrawals: payments('withdrawals'),
    kyc: () => import('./kyc/command.js'),
  },
  'See what happened': {
    logs: () => import('./logs/command.js'),
    trace: () => import('./trace/command.js'),
    events: webhooks('events'),
    deliveries: webhooks('deliveries'),
    calls: () => import('./calls/command.js'),
    ledger: payments('ledger'),
  },
  'Move time': {
    clock: time('clock'),
    agenda: time('agenda'),
  },
  'Make things fail': {
    faults: () => import('./faults/command.js'),
  },
  'Check your code': {
    check: () => import('./check/command.js'),
    explore: () => import('./explore/command.js'),
    verify: signatures('verify'),
    sign: signatures('sign'),
  },
  'Run tests': {
    exec: () => import('./exec/command.js'),
    run: () => import('./run/command.js'),
    fixtures: () => import('./fixtures/command.js'),
  },
  'Keep and restore': {
    state: () => import('./state/command.js'),
    reset: time('reset'),
  },
  Applications: {
    apps: () => import('./apps/command.js'),
    endpoints: webhooks('endpoints'),
  },
  'Set up': {
    init: () => import('./init/command.js'),
    config: setup('config'),
    assumptions: () => import('./assumptions/command.js'),
    doctor: setup('doctor'),
    completion: setup('completion'),
    help: setup('help'),
  },
};

/** Options of every command, as commander and the help show them. */
export const COMMON_OPTIONS = [
  { flags: '--json', description: 'print JSON on stdout and nothing else' },
  { flags: '--url <url>', description: 'the sandbox to talk to (default: the one of this project)' },
  { flags: '--no-color', description: 'print without colours' },
  { flags: '--no-input', description: 'never ask' },
] as const;

/** Commands with the description of their groups, for help and completion. */
export interface CommandTable {
  readonly folders: ReadonlyMap<string, CommandFolder>;
  readonly commands: readonly Command[];
}

/** The folder of a first word, or all folders without one: loading all takes longer than most commands run. */
export async function commandsFor(word?: string): Promise<CommandTable> {
  const loads = Object.values(GROUPS).flatMap((group) => Object.entries(group));
  const named = loads.filter(([name]) => name === word);
  const folders = await Promise.all(
    (named.length > 0 ? named : loads).map(async ([name, load]) => [name, (await load()).default] as const),
  );
  return { folders: new Map(folders), commands: folders.flatMap(([, { commands }]) => commands) };
}
