import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { PROJECT_FILE } from '../../../config/load.js';
import { makeFolder } from '../../../folders.js';
import { environmentBlock, isLoopbackHost } from '../../../http/server/start.js';
import { WELL_KNOWN_CREDENTIALS } from '../../../sandbox/credentials.js';
import { bytesIfThere, onFile } from '../../program/input-bytes.js';
import type { Io } from '../../program/io.js';
import { fixturePath } from '../../program/package-folder.js';
import { formatEnv } from '../env/formats.js';
import type { Choices } from './choices.js';
import { placeOf } from './choices.js';
import { additionTo } from './env-file.js';
import { firstTest, testCommand } from './first-test.js';
import type { Project } from './project.js';
import { receiverIn } from './project.js';
import type { Template } from './receiver.js';
import { receiverFor, startOf } from './receiver.js';
import { adaptedWorkflow, WORKFLOW_PATH, workflowTemplate } from './workflow.js';

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
  const { start } = choices;
  const program = start === undefined ? programOf(receiver, choices, project) : asTyped(start);
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

/** What starts the application: what `--start` says, the receiver that is about to be written, or a script of package.json; undefined if neither does. */
export function programOf(
  plan: readonly Planned[],
  { framework, forwardTo, start }: Choices,
  project: Project,
) {
  const { folder, startCommand } = project;
  if (start !== undefined) return start;
  if (framework === 'none') return startCommand;
  const { files, program } = receiverFor(framework, folder, placeOf(forwardTo)?.route ?? '');
  const isWritten = files.every(({ path }) =>
    plan.some(({ file }) => file.path === path && file.outcome === 'written'),
  );
  return (isWritten ? program : undefined) ?? startCommand;
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
  const toRun = {
    command,
    program,
    needsApplication: test !== 'none',
    probe: probe && asTyped(probe),
    order: order && asTyped(order),
  };
  return [copied(folder, template, forwardTo, (text) => adaptedWorkflow(text, project, toRun))];
}

const APPLICATION = 'http://localhost:3000/webhooks';
/** Stands for the URL while its parts are replaced elsewhere. */
const URL_MARK = '\u0000';
/** Stand for what is replaced in templates, and must not be replaced in texts of the user. */
const TYPED_MARKS = { '3000': '\u0001', '/webhooks': '\u0002' };

/** A text of the user, in which `copied` replaces nothing. */
function asTyped(text: string): string {
  return Object.entries(TYPED_MARKS).reduce((marked, [from, mark]) => marked.replaceAll(from, mark), text);
}

/** A copy of a fixture that receives where the project does. */
function copied(
  folder: string,
  { from, path }: Template,
  forwardTo: string,
  adapt = (text: string) => text,
): Planned {
  const place = placeOf(forwardTo);
  if (place === undefined) {
    const reason = `it is written for a plain path such as /webhooks; --forward-to names ${forwardTo}`;
    return { file: { path, outcome: 'left out', reason } };
  }
  return newFile(folder, path, () =>
    adapt(readFileSync(fixturePath(from), 'utf8'))
      .replaceAll(basename(from), basename(path))
      .replaceAll(APPLICATION, URL_MARK)
      .replaceAll('/webhooks', place.route)
      .replaceAll('"webhooks"', `"${place.route.slice(1)}"`)
      .replaceAll('3000', place.port)
      .replaceAll(URL_MARK, place.url)
      .replaceAll(TYPED_MARKS['3000'], '3000')
      .replaceAll(TYPED_MARKS['/webhooks'], '/webhooks'),
  );
}

function newFile(folder: string, path: string, text: () => string): Planned {
  if (existsSync(join(folder, path))) return { file: { path, outcome: 'kept' } };
  return { file: { path, outcome: 'written' }, write: { text: text(), flag: 'wx' } };
}
