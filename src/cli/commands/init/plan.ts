import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { PROJECT_FILE } from '../../../config/load.js';
import { DEFAULT_PORT } from '../../../config/settings.js';
import { makeDirectory } from '../../../directories.js';
import { parseMapping } from '../../program/options.js';
import { mapEnvironment } from '../../../text/environment.js';
import { isLoopbackHost } from '../../../http/server/start.js';
import { createEnvironmentBlock, WELL_KNOWN_CREDENTIALS } from '../../../sandbox/credentials.js';
import { readForwardTarget } from '../../../text/forward-target.js';
import { parseUrl } from '../../../text/urls.js';
import { quoteForShell } from '../../../text/shell/words.js';
import { resolveSettings } from '../../program/configured-options.js';
import type { InvocationOf } from '../../program/declaration.js';
import { readBytesIfPresent, getFixturePath, withFileErrors } from '../../program/input-bytes.js';
import type { Io } from '../../program/io.js';
import { parseEventTypes, parseForwardTarget, splitRoute } from '../listen/plan.js';
import { createUsageError } from '../../program/errors.js';
import { formatEnv } from '../setup/env.js';
import type { init } from '../../declarations/setup.js';
import { checkPlaceholders } from '../../declarations/tests.js';
import { matchesGlob } from '../../../text/globs.js';
import { parseJson } from '../../../text/json.js';
import { AGENT_FILES } from '../../program/shared-options.js';
import {
  INSTALL_COMMANDS,
  type Project,
  createReceiverTemplate,
  type Template,
  createTestTemplate,
} from './project.js';
import { type Application, ORDER_CODE } from './application.js';
import { createDotenvAddition } from './env-file.js';
import { readSmallFile } from './sources.js';
import { adaptFirstTest } from './first-test.js';
import { adaptWorkflow, WORKFLOW_PATH, createWorkflowTemplate } from './workflow.js';

export const DEFAULT_TARGET = 'localhost:3000/webhooks';

type Options = InvocationOf<typeof init>['options'];
type Choices = ReturnType<typeof resolveChoices>;

/**
 * Resolves the choices from the options, then from existing settings and the detected project. Throws a usage
 * error for invalid options.
 */
