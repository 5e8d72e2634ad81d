import { INCIDENTS } from '../../contract/incidents.js';
import type { CommandDeclaration, CommandFolder } from '../program/declaration.js';

type Declared = CommandDeclaration | CommandFolder;
/** Loads a declaration, or a module that exports it as default or by its first word. */
type Load = () => Promise<object>;

const payments = () => import('./payments.js');
const status = () => import('./status.js');
const history = () => import('./history.js');
const webhooks = () => import('./webhooks.js');
const clock = () => import('./clock.js');
// The code for these larger commands is loaded only when they run.
const serve = () => import('../declarations/serve.js');
const tests = () => import('../declarations/tests.js');
const setup = () => import('../declarations/setup.js');
const signatures = () => import('../declarations/signatures.js');
const parity = () => import('../declarations/parity.js');
const signing = async () => (await import('./signatures/sign.js')).sign;

/** Maps each command's first word to a loader for its declarations, grouped by task. */
export const COMMAND_GROUPS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  'Start and stop': {
    start: async () =>
      (await serve()).start.runs(async () => (await import('./start/detach.js')).startSandbox),
    listen: async () =>
      (await serve()).listen.runs(async () => (await import('./listen/listen.js')).runListen),
    env: () => import('./setup/env.js'),
    open: status,
    status: status,
    wait: status,
    stop: status,
  },
  'Create and trigger': {
    trigger: () => import('./trigger.js'),
    charges: payments,
    withdrawals: payments,
    kyc: () => import('./kyc.js'),
  },
  Inspect: {
    logs: history,
    trace: history,
    report: history,
    events: webhooks,
    deliveries: webhooks,
    calls: () => import('./calls.js'),
    ledger: payments,
  },
  'Control time': {
    clock: clock,
    agenda: clock,
  },
  'Inject faults': {
    faults: () => import('./faults.js'),
    incident: () => import('./incident.js'),
  },
  'Verify your code': {
    check: async () =>
      (await tests()).check.runs(async () => (await import('./check/check.js')).checkReceiver),
    explore: async () =>
      (await tests()).exploreDeclaration.runs(
        async () => (await import('./explore/explore.js')).exploreCommand,
      ),
    parity: async () => {
      const { PARITY_COMMANDS: PARITY } = await parity();
      return {
        about: 'compare the sandbox with the real TEST environment',
        related: ['assumptions', 'config'],
        commands: [
          PARITY.probe.runs(async () => (await import('./parity/probe.js')).probeParity, {
            when: ({ options }) => !options.yes,
            load: async () => (await import('./parity/probe.js')).probeQuestions,
          }),
          PARITY.check.runs(async () => (await import('./parity/check.js')).checkParity),
        ],
      };
    },
    verify: async () =>
      (await signatures()).verify.runs(async () => (await import('./signatures/verify.js')).verifySignature),
    sign: async () => {
      const { SIGN_COMMANDS: SIGN } = await signatures();
      return {
        about: 'sign a webhook or an API request',
        related: ['verify', 'env'],
        commands: [
          SIGN.webhook.runs(async () => (await signing()).webhook),
          SIGN.request.runs(async () => (await signing()).request),
        ],
      };
    },
  },
  'Run tests': {
    exec: async () => (await tests()).exec.runs(async () => (await import('./exec/exec.js')).runExec),
    run: async () =>
      (await tests()).run.runs(async () => (await import('./run/run.js')).runScenarios, {
        when: ({ args, options }) => args.files.length === 0 && !options.list && options.record === undefined,
        load: async () => (await import('./run/run.js')).runQuestions,
      }),
    fixtures: () => import('./fixtures.js'),
  },
  'Save and restore': {
    state: () => import('./state.js'),
    reset: clock,
  },
  Applications: {
    apps: () => import('./apps.js'),
    endpoints: () => import('./endpoints.js'),
  },
  'Set up': {
    init: async () =>
      (await setup()).init.runs(async () => (await import('./init/init.js')).setUpProject, {
        when: ({ options }) => !options.yes && !options.dryRun,
        load: async () => (await import('./init/init.js')).initQuestions,
      }),
    config: async () =>
      (await setup()).config.runs(async () => (await import('./setup/config.js')).showConfig),
    assumptions: () => import('./assumptions.js'),
    mcp: async () =>
      (await import('../declarations/mcp.js')).mcpDeclaration.runs(
        async () => (await import('./mcp/mcp.js')).serveAgent,
      ),
    doctor: async () =>
      (await setup()).doctor.runs(async () => (await import('./setup/doctor.js')).runDoctor),
    completion: async () =>
      (await setup()).completion.runs(async () => (await import('./setup/completion.js')).printScript),
    help: async () => (await setup()).help.runs(async () => (await import('../help.js')).showHelp),
  },
};

