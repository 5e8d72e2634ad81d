import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  findForeignOwner,
  getHomeDirectory,
  isRoot,
  makeDirectory,
  findNearestExisting,
} from '../directories.js';
import type { ProcessRecord } from './is-running.js';
import { isProcessId, isRunning } from './is-running.js';
import { parseUrl } from '../text/urls.js';

/**
 * Describes a project's running sandbox. The file is private to its user, because it can contain the control
 * token.
 */
export interface RunFile extends ProcessRecord {
  readonly url: string;
  readonly instance_id: string;
  readonly folder: string;
  readonly version: string;
  /** Start time on the system clock. Commands use the most recently started sandbox. */
  readonly started_at?: string | undefined;
  readonly control_token?: string | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const PROJECT_MARKS = ['sandbox.config.json', 'package.json', '.git'];

/**
 * Finds the project root: the nearest directory at or above `from` with a settings file, package.json or
 * .git. Defaults to `from`.
 */
export function findProjectFolder(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (PROJECT_MARKS.some((name) => existsSync(join(folder, name)))) return folder;
    if (folder === dirname(folder)) return from;
  }
}

/** Returns the user's platform-specific state directory, or undefined without a home directory. */
export function resolveStateDirectory(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
  homeOf: (env: Environment) => string | undefined = getHomeDirectory,
): string | undefined {
  if (env.XDG_STATE_HOME) return join(env.XDG_STATE_HOME, 'pix-sandbox');
  if (platform === 'win32' && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, 'pix-sandbox');
  const home = homeOf(env);
  if (home === undefined) return undefined;
  if (platform === 'win32') return join(home, 'pix-sandbox');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'pix-sandbox');
  return join(home, '.local', 'state', 'pix-sandbox');
}

/** Matches names of run files, because users can store other files in the directory. */
const RUN_FILE_NAME = /^[0-9a-f]{16}-[0-9a-f]{16}\.json$/;

/**
 * Returns a sandbox's run file path, or undefined without a state directory. The file may not exist.
 * Sandboxes have separate files, so that concurrently starting sandboxes do not overwrite each other's files.
 */
export function runFilePath(
  { folder, instance_id: instance }: Pick<RunFile, 'folder' | 'instance_id'>,
  env: Environment,
): string | undefined {
  return statePath(`${shortHash(folder)}-${shortHash(instance)}.json`, env);
}

/** Returns the path of the log file for a project's background sandbox. */
export function getLogFilePath(folder: string, env: Environment): string | undefined {
  return statePath(`${shortHash(folder)}.log`, env);
}

/** Returns the path of the state of a project’s unfinished parity probe. */
export function getProbeFilePath(folder: string, env: Environment): string | undefined {
  return statePath(`${shortHash(folder)}.probe.json`, env);
}

function statePath(name: string, env: Environment): string | undefined {
  const directory = resolveStateDirectory(env);
  return directory && join(directory, name);
}

function shortHash(text: string): string {
  // Load crypto lazily, because most commands only read run files and loading crypto takes as long as a
  // request.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/**
 * Writes the file atomically, so that readers never see a partial file. Throws the system error if writing
 * fails.
 */
export function writeRunFile(run: RunFile, env: Environment): string {
  makeStateDirectory(env);
  const path = runFilePath(run, env) ?? '';
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

/**
 * Creates the state directory with private permissions. Throws the system error on failure, or
 * ForeignStateError if the directory belongs to another user.
 */
export function makeStateDirectory(env: Environment): void {
  const directory = resolveStateDirectory(env);
  if (directory === undefined) throw new NoHomeError();
  const foreign = findForeignState(env);
  if (foreign !== undefined) throw foreign;
  makeDirectory(directory, 0o700);
}

/**
 * Returns an error if the state directory belongs to another user, whose run files could point commands to
 * any server or process. For root, also checks the parent of a missing directory.
 */
export function findForeignState(env: Environment): ForeignStateError | undefined {
  const directory = resolveStateDirectory(env);
  if (directory === undefined) return undefined;
  const path = isRoot() ? findNearestExisting(directory) : directory;
  const owner = findForeignOwner(path);
  return owner === undefined ? undefined : new ForeignStateError(path, owner);
}

/** Thrown if the state directory belongs to another user. */
export class ForeignStateError extends Error {
  constructor(path: string, owner: number) {
    super(`${path} belongs to another user (uid ${owner})`);
    this.name = 'ForeignStateError';
  }
}

/** Thrown if the user has no home directory for run files. */
export class NoHomeError extends Error {
  constructor() {
    super('this user has no home directory');
    this.name = 'NoHomeError';
  }
}

/** Finds the sandbox used by a project's commands. */
export function readRunFile(folder: string, env: Environment): RunFile | undefined {
  return runFilesOf(folder, env)[0];
}

/** Lists a project's run files, newest first. Files of ended processes come last. */
export function runFilesOf(folder: string, env: Environment): RunFile[] {
  const runs = readAllRunFiles(env).filter((run) => run.folder === folder);
  const ranked = runs.map((run) => ({ run, rank: `${Number(isRunning(run))} ${run.started_at ?? ''}` }));
  return ranked.sort((a, b) => (a.rank < b.rank ? 1 : -1)).map(({ run }) => run);
}

/** Removes this sandbox's run file. Ignores errors, because readers detect stale files. */
export function removeRunFile(run: RunFile, env: Environment): void {
  const path = runFilePath(run, env);
  if (path !== undefined) attempt(() => rmSync(path, { force: true }));
}

/** Reads the run files of all projects. */
export function readAllRunFiles(env: Environment): RunFile[] {
  return runFilePaths(env)
    .map(parseRunFile)
    .filter((run) => run !== undefined);
}

/**
 * Lists the paths of all run files or of one project's, including unreadable files. Returns an empty list if
 * the directory belongs to another user.
 */
export function runFilePaths(env: Environment, folder?: string): string[] {
  const directory = resolveStateDirectory(env);
  if (directory === undefined || findForeignState(env) !== undefined) return [];
  const start = folder === undefined ? '' : `${shortHash(folder)}-`;
  const names = attempt(() => readdirSync(directory)) ?? [];
  return names
    .filter((name) => RUN_FILE_NAME.test(name) && name.startsWith(start))
    .map((name) => join(directory, name));
}

/** Reads a run file. Returns undefined if the file is missing or invalid. */
export function parseRunFile(path: string): RunFile | undefined {
  const run = attempt(() => JSON.parse(readFileSync(path, 'utf8')) as Partial<RunFile> | null);
  const { url, pid, instance_id: instanceId, folder } = run ?? {};
  const isValid =
    typeof url === 'string' &&
    parseUrl(url) !== undefined &&
    isProcessId(pid) &&
    typeof instanceId === 'string' &&
    typeof folder === 'string';
  return isValid ? (run as RunFile) : undefined;
}

/** Returns the result of a system call, or undefined if the call fails. */
function attempt<Result>(call: () => Result): Result | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}
