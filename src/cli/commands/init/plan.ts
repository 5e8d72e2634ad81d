import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { PROJECT_FILE } from '../../../config/load.js';
import { makeFolder } from '../../../folders.js';
import { environmentBlock, isLoopbackHost } from '../../../http/server/start.js';
import { WELL_KNOWN_CREDENTIALS } from '../../../sandbox/credentials.js';
import { readForwardTarget } from '../../../text/forward-target.js';
import { shellQuoted } from '../../../text/shell/words.js';
import { settingsOrRefuse } from '../../program/configured-options.js';
import type { InvocationOf } from '../../program/declaration.js';
import { bytesIfThere, fixturePath, onFile } from '../../program/input-bytes.js';
import type { Io } from '../../program/io.js';
import { formatEnv } from '../setup/env.js';
import { eventsOf, parseForwardTarget, splitRoute } from '../listen/plan.js';
import type { init } from './command.js';
import type { Framework, Project, TestRunner } from './project.js';
import { receiverIn } from './project.js';
import { adaptedWorkflow, WORKFLOW_PATH, workflowTemplate } from './workflow.js';

export const DEFAULT_TARGET = 'localhost:3000/webhooks';

/** How to set up a project; the events as typed, undefined for all. */
export type Choices = ReturnType<typeof choicesOf>;

/**
 * The choices made by options, with existing settings and what the project looks like for the rest. Throws a
 * usage error for invalid ones.
 */
export function choicesOf(options: InvocationOf<typeof init>['options'], project: Project, io: Io) {
  const existing = existingSettings(io);
  const [first] = existing.forwardTo;
  const settled = first === undefined ? undefined : splitRoute(first)[1];
  const { forwardTo = settled ?? DEFAULT_TARGET, events, seed, test = project.runner } = options;
  const { framework = project.framework, ci = project.isOnGitHub ? 'github' : 'none' } = options;
  const { start, probe, order } = options;
  parseForwardTarget(forwardTo);
  if (events !== undefined) eventsOf(events);
  const isSettled =
    settled === undefined ? !existsSync(join(project.folder, PROJECT_FILE)) : settled === forwardTo;
  /** What `start` and `exec` need to forward there: nothing where the settings say it. */
  const forwardFlag = isSettled ? '' : ` --forward-to ${shellQuoted(forwardTo)}`;
  return { ...existing, forwardTo, forwardFlag, events, seed, framework, test, ci, start, probe, order };
}

function existingSettings(io: Io) {
  const { values } = settingsOrRefuse({}, io, 'start');
  const valueOf = (name: string) => values.find(({ setting }) => setting.key === name)?.value;
  const textOf = (name: string) => {
    const value = valueOf(name);
    return typeof value === 'string' ? value : undefined;
  };
  const targets = valueOf('forwardTo');
  return { host: textOf('host'), port: textOf('port'), forwardTo: Array.isArray(targets) ? targets : [] };
}

/** Where the application receives, for code; undefined for a path that code would have to quote. */
export function placeOf(forwardTo: string) {
  const read = readForwardTarget(forwardTo);
  if (!('url' in read) || !/^(?:\/|(?:\/[\w.-]+)+)$/.test(read.url.pathname)) return undefined;
  const { href, port, pathname } = read.url;
  return { url: href, port: port === '' ? '3000' : port, route: pathname };
}

type Place = NonNullable<ReturnType<typeof placeOf>>;

const APPLICATION = 'http://localhost:3000/webhooks';

/** A text of a template, with the place of the project instead of the template's. */
function inPlace(text: string, { url, port, route }: Place): string {
  return text.replaceAll(/http:\/\/localhost:3000\/webhooks|\/webhooks|"webhooks"|3000/g, (found) => {
    if (found === APPLICATION) return url;
    if (found === '3000') return port;
    return found === '"webhooks"' ? `"${route.slice(1)}"` : route;
  });
}

/** A file of the package's fixtures, and where in a project a copy of it goes. */
export interface Template {
  readonly from: string;
  readonly path: string;
}

