import type { Command, CommandFolder } from '../program/declaration.js';

/** Loads a module with declarations: as its default export, or by their first word. */
type Load = () => Promise<object>;

const payments = () => import('./payments.js');
const status = () => import('./status.js');
const history = () => import('./history.js');
const webhooks = () => import('./webhooks.js');
const clock = () => import('./clock.js');
const signatures = () => import('./signatures/command.js');
const setup = async () => (await import('./setup/command.js')).folders;

/** Every folder of commands by its first word, in groups by what one wants to do. */
export const GROUPS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  'Start and stop': {
    start: () => import('./start/command.js'),
    listen: () => import('./listen/command.js'),
    env: setup,
    status: status,
    wait: status,
    stop: status,
  },
  'Make things happen': {
    trigger: () => import('./trigger.js'),
    charges: payments,
    withdrawals: payments,
    kyc: () => import('./kyc.js'),
  },
  'See what happened': {
    logs: history,
    trace: history,
    events: webhooks,
    deliveries: webhooks,
    calls: () => import('./calls.js'),
    ledger: payments,
  },
  'Move time': {
    clock: clock,
    agenda: clock,
  },
  'Make things fail': {
    faults: () => import('./faults.js'),
  },
  'Check your code': {
    check: () => import('./check/command.js'),
    explore: () => import('./explore/command.js'),
    verify: signatures,
    sign: signatures,
  },
  'Run tests': {
    exec: () => import('./exec/command.js'),
    run: () => import('./run/command.js'),
    fixtures: () => import('./fixtures.js'),
  },
  'Keep and restore': {
    state: () => import('./state.js'),
    reset: clock,
  },
  Applications: {
    apps: () => import('./apps.js'),
    endpoints: () => import('./endpoints.js'),
  },
  'Set up': {
    init: () => import('./init/command.js'),
    config: setup,
    assumptions: () => import('./assumptions.js'),
    doctor: setup,
    completion: setup,
    help: setup,
  },
};

/** Options of every command, as commander and the help show them. */
export const COMMON_OPTIONS = [
  { flags: '--json', description: 'print JSON on stdout and nothing else' },
  { flags: '--url <url>', description: 'the sandbox to talk to (default: the one of this project)' },
  { flags: '--no-color', description: 'print without colours' },
  { flags: '--no-input', description: 'never ask' },
] as const;

/** Splits a command line up to `--` into the options of every command, which may be anywhere, and all other words. */
export function splitCommon(argv: readonly string[]) {
  const words: string[] = [];
  const given: string[] = [];
  const end = argv.indexOf('--');
  const own = end < 0 ? argv : argv.slice(0, end);
  for (let at = 0; at < own.length; at += 1) {
    const word = own[at] ?? '';
    const [name = ''] = word.split('=', 1);
    const option = COMMON_OPTIONS.find(({ flags }) => flags.split(' ')[0] === name);
    if (option === undefined) words.push(word);
    else if (name === word && option.flags.includes(' ')) given.push(word, ...own.slice((at += 1), at + 1));
    else given.push(word);
  }
  return { words, given };
}

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
    (named.length > 0 ? named : loads).map(async ([name, load]) => {
      const module = (await load()) as Readonly<Record<string, Command | CommandFolder>>;
      const declared = module['default'] ?? module[name];
      if (declared === undefined) throw new RangeError(`There is no declaration of ${name}.`);
      return [name, 'commands' in declared ? declared : { commands: [declared] }] as const;
    }),
  );
  return { folders: new Map(folders), commands: folders.flatMap(([, { commands }]) => commands) };
}
