import { mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The user's home directory; undefined if there is none, as for a user without a name in a container. */
export function homeDirectory(env: Environment, ofSystem: () => string = homedir): string | undefined {
  if (env.HOME !== undefined && isAbsolute(env.HOME)) return env.HOME;
  try {
    const home = ofSystem();
    return isAbsolute(home) ? home : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Makes a folder and its parents; an existing one is not changed. Throws the system's error. Node's recursive mkdir never
 * returns in places such as /proc, where a folder exists but nothing can be created in it.
 */
export function makeFolder(path: string, mode = 0o777): void {
  const parent = dirname(path);
  try {
    makeOne(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    makeFolder(parent, mode);
    makeOne(path, mode);
  }
}

function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