/** A receiver for a framework. */
export interface Receiver {
  readonly files: readonly Template[];
  /** What npm has to install for it, beside the framework. */
  readonly packages: readonly string[];
  /** How it is started with the environment block, where it is a program of its own. */
  readonly program?: string;
}

const FOLDER = 'guides/receivers';
const NODE_FILE = 'pix-webhooks.mjs';
const SHELL_ENV = 'eval "$(npx sandbox env --format shell)"';

/** The receiver for a framework; `route` is the path at which it receives. */
export function receiverFor(framework: Exclude<Framework, 'none'>, folder: string, route: string): Receiver {
  return OWN[framework]?.(folder, route) ?? NODE;
}

/** The command that gives a program the environment block of the project. */
export function startOf(program: string): string {
  if (!program.startsWith('node ')) return `${SHELL_ENV}; ${program}`;
  return program.replace('node ', 'node --env-file=.env.test ');
}

const NODE: Receiver = {
  files: [{ from: `${FOLDER}/receiver.mjs`, path: NODE_FILE }],
  packages: [],
  program: `node ${NODE_FILE}`,
};

function nodeReceiver(name: string): Receiver {
  return {
    ...NODE,
    files: [{ from: `${FOLDER}/frameworks/${name}.mjs`, path: NODE_FILE }],
    packages: ['standardwebhooks'],
  };
}

function pythonReceiver(name: string, program: string): Receiver {
  const files = [
    { from: `${FOLDER}/receiver.py`, path: 'receiver.py' },
    { from: `${FOLDER}/frameworks/${name}.py`, path: `${name}.py` },
  ];
  return { files, packages: [], program };
}

const OWN: Partial<Record<Framework, (folder: string, route: string) => Receiver>> = {
  express: () => nodeReceiver('express'),
  fastify: () => nodeReceiver('fastify'),
  nestjs: (folder) => {
    const path = `${existsSync(join(folder, 'src')) ? 'src/' : ''}webhooks.controller.ts`;
    return { files: [{ from: 'init/webhooks.controller.ts', path }], packages: ['standardwebhooks'] };
  },
  next: (folder, route) => {
    const app = existsSync(join(folder, 'src')) ? 'src/app' : 'app';
    const files = [
      { from: `${FOLDER}/frameworks/next-route.js`, path: `${app}${route === '/' ? '' : route}/route.js` },
    ];
    return { files, packages: ['standardwebhooks'] };
  },
  fastapi: () => pythonReceiver('fastapi_app', 'uvicorn fastapi_app:app --port 3000'),
  flask: () => pythonReceiver('flask_app', 'flask --app flask_app run --port 3000'),
};

/** A test that passes if the application runs, accepts a signed webhook and refuses a forged one. */
export function firstTest({ folder, isModule }: Project, runner: Exclude<TestRunner, 'none'>): Template {
  const has = (name: string) => existsSync(join(folder, name));
  const tests = has('tests') && !has('test') ? 'tests' : 'test';
  const ending = has('tsconfig.json') ? 'ts' : 'mjs';
  switch (runner) {
    case 'pytest':
      return { from: 'init/pytest.py', path: `${has('test') ? 'test' : 'tests'}/test_pix_sandbox.py` };
    case 'jest':
      // Jest looks for .js and .ts alone, and loads CommonJS where package.json does not say otherwise.
      return { from: `init/jest.${isModule ? 'mjs' : 'cjs'}`, path: `${tests}/pix-sandbox.test.js` };
    case 'vitest':
    case 'bun':
      return { from: `init/${runner}.mjs`, path: `${tests}/pix-sandbox.test.${ending}` };
    default:
      // Not every Node that is supported runs TypeScript.
      return { from: `init/${runner}.mjs`, path: `${tests}/pix-sandbox.test.mjs` };
  }
}

/** What runs one test file. */
export function testCommand(
  { framework }: Project,
  runner: Exclude<TestRunner, 'none'>,
  path: string,
): string {
  const commands: Record<typeof runner, string> = {
    vitest: `npx vitest run ${path}`,
    // The settings of a new Nest project look for .spec.ts in src alone.
    jest: `npx jest ${framework === 'nestjs' ? `--rootDir . --testRegex ${basename(path)}` : path}`,
    mocha: `npx mocha ${path}`,
    ava: `npx ava ${path}`,
    node: `node --test ${path}`,
    bun: `bun test ${path}`,
    pytest: `python3 -m pytest ${path}`,
  };
  return commands[runner];
}