export function resolveChoices(options: Options, project: Project, io: Io) {
  const { values } = resolveSettings({}, io, 'start');
  const existing = Object.fromEntries(values.map(({ setting, value }) => [setting.key, value]));
  const { host, forwardTo: targets } = existing;
  const ownPort = findSandboxPort(options, io);
  const port = ownPort ?? existing['port'];
  const settled = Array.isArray(targets) && targets[0] !== undefined ? splitRoute(targets[0])[1] : undefined;
  const hasSettings = existsSync(join(project.folder, PROJECT_FILE));
  const env = Array.isArray(existing['env']) ? parseMapping(existing['env']) : project.application.env;
  const target = options.forwardTo ?? settled ?? findTargets(project)[0]?.target;
  const typed = target ?? DEFAULT_TARGET;
  parseForwardTarget(typed);
  const isBare = typed === options.forwardTo && /^(?:https?:\/\/)?[^/?#]+$/.test(typed);
  const forwardTo = isBare ? `${typed}${project.application.receivers[0]?.path ?? ''}` : typed;
  const { events, seed, test = project.runner } = options;
  const { files: own } = createReceiverTemplate(project.framework, project.folder, '');
  const hasReceiver = project.application.receivers.some(({ file }) =>
    own.every(({ path }) => path !== file.path),
  );
  const {
    framework = hasReceiver ? 'none' : project.framework,
    ci = project.isOnGitHub ? 'github' : 'none',
  } = options;
  const { start, probe, order, agents = findAgentsFile(project.folder) } = options;
  if (events !== undefined) parseEventTypes(events);
  checkPlaceholders(options);
  const isSettled = settled === undefined ? !hasSettings : settled === forwardTo;
  const flag = ` --forward-to ${quoteForShell(forwardTo)}`;
  /** Option that passes the target to `start` and `exec`; empty if the settings contain the target. */
  const forwardFlag = isSettled ? '' : flag;
  // check accepts only one target, without events.
  const isSingle = settled === undefined || String(targets) === settled;
  return {
    host,
    port,
    ownPort,
    env,
    forwardTo,
    forwardFlag,
    checkFlag: isSingle ? forwardFlag : flag,
    isKnown: target !== undefined,
    events,
    seed,
    framework,
    test,
    ci,
    start,
    probe,
    order,
    agents,
  };
}

/**
 * Returns the port to write, from the option or the environment. Port 0 changes with every start. Throws a usage
 * error for `--url`, because there is no running sandbox yet.
 */
export function findSandboxPort({ port: typed, url }: Options, io: Io): string | undefined {
  if (url !== undefined) {
    const fix = `To set the port of the sandbox, pass --port ${parseUrl(url)?.port || DEFAULT_PORT}.`;
    throw createUsageError('init does not use --url.', fix);
  }
  const port = String(typed || io.env['SANDBOX_PORT'] || 0);
  return port === '0' ? undefined : port;
}

/** Returns the URLs of the application's likely receivers, each with where it was found. */
export function findTargets({ application: { receivers, port } }: Project) {
  return receivers.map(({ path, place }) => {
    return { target: `localhost:${port.port}${path}`, place };
  });
}

/** Planned file change. */
interface SetUpFile {
  /** Relative to the project directory. */
  readonly path: string;
  readonly outcome: 'written' | 'extended' | 'kept' | 'left out';
  /** Variables added to `.env.test`; `kept` lists the unchanged ones. */
  readonly added?: readonly string[];
  readonly kept?: readonly string[];
  readonly reason?: string;
  /** What the settings are based on, and where it was found. */
  readonly found?: readonly string[];
  /** Settings to add to an existing file. */
  readonly missing?: Readonly<Record<string, unknown>>;
}

export interface PlannedFile {
  readonly file: SetUpFile;
  /** Content to write. The flag `wx` fails if the file exists. */
  readonly write?: { readonly text: string; readonly flag: 'wx' | 'a'; readonly mode?: number };
}

interface Setup {
  readonly files: readonly PlannedFile[];
  readonly next: readonly string[];
  /** The receiver is a separate program, probably on the application's port. */
  readonly isApart: boolean;
}

/** Plans the files for a project without changing existing content. Writes nothing. */
export function planSetup(project: Project, choices: Choices, io: Io): Setup {
  const { folder, application, manager, dependencies, startCommand } = project;
  const { framework, forwardTo, forwardFlag, start, test, ci } = choices;
  const place = placeOf(forwardTo);
  const receiver = createReceiverTemplate(framework, folder, place?.route ?? '');
  const receiverFiles = planReceiver(project, receiver.files, forwardTo);
  const isPlanned =
    receiverFiles.length > 0 && receiverFiles.every(({ file }) => file.outcome !== 'left out');
  const isOwn = isPlanned && place !== undefined && receiver.program !== undefined;
  const found = isOwn ? replaceTarget(receiver.program, place) : startCommand;
  const program =
    start ?? (isOwn ? found : moveProgram(found, application.port, parseForwardTarget(forwardTo)));
  const first = test === 'none' ? undefined : createTestTemplate(project, test);
  const order = isOwn ? undefined : application.order;
  const checked = order && createCheckCommands(order, choices);
  const isMovable = start === undefined && test !== 'pytest';
  const portVariable = isMovable ? (isOwn ? 'PORT' : application.port.variable) : undefined;
  const settings = configFile(project, choices, checked);
  const known = settings.write === undefined ? undefined : checked;
  const files = [
    settings,
    envFile(folder, choices, io),
    ...receiverFiles,
    ...(first === undefined
      ? []
      : [
          planFixtureCopy(
            folder,
            first,
            portVariable === undefined ? forwardTo : movePort(forwardTo),
            (text) =>
              adaptFirstTest(text, {
                project,
                runner: test,
                program: portVariable === undefined ? program : found,
                order,
                command: first.command,
                env: choices.env,
                portVariable,
              }),
          ),
        ]),
    ...(ci === 'none' ? [] : [workflowFile(project, { ...choices, ...known }, program, first)]),
    ...(choices.agents === 'none' ? [] : [agentsFile(folder, choices.agents, forwardFlag)]),
  ];
  const [add, dev] = INSTALL_COMMANDS[manager];
  const needed = (isPlanned ? receiver.packages : []).filter((name) => !dependencies.has(name));
  const isPython = framework === 'none' ? project.isPython : receiver.isPython === true;
  const isInstalled = (isPython && dependencies.size === 0) || dependencies.has('pix-sandbox');
  const tested = test === 'pytest' ? `npx sandbox exec${forwardFlag} -- ${first?.command}` : first?.command;
  const next = [
    ...(isInstalled ? [] : [`${add} ${dev} pix-sandbox`]),
    ...(needed.length === 0 ? [] : [`${add} ${needed.join(' ')}`]),
    // The first test starts the application, so it comes before the steps that keep it running.
    ...(tested === undefined ? [] : [tested]),
    `npx sandbox start${forwardFlag}`,
    ...(program === undefined ? [] : [startOf(program)]),
    ...(checked === undefined ? [] : [checked.example]),
    `npx sandbox trigger pix.settled${checked === undefined ? '' : ' --charge latest'}`,
    ...(isPlanned || choices.isKnown ? [`npx sandbox check${choices.checkFlag}`] : []),
  ];
  const isApart = startCommand !== undefined && start === undefined && found !== startCommand;
  return { files, next, isApart };
}

export function writePlanned(folder: string, plan: readonly PlannedFile[]): void {
  for (const { file, write } of plan) {
    if (write === undefined) continue;
    const { text, flag, mode } = write;
    withFileErrors({ verb: 'write', name: file.path }, () => {
      makeDirectory(dirname(join(folder, file.path)));
      writeFileSync(join(folder, file.path), text, { flag, mode });
    });
  }
}

function startOf(program: string): string {
  if (program.startsWith('node ')) return program.replace('node ', 'node --env-file=.env.test ');
  return `eval "$(npx sandbox env --format shell)"; ${program}`;
}

/** Starts the application at the target's port, if its command or an environment variable sets the port. */
function moveProgram(program: string | undefined, { port, place, variable }: Application['port'], to: URL) {
  // A CI job has neither the environment of this terminal nor an ignored .env.
  const isLocal = /^\.env|environment$/.test(place);
  if (program === undefined || to.port === '' || (to.port === port && !isLocal)) return program;
  if (program.endsWith(` ${port}`)) return program.slice(0, -port.length) + to.port;
  // PORT has no effect if the application does not read it.
  const name = variable ?? (place === 'default' ? 'PORT' : undefined);
  return name === undefined ? program : `${name}=${to.port} ${program}`;
}

/** Creates the commands with which `check` creates and reads orders, and one that creates an example. */
function createCheckCommands(created: NonNullable<Application['order']>, choices: Choices) {
  const { route, body, shown, storesAmount } = created;
  const { origin } = parseForwardTarget(choices.forwardTo);
  const json = quoteForShell(JSON.stringify(body));
  const header = "-H 'content-type: application/json'";
  const example = `curl -s --fail-with-body ${header} -d ${json} ${quoteForShell(origin + route.path)}`;
  const [coded, read] = [example, shown && origin + shown].map((text) =>
    text?.replaceAll(ORDER_CODE, '{code}'),
  );
  const ordered =
    storesAmount && read
      ? coded?.replace(/(?<=":)("?)10(?:\.00)?(?=["},])/, (_, quote: string) => `${quote}{amount}`)
      : coded;
  const { order = coded === example ? undefined : ordered, probe = read } = choices;
  return { example, order, probe };
}

type CheckCommands = ReturnType<typeof createCheckCommands>;

/** Parses the target for generated code; returns undefined if its path requires quoting. */
function placeOf(forwardTo: string) {
  const read = readForwardTarget(forwardTo);
  if (!('url' in read) || !/^\/[\w./-]*$/.test(read.url.pathname) || read.url.pathname.includes('//'))
    return undefined;
  const { href, port, pathname } = read.url;
  return { url: href, port: port === '' ? '3000' : port, route: pathname };
}

/** Moves a target to another port, so that a test can run while the application is in use. */
function movePort(forwardTo: string): string {
  const read = readForwardTarget(forwardTo);
  if (!('url' in read)) return forwardTo;
  read.url.port = String((Number(read.url.port) % 50_000) + 10_000);
  return read.url.href;
}

type Place = NonNullable<ReturnType<typeof placeOf>>;

/** Replaces the template's URL, port and route with the project's. */
function replaceTarget(text: string, { url, port, route }: Place): string {
  return text.replaceAll(/http:\/\/localhost:3000\/webhooks|\/webhooks|"webhooks"|3000/g, (found) => {
    if (found.startsWith('http')) return url;
    if (found === '3000') return port;
    return found === '"webhooks"' ? `"${route.slice(1)}"` : route;
  });
}

/** Points editors to the schema, relative to the settings file. */
const SCHEMA = './node_modules/pix-sandbox/fixtures/config/sandbox.config.schema.json';

function configFile(project: Project, choices: Choices, checked?: CheckCommands): PlannedFile {
  const { forwardTo, events, seed, env, ownPort, isKnown } = choices;
  const { makesWithdrawals } = project.application;
  const isChecked = checked?.order !== undefined || checked?.probe !== undefined;
  const settings = {
    $schema: SCHEMA,
    port: ownPort === undefined ? undefined : Number(ownPort),
    forwardTo: [forwardTo],
    events: events?.split(','),
    seed,
    env: Object.keys(env).length > 0 ? env : undefined,
    'check.order': checked?.order,
    'check.probe': checked?.probe,
    'check.useRunning': checked?.order && true,
    'check.without': isChecked && !makesWithdrawals ? ['withdrawals'] : undefined,
  };
  const { file, write } = newFile(
    project.folder,
    PROJECT_FILE,
    () => `${JSON.stringify(settings, null, 2)}\n`,
  );
  const found = listFindings(project, choices, checked);
  if (write === undefined) {
    const existing = new Set(
      Object.keys(Object(parseJson(readSmallFile(join(project.folder, PROJECT_FILE)), {}))),
    );
    const missing = Object.entries({ ...settings, forwardTo: isKnown ? [forwardTo] : undefined }).filter(
      ([key, value]) => value !== undefined && key !== '$schema' && !existing.has(key),
    );
    return missing.length === 0 ? { file } : { file: { ...file, missing: Object.fromEntries(missing) } };
  }
  return { file: found.length === 0 ? file : { ...file, found }, write };
}

const LISTED = 6;

/** Describes the receivers, the order route and the variable names found, and where. */
function listFindings(project: Project, { forwardTo, env }: Choices, checked?: CheckCommands): string[] {
  const { order, port, receivers } = project.application;
  const to = parseForwardTarget(forwardTo);
  const place = to.port === port.port ? port.place : '--forward-to';
  const used = receivers.find(({ path }) => path === to.pathname);
  const targets = findTargets(project).filter((one) => one.place !== used?.place);
  const others = targets.map((one) => `${one.target} (${one.place})`);
  const names = Object.entries(env).map(([name, source]) => `${name} from ${source}`);
  return [
    ...(used === undefined ? [] : [`Receiver: ${used.place}; port: ${place}.`]),
    ...(others.length === 0
      ? []
      : [`Other candidates: ${others.slice(0, LISTED).join(', ')}. Pass --forward-to.`]),
    ...(order === undefined ? [] : [`Orders: POST ${order.route.path} (${order.route.place}).`]),
    ...(checked?.order === undefined ? [] : [`check.order: ${checked.order}`]),
    ...(checked?.probe === undefined ? [] : [`check.probe: ${checked.probe}`]),
    ...(names.length === 0 ? [] : [`Your variables: ${names.join(', ')}.`]),
  ];
}

const ENV_FILE = '.env.test';
/** Users add their own secrets to this file. */
const ENV_MODE = 0o600;

function envFile(folder: string, { host, port, env: names }: Choices, io: Io): PlannedFile {
  const path = ENV_FILE;
  if (typeof host === 'string' && !isLoopbackHost(host)) {
    const reason = `on ${host}, every start generates new credentials; use ${io.program} env > ${path}`;
    return { file: { path, outcome: 'left out', reason } };
  }
  const own = typeof port === 'string' && port !== '0' ? port : DEFAULT_PORT;
  const block = createEnvironmentBlock(`http://127.0.0.1:${own}`, WELL_KNOWN_CREDENTIALS);
  const env = mapEnvironment(block, names);
  const lines = Object.entries(env).map(([name, value]) => [name, formatEnv({ [name]: value }, 'dotenv')]);
  const before = readBytesIfPresent(join(folder, path), { verb: 'read', name: path })?.toString();
  const { text, added, kept } = createDotenvAddition(
    before ?? '',
    Object.fromEntries(lines) as Record<string, string>,
  );
  if (before === undefined)
    return { file: { path, outcome: 'written', added, kept }, write: { text, flag: 'wx', mode: ENV_MODE } };
  if (added.length === 0) return { file: { path, outcome: 'kept', added, kept } };
  return { file: { path, outcome: 'extended', added, kept }, write: { text, flag: 'a' } };
}

function planReceiver(
  { folder, application: { reader } }: Project,
  files: readonly Template[],
  forwardTo: string,
): readonly PlannedFile[] {
  const there = files.some(({ path }) => existsSync(join(folder, path))) ? undefined : reader;
  if (there === undefined) return files.map((file) => planFixtureCopy(folder, file, forwardTo));
  const reason = `${there} already reads webhook headers`;
  return files.map(({ path }) => ({ file: { path, outcome: 'left out', reason } }));
}

function workflowFile(
  project: Project,
  { forwardTo, probe, order }: Choices,
  program: string | undefined,
  own: ReturnType<typeof createTestTemplate> | undefined,
): PlannedFile {
  const { folder, testScript, manager } = project;
  const path = WORKFLOW_PATH;
  const globs = testScript.split(/["'\s]+/).filter((word) => word.includes('*'));
  const isFound =
    globs.length === 0 || globs.some((glob) => own && matchesGlob(glob.replaceAll('**/', '*'), own.path));
  const commands = [
    ...(testScript === '' ? [] : [`${manager} run test`]),
    ...(own === undefined || (isFound && testScript !== '') ? [] : [own.command]),
  ];
  if (commands.length === 0)
    return { file: { path, outcome: 'left out', reason: 'the project has no tests' } };
  const toRun = { commands, program, probe, order };
  return planFixtureCopy(folder, { from: createWorkflowTemplate(project), path }, forwardTo, (text, place) =>
    adaptWorkflow(text, project, place, toRun),
  );
}

/** Copies a fixture, replacing its URL, port and route with the project's. */
function planFixtureCopy(
  folder: string,
  { from, path }: Template,
  forwardTo: string,
  adapt: (text: string, place: Place) => string = (text) => text,
): PlannedFile {
  const place = placeOf(forwardTo);
  if (place === undefined) {
    const reason = `the template requires a plain path such as /webhooks; --forward-to is ${forwardTo}`;
    return { file: { path, outcome: 'left out', reason } };
  }
  return newFile(folder, path, () => {
    const text = readFileSync(getFixturePath(from), 'utf8').replaceAll(basename(from), basename(path));
    return adapt(replaceTarget(text, place), place);
  });
}

const AGENTS_BLOCK = '<!-- pix-sandbox -->';

/** Returns the project’s instruction file for coding agents, if any. */
export function findAgentsFile(folder: string): (typeof AGENT_FILES)[number] {
  return AGENT_FILES.find((name) => existsSync(join(folder, name))) ?? 'none';
}

/** Adds a marked block that points coding agents to the shipped documents. */
function agentsFile(folder: string, path: string, forwardFlag: string): PlannedFile {
  const before = readBytesIfPresent(join(folder, path), { verb: 'read', name: path })?.toString();
  if (before?.includes(AGENTS_BLOCK)) return { file: { path, outcome: 'kept' } };
  const template = readFileSync(getFixturePath('skills/block.md'), 'utf8');
  const block = template.replace(' --forward-to 3000/webhooks', () => forwardFlag);
  if (before === undefined) return { file: { path, outcome: 'written' }, write: { text: block, flag: 'wx' } };
  const gap = before === '' ? '' : before.endsWith('\n') ? '\n' : '\n\n';
  return { file: { path, outcome: 'extended' }, write: { text: gap + block, flag: 'a' } };
}

function newFile(folder: string, path: string, text: () => string): PlannedFile {
  if (existsSync(join(folder, path))) return { file: { path, outcome: 'kept' } };
  return { file: { path, outcome: 'written' }, write: { text: text(), flag: 'wx' } };
}
