import { lstatSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';

/** Each version of Node or of this package, and each installation of it, adds about a hundred. */
const MAX_FILES = 1_000;

/** Enables Node's compile cache in a private directory, because Node executes the code in it. Node 20 has none. */
export function enablePrivateCompileCache(): void {
  // NODE_COMPILE_CACHE, the user's own choice, took effect before, and Node keeps it.
  const { enableCompileCache } = module as { readonly enableCompileCache?: (directory: string) => unknown };
  const directory = enableCompileCache && privateDirectory();
  if (directory !== undefined) enableCompileCache?.(directory);
}

/** Creates the directory. Returns undefined where another user could write, such as in the temporary directory. */
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
    if (readdirSync(directory, { recursive: true }).length > MAX_FILES) {
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

/** Windows has neither modes nor owners; there, only the user can write to these directories. */
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
