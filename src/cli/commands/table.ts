import type { Command, CommandFolder } from '../program/declaration.js';

/** Loads the declarations of a folder, none of its code. */
type Load = () => Promise<{ readonly default: CommandFolder }>;

/** A folder that shares a module with others, by its name in it. */
function named<Name extends string>(
  load: () => Promise<Readonly<Record<Name, CommandFolder>>>,
  name: Name,
): Load {
  return async () => ({ default: (await load())[name] });
}

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
    env: named(setup, 'env'),
    status: named(status, 'status'),
    wait: named(status, 'wait'),
    stop: named(status, 'stop'),
  },
  'Make things happen': {
    trigger: () => import('./trigger.js'),
    charges: named(payments, 'charges'),
    withdrawals: named(payments, 'withdrawals'),
    kyc: () => import('./kyc.js'),
  },
  'See what happened': {
    logs: named(history, 'logs'),
    trace: named(history, 'trace'),
    events: named(webhooks, 'events'),
    deliveries: named(webhooks, 'deliveries'),
    calls: () => import('./calls.js'),
    ledger: named(payments, 'ledger'),
  },
  'Move time': {
    clock: named(clock, 'clock'),
    agenda: named(clock, 'agenda'),
  },
  'Make things fail': {
    faults: () => import('./faults.js'),
  },
  'Check your code': {
    check: () => import('./check/command.js'),
    explore: () => import('./explore/command.js'),
    verify: named(signatures, 'verify'),
    sign: named(signatures, 'sign'),
  },
  'Run tests': {
    exec: () => import('./exec/command.js'),
    run: () => import('./run/command.js'),
    fixtures: () => import('./fixtures.js'),
  },
  'Keep and restore': {
    state: () => import('./state.js'),
    reset: named(clock, 'reset'),
  },
  Applications: {
    apps: () => import('./apps.js'),
    endpoints: named(() => import('./endpoints.js'), 'endpoints'),
  },
  'Set up': {
    init: () => import('./init/command.js'),
    config: named(setup, 'config'),
    assumptions: () => import('./assumptions.js'),
    doctor: named(setup, 'doctor'),
    completion: named(setup, 'completion'),
    help: named(setup, 'help'),
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
    (named.length > 0 ? named : loads).map(async ([name, load]) => [name, (await load()).default] as const),
  );
  return { folders: new Map(folders), commands: folders.flatMap(([, { commands }]) => commands) };
}