/** Options common to all commands. */
export const COMMON_OPTIONS = [
  { flags: '--json', description: 'print only JSON to stdout' },
  { flags: '--url <url>', description: 'URL of the sandbox (default: this project’s)' },
  { flags: '--no-color', description: 'print without colors' },
  { flags: '--no-input', description: 'never prompt' },
] as const;

/** Incidents named in the overview, as many as fit. */
const INCIDENTS_SHOWN = 3;

/** Renders `help`: commands grouped by task. Fits into 80 x 24 characters, and loads no declarations. */
export function renderOverview(program: string): string {
  const incidents = Object.keys(INCIDENTS).slice(0, INCIDENTS_SHOWN);
  const groups = Object.entries(COMMAND_GROUPS).map(([title, folders]) => [
    title,
    Object.keys(folders).join(', ') + (title === 'Inject faults' ? `: ${incidents.join(', ')}, …` : ''),
  ]);
  const first = [
    [`  ${program} start --forward-to 3000`, 'start and forward webhooks'],
    [`  ${program} trigger pix.settled`, 'simulate a paid charge'],
    [`  ${program} open`, 'open the web console'],
  ];
  const further = [
    [`${program} help <command>`, 'show its options and examples'],
    [`${program} help --all`, 'list every command'],
  ];
  return [
    'A local PIX payments sandbox and webhook CLI.',
    `Usage: ${program} <command> [options]`,
    '',
    'Get started:',
    ...columns(first),
    '',
    ...columns(groups),
    '',
    ...columns(further),
    'An id can be shortened. It can also be latest, or the code of a payment.',
    `Every command accepts ${COMMON_OPTIONS.map(({ flags }) => flags).join(', ')}.`,
  ].join('\n');
}

function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const width = Math.max(...rows.map(([term = '']) => term.length)) + 3;
  return rows.map(([term = '', text = '']) => term.padEnd(width) + text);
}

/** Separates the common options, which can appear anywhere before `--`, from the other arguments. */
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

/** Describes commands and groups, for help and completion. */
export interface CommandTable {
  readonly folders: ReadonlyMap<string, CommandFolder>;
  readonly commands: readonly CommandDeclaration[];
}

/** Loads the commands that start with a word. Loads all commands, which is slow, if the word is unknown. */
export async function loadCommands(word?: string): Promise<CommandTable> {
  const loads = Object.values(COMMAND_GROUPS).flatMap((group) => Object.entries(group));
  const named = loads.filter(([name]) => name === word);
  const folders = await Promise.all(
    (named.length > 0 ? named : loads).map(async ([name, load]) => {
      const loaded = (await load()) as Declared & Readonly<Record<string, Declared | undefined>>;
      const declared = loaded['default'] ?? loaded[name] ?? loaded;
      return [name, 'commands' in declared ? declared : { commands: [declared] }] as const;
    }),
  );
  return { folders: new Map(folders), commands: folders.flatMap(([, { commands }]) => commands) };
}
