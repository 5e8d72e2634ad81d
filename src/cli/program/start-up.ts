import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import type { Environment } from '../../client/run-file.js';
import { PROGRAM_NAME } from '../../text/program-name.js';

const PACKAGE = 'pix-sandbox';

/** This process's start parameters. */
interface ProcessStart {
  readonly env: Environment;
  /** `process.argv[1]`: the script's path, possibly a symlink. */
  readonly script: string;
  readonly cwd: string;
}

/**
 * Returns the command that starts this program from the same directory: installed in the project, on the
 * PATH, or downloaded by npx.
 */
export function detectProgramName({ env, script, cwd }: ProcessStart): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'node_modules', PACKAGE))) return PROGRAM_NAME;
    if (folder === dirname(folder)) break;
  }
  return nameOnPath(env.PATH ?? '', script) ?? `npx ${PACKAGE}`;
}

/**
 * Finds the program's name on the PATH. Ignores directories in node_modules, because package managers add
 * them only while running a command.
 */
function nameOnPath(path: string, script: string): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '' && !folder.includes('node_modules'));
  const own = realPath(script);
  // Another program can have the shorter name. This program's file is a symlink to this script, or a shim
  // next to the longer name.
  const isOurs = (file: string) => own !== undefined && realPath(file) === own;
  return ['sandbox', PACKAGE].find((name) =>
    folders.some((folder) => {
      const file = join(folder, name);
      return existsSync(file) && (isOurs(file) || existsSync(join(folder, PACKAGE)));
    }),
  );
}

function realPath(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

/**
 * Maximum number of cached files. Each Node version and each installed version of this package adds about a
 * hundred.
 */
const MAX_FILES = 1_000;

/**
 * Enables Node's compile cache in a private directory, because Node executes the cached code. Node 20 has no
 * compile cache.
 */
export function enablePrivateCompileCache(): void {
  // If set by the user, NODE_COMPILE_CACHE is already in effect and takes precedence.
  const { enableCompileCache } = module as { readonly enableCompileCache?: (directory: string) => unknown };
  const directory = enableCompileCache && privateDirectory();
  if (directory !== undefined) enableCompileCache?.(directory);
}

/**
 * Creates the cache directory. Returns undefined if another user could write to it, e.g. in the temporary
 * directory.
 */
function privateDirectory(): string | undefined {
  try {
    const home = cacheHome();
    const parent = realpathSync(dirname(home));
    if (!isAbsolute(home) || !isPrivate(parent)) return undefined;
    const directory = join(parent, basename(home), 'pix-sandbox');
    for (const path of [dirname(directory), directory]) {
      createMissing(path);
      if (!isPrivate(path)) return undefined;
    }
    // `withFileTypes` saves one stat call per file.
    if (readdirSync(directory, { recursive: true, withFileTypes: true }).length > MAX_FILES) {
      rmSync(directory, { recursive: true });
      createMissing(directory);
    }
    return directory;
  } catch {
    return undefined;
  }
}

function cacheHome(): string {
  const { env, platform } = process;
  const { XDG_CACHE_HOME = '', HOME = '', LOCALAPPDATA } = env;
  if (isAbsolute(XDG_CACHE_HOME)) return XDG_CACHE_HOME;
  if (platform === 'win32' && LOCALAPPDATA) return LOCALAPPDATA;
  const home = isAbsolute(HOME) ? HOME : homedir();
  return platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache');
}

/**
 * Returns true if only this user can write to a directory. Windows has no file modes or owners, but its cache
 * directories are private to the user.
 */
function isPrivate(path: string): boolean {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) return false;
  return process.geteuid === undefined || (stats.uid === process.geteuid() && (stats.mode & 0o022) === 0);
}

function createMissing(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