/** The names that a dotenv file assigns; comments do not count. */
export function namesIn(dotenv: string): ReadonlySet<string> {
  const assignments = dotenv.matchAll(
    /^[^\S\r\n\u2028\u2029]*(?:export[^\S\n]+)?([A-Za-z_][\w.-]*)[^\S\n]*[=:]/gm,
  );
  return new Set(Array.from(assignments, ([, name = '']) => name));
}

/** What to append to a dotenv file so that it has these lines, too; existing names are kept. */
export function additionTo(
  dotenv: string,
  lines: Readonly<Record<string, string>>,
): { readonly text: string; readonly added: readonly string[]; readonly kept: readonly string[] } {
  const known = namesIn(dotenv);
  const names = Object.keys(lines);
  const added = names.filter((name) => !known.has(name));
  const kept = names.filter((name) => known.has(name));
  if (added.length === 0) return { text: '', added, kept };
  const gap = dotenv === '' ? '' : dotenv.endsWith('\n') ? '\n' : '\n\n';
  const block = [
    '# Published test values of pix-sandbox; they protect nothing.',
    ...added.map((name) => lines[name]),
  ];
  return { text: `${gap}${block.join('\n')}\n`, added, kept };
}

const ENV_FILE = '.env.test';
/** The path of the schema below node_modules, for editors; relative to the settings file. */
const SCHEMA = './node_modules/pix-sandbox/fixtures/config/sandbox.config.schema.json';
const DEFAULT_PORT = '7490';
/** People add their own secrets to such files. */
const ENV_MODE = 0o600;

/** What happens to a file: an existing one is kept or extended. */
export interface SetUpFile {
  /** Relative to the project folder. */
  readonly path: string;
  readonly outcome: 'written' | 'extended' | 'kept' | 'left out';
  /** Names added to an environment file, and existing ones that were kept. */
  readonly added?: readonly string[];
  readonly kept?: readonly string[];
  readonly reason?: string;
}

export interface Planned {
  readonly file: SetUpFile;
  /** What to write, and how; a new file must not exist yet. */
  readonly write?: { readonly text: string; readonly flag: 'wx' | 'a'; readonly mode?: number };
}

/** What setting up a project comes to, without changing existing content; writes nothing. */
export function planned(project: Project, choices: Choices, io: Io): readonly Planned[] {
  const { folder } = project;
  const receiver = receiverFiles(folder, choices);
  const program = programOf(receiver, choices, project);
  return [
    configFile(folder, choices),
    envFile(folder, choices, io),
    ...receiver,
    ...testFiles(project, choices, program),
    ...workflowFiles(project, choices, program),
  ];
}

/** Writes what is planned. */
export function writePlanned(folder: string, plan: readonly Planned[]): void {
  for (const { file, write } of plan) {
    if (write === undefined) continue;
    const { text, flag, mode } = write;
    onFile({ verb: 'write', name: file.path }, () => {
      makeFolder(dirname(join(folder, file.path)));
      writeFileSync(join(folder, file.path), text, { flag, mode });
    });
  }
}

function configFile(folder: string, { forwardTo, events, seed }: Choices): Planned {
  const settings = { $schema: SCHEMA, forwardTo: [forwardTo], events: events?.split(','), seed };
  return newFile(folder, PROJECT_FILE, () => `${JSON.stringify(settings, null, 2)}\n`);
}

