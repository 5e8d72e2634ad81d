import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** Where a running sandbox of a project is found; readable by its user alone, because it may hold the control token. */
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

/** The folder that a project begins in: the nearest one upwards with our settings, a package.json or a .git, or the given one. */
export function projectFolder(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (PROJECT_MARKS.some((name) => existsSync(join(folder, name)))) return folder;
    if (folder === dirname(folder)) return from;
  }
}

/** The user's state directory, as each platform has it. */
export function stateDirectory(env: Environment, platform: NodeJS.Platform = process.platform): string {
  if (env.XDG_STATE_HOME) return join(env.XDG_STATE_HOME, 'pix-sandbox');
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? homedir(), 'pix-sandbox');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'pix-sandbox');
  return join(env.HOME ?? homedir(), '.local', 'state', 'pix-sandbox');
}

/** Other files may lie in the same folder, such as the settings of a user who keeps state and settings together. */
const RUN_FILE_NAME = /^[0-9a-f]{16}\.json$/;

/** Where the run file of a project is, or would be. */
export function runFilePath(folder: string, env: Environment): string {
  const key = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return join(stateDirectory(env), `${key}.json`);
}

/** Where the output of a project's sandbox goes that runs in the background. */
export function logFilePath(folder: string, env: Environment): string {
  return runFilePath(folder, env).replace(/json$/, 'log');
}

/** Written whole or not at all: a reader never sees half of it. */
export function writeRunFile(run: RunFile, env: Environment): string {
  const path = runFilePath(run.folder, env);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${run.pid}`;
  writeFileSync(draft, `${JSON.stringify(run, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
  return path;
}

export function readRunFile(folder: string, env: Environment): RunFile | undefined {
  return parse(runFilePath(folder, env));
}

/** Removes the file of this instance; another one that took its place stays. */
export function removeRunFile(run: RunFile, env: Environment): void {
  const path = runFilePath(run.folder, env);
  if (parse(path)?.instance_id === run.instance_id) rmSync(path, { force: true });
}

/** The run files of all projects, for saying where else a sandbox runs. */
export function allRunFiles(env: Environment): RunFile[] {
  const directory = stateDirectory(env);
  if (!existsSync(directory)) return [];
  const files = readdirSync(directory).filter((name) => RUN_FILE_NAME.test(name));
  return files.map((name) => parse(join(directory, name))).filter((run) => run !== undefined);
}

function parse(path: string): RunFile | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as RunFile;
  } catch {
    return undefined;
  }
}
