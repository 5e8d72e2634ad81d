import { existsSync, mkdirSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, isAbsolute } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the user's home directory, or undefined if there is none, e.g. for an unnamed user in a container.
 * For root, ignores another user's HOME (which `sudo` can preserve), because directories created by root
 * would lock that user out.
 */
export function getHomeDirectory(env: Environment, ofSystem: () => string = accountHome): string | undefined {
  const { HOME } = env;
  const isUsable =
    HOME !== undefined && isAbsolute(HOME) && !(isRoot() && findForeignOwner(HOME) !== undefined);
  if (isUsable) return HOME;
  try {
    const home = ofSystem();
    return isAbsolute(home) ? home : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the account's home directory. Unlike `homedir()`, ignores HOME. */
function accountHome(): string {
  return process.platform === 'win32' ? homedir() : userInfo().homedir;
}

export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

/** Returns the owner's user id if another user owns the path; otherwise, and on Windows, undefined. */
export function findForeignOwner(path: string): number | undefined {
  try {
    const { uid } = statSync(path);
    return process.geteuid === undefined || uid === process.geteuid() ? undefined : uid;
  } catch {
    return undefined;
  }
}

/** Returns the path itself or its nearest existing parent. */
export function findNearestExisting(path: string): string {
  const parent = dirname(path);
  return existsSync(path) || parent === path ? path : findNearestExisting(parent);
}

/**
 * Creates a directory and its parents; leaves an existing directory unchanged. Throws system errors. Does not
 * use Node's recursive mkdir, which never returns for paths like /proc, where directories exist but cannot
 * contain new files.
 */
export function makeDirectory(path: string, mode = 0o777): void {
  const parent = dirname(path);
  try {
    makeOne(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    makeDirectory(parent, mode);
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