function envFile(folder: string, { host, port = DEFAULT_PORT }: Choices, io: Io): Planned {
  const path = ENV_FILE;
  if (!isLoopbackHost(host)) {
    const reason = `on ${host} every start draws new credentials; use ${io.program} env > ${path}`;
    return { file: { path, outcome: 'left out', reason } };
  }
  const env = environmentBlock(
    `http://127.0.0.1:${port === '0' ? DEFAULT_PORT : port}`,
    WELL_KNOWN_CREDENTIALS,
  );
  const lines = Object.entries(env).map(([name, value]) => [name, formatEnv({ [name]: value }, 'dotenv')]);
  const present = bytesIfThere(join(folder, path), { verb: 'read', name: path })?.toString();
  const { text, added, kept } = additionTo(
    present ?? '',
    Object.fromEntries(lines) as Record<string, string>,
  );
  if (present === undefined) {
    return { file: { path, outcome: 'written', added, kept }, write: { text, flag: 'wx', mode: ENV_MODE } };
  }
  if (added.length === 0) return { file: { path, outcome: 'kept', added, kept } };
  return { file: { path, outcome: 'extended', added, kept }, write: { text, flag: 'a' } };
}

function receiverFiles(folder: string, { framework, forwardTo }: Choices): readonly Planned[] {
  if (framework === 'none') return [];
  const { files } = receiverFor(framework, folder, placeOf(forwardTo)?.route ?? '');
  const there = files.some(({ path }) => existsSync(join(folder, path))) ? undefined : receiverIn(folder);
  if (there === undefined) return files.map((file) => copied(folder, file, forwardTo));
  const reason = `${there} reads the headers of webhooks already`;
  return files.map(({ path }) => ({ file: { path, outcome: 'left out', reason } }));
}

/** What starts the application: `--start`, the receiver about to be written, or a script of package.json. */
export function programOf(
  plan: readonly Planned[],
  { framework, forwardTo, start }: Choices,
  { folder, startCommand }: Project,
): string | undefined {
  const place = placeOf(forwardTo);
  if (start !== undefined || framework === 'none' || place === undefined) return start ?? startCommand;
  const { files, program } = receiverFor(framework, folder, place.route);
  const isWritten = files.every(({ path }) =>
    plan.some(({ file }) => file.path === path && file.outcome === 'written'),
  );
  return isWritten && program !== undefined ? inPlace(program, place) : startCommand;
}

/** What a template of a first test says where only the user knows how the application starts. */
const START = 'start it with the environment of .env.test';

function testFiles(
  project: Project,
  { test, forwardTo }: Choices,
  program: string | undefined,
): readonly Planned[] {
  if (test === 'none') return [];
  const adapt = (text: string) =>
    text.replace(START, () => (program === undefined ? START : startOf(program)));
  return [copied(project.folder, firstTest(project, test), forwardTo, adapt)];
}

function workflowFiles(
  project: Project,
  { ci, test, forwardTo, probe, order }: Choices,
  program: string | undefined,
): readonly Planned[] {
  if (ci === 'none') return [];
  const { folder, hasTestScript, manager } = project;
  const template = { from: workflowTemplate(project), path: WORKFLOW_PATH };
  if (test === 'none' && !hasTestScript) {
    return [{ file: { path: WORKFLOW_PATH, outcome: 'left out', reason: 'there are no tests to run' } }];
  }
  const own = test === 'none' ? '' : testCommand(project, test, firstTest(project, test).path);
  const command = hasTestScript ? `${manager} run test` : own;
  const toRun = { command, program, needsApplication: test !== 'none', probe, order };
  return [copied(folder, template, forwardTo, (text, place) => adaptedWorkflow(text, project, place, toRun))];
}

/** A copy of a fixture that receives where the project does. */
function copied(
  folder: string,
  { from, path }: Template,
  forwardTo: string,
  adapt: (text: string, place: Place) => string = (text) => text,
): Planned {
  const place = placeOf(forwardTo);
  if (place === undefined) {
    const reason = `it is written for a plain path such as /webhooks; --forward-to names ${forwardTo}`;
    return { file: { path, outcome: 'left out', reason } };
  }
  return newFile(folder, path, () => {
    const text = readFileSync(fixturePath(from), 'utf8').replaceAll(basename(from), basename(path));
    return adapt(inPlace(text, place), place);
  });
}

function newFile(folder: string, path: string, text: () => string): Planned {
  if (existsSync(join(folder, path))) return { file: { path, outcome: 'kept' } };
  return { file: { path, outcome: 'written' }, write: { text: text(), flag: 'wx' } };
}
