// A private directory for Node's compile cache: Node executes the code in it.
'use strict';
const fs = require('node:fs');
const { homedir } = require('node:os');
const { basename, dirname, isAbsolute, join } = require('node:path');

/** Each version of Node or of this package, and each installation of it, adds about a hundred. */
const MAX_FILES = 1_000;

function cacheHome({ env, platform }) {
  if (isAbsolute(env.XDG_CACHE_HOME ?? '')) return env.XDG_CACHE_HOME;
  if (platform === 'win32' && env.LOCALAPPDATA) return env.LOCALAPPDATA;
  const home = isAbsolute(env.HOME ?? '') ? env.HOME : homedir();
  return platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache');
}

/** Windows has neither modes nor owners; there, only the user can write to these directories. */
function isPrivate(path) {
  const stats = fs.lstatSync(path);
  if (!stats.isDirectory()) return false;
  return process.geteuid === undefined || (stats.uid === process.geteuid() && (stats.mode & 0o022) === 0);
}

function createMissing(path) {
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

/** Creates the directory. Returns undefined where another user could write, such as in the temporary directory. */
exports.privateDirectory = () => {
  try {
    const home = cacheHome(process);
    const parent = fs.realpathSync(dirname(home));
    if (!isAbsolute(home) || !isPrivate(parent)) return undefined;
    const directory = join(parent, basename(home), 'pix-sandbox');
    for (const path of [dirname(directory), directory]) {
      createMissing(path);
      if (!isPrivate(path)) return undefined;
    }
    if (fs.readdirSync(directory, { recursive: true }).length > MAX_FILES) {
      fs.rmSync(directory, { recursive: true });
      createMissing(directory);
    }
    return directory;
  } catch {
    return undefined;
  }
};
