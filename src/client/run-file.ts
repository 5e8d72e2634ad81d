import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { homeDirectory, makeFolder } from '../folders.js';

/** The address of a project's running sandbox; readable by its user alone, because it may hold the control token. */
export interface RunFile {
  readonly url: string;
  readonly pid: number;
  readonly instance_id: string;
  readonly folder: string;
  readonly version: string;
  readonly control_token?: string | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const PROJECT_MARKS = ['sandbox.config.json', 'package.json', '.git'];

/** The root of a project: the nearest folder upwards with our settings, a package.json or a .git, or the given one. */
export function projectFolder(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (PROJECT_MARKS.some((name) => existsSync(join(folder, name)))) return folder;
    if (folder === dirname(folder)) return from;
  }
}

/** The user's state directory on each platform; undefined without a home directory. */
export function stateDirectory(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
  homeOf: (env: Environment) => string | undefined = homeDirectory,
): string | undefined {
  if (env.XDG_STATE_HOME) return join(env.XDG_STATE_HOME, 'pix-sandbox');
  if (platform === 'win32' && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, 'pix-sandbox');
  const home = homeOf(env);
  if (home === undefined) return undefined;
  if (platform === 'win32') return join(home, 'pix-sandbox');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'pix-sandbox');
  return join(home, '.local', 'state', 'pix-sandbox');
}

/** The folder may hold other files, such as the settings of a user who keeps state and settings together. */
const RUN_FILE_NAME = /^[0-9a-f]{16}\.json$/;

/** The path of a project's run file, existing or not; undefined without a state directory. */
export function runFilePath(folder: string, env: Environment): string | undefined {
  const directory = stateDirectory(env);
  const key = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return directory === undefined ? undefined : join(directory, `${key}.json`);
}

/** The output file of a project's sandbox that runs in the background. */
export function logFilePath(folder: string, env: Environment): string | undefined {
  return runFilePath(folder, env)?.replace(/json$/, 'log');
}

/** Writes the file atomically: a reader never sees half of it. Throws the system's error where it cannot be written. */
export function writeRunFile(run: RunFile, env: Environment): string {
  const path = runFilePath(run.folder, env);
  if (path === undefined) throw new NoHomeError();
  makeFolder(dirname(path), 0o700);
  const draft = `${path}.${run.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(run, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  return path;
}

/** There is no place for a run file. */
export class NoHomeError extends Error {
  constructor() {
    super('this user has no home directory');
    this.name = 'NoHomeError';
  }
}

export function readRunFile(folder: string, env: Environment): RunFile | undefined {
  return parse(runFilePath(folder, env));
}

/** Removes the file of this instance; the file of a later instance stays, and so does one that cannot be removed. */
export function removeRunFile(run: RunFile, env: Environment): void {
  const path = runFilePath(run.folder, env);
  if (path === undefined || parse(path)?.instance_id !== run.instance_id) return;
  try {
    rmSync(path, { force: true });
  } catch {
    // A reader will find that this instance does not answer.
  }
}

/** The run files of all projects, to report where else a sandbox runs. */
export function allRunFiles(env: Environment): RunFile[] {
  const directory = stateDirectory(env);
  if (directory === undefined) return [];
  const files = namesIn(directory).filter((name) => RUN_FILE_NAME.test(name));
  return files.map((name) => parse(join(directory, name))).filter((run) => run !== undefined);
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** The content of a run file; undefined where it is missing or invalid. */
function parse(path: string | undefined): RunFile | undefined {
  try {
    const run: unknown = path === undefined ? undefined : JSON.parse(readFileSync(path, 'utf8'));
    return isRunFile(run) ? run : undefined;
  } catch {
    return undefined;
  }
}

function isRunFile(value: unknown): value is RunFile {
  const { url, pid, instance_id: instanceId, folder } = (value ?? {}) as Partial<RunFile>;
  return (
    typeof url === 'string' &&
    URL.canParse(url) &&
    Number.isInteger(pid) &&
    typeof instanceId === 'string' &&
    typeof folder === 'string'
  );
}
