// What enableCompileCache() of Node 22 does, for Node 20: V8 takes the bytecode of our own files from a cache and compiles nothing.
'use strict';
const fs = require('node:fs');
const Module = require('node:module');
const { dirname, isAbsolute, join, sep } = require('node:path');
const { constants, Script } = require('node:vm');
const { crc32 } = require('node:zlib');

const DIST = join(__dirname, '..', 'dist') + sep;
/** A start is ready by then and has answered its first requests; later V8 drops the bytecode of what ran once. */
const SETTLED_MS = 2_000;
/** Folders that stay: projects may have versions of their own. */
const MOST_FOLDERS = 4;
const CHECKSUM_BYTES = 4;
/** Exit code of a mistyped command, which gets no file of its own. */
const USAGE = 2;

function cacheHome({ env, platform }) {
  if (isAbsolute(env.XDG_CACHE_HOME ?? '')) return env.XDG_CACHE_HOME;
  if (platform === 'win32' && env.LOCALAPPDATA) return env.LOCALAPPDATA;
  const home = isAbsolute(env.HOME ?? '') ? env.HOME : require('node:os').homedir();
  return platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache');
}

/** What is cached gets executed, so it must be of this user, and not writable by others. Windows has no such modes. */
function isOwn({ uid, mode }) {
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}

function isOwnOrMissing(folder) {
  const stats = fs.statSync(folder, { throwIfNoEntry: false });
  return stats === undefined || isOwn(stats);
}

/**
 * The cached data by name of file, after a checksum and a line of JSON with their lengths. Empty where there is none to use. V8
 * checks just its header, and crashes on what a disk has damaged.
 */
function read(path) {
  try {
    const file = fs.openSync(path);
    try {
      if (!isOwn(fs.fstatSync(file))) return new Map();
      const bytes = fs.readFileSync(file);
      if (bytes.readUInt32LE() !== crc32(bytes.subarray(CHECKSUM_BYTES))) return new Map();
      let end = bytes.indexOf('\n', CHECKSUM_BYTES) + 1;
      const lengths = JSON.parse(bytes.toString('latin1', CHECKSUM_BYTES, end));
      return new Map(lengths.map(([name, length]) => [name, bytes.subarray(end, (end += length))]));
    } finally {
      fs.closeSync(file);
    }
  } catch {
    return new Map();
  }
}

/** Throws the system's error. Node's recursive mkdir never returns in places such as /proc. */
function makeFolders(folder) {
  const parent = dirname(folder);
  for (const path of [dirname(parent), parent, folder]) {
    try {
      fs.mkdirSync(path, { mode: 0o700 });
      if (path === folder) removeOldest(parent);
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
  if (![parent, folder].every(isOwnOrMissing)) throw new Error('Others can write there.');
}

function removeOldest(parent) {
  const folders = fs
    .readdirSync(parent)
    .filter((name) => name.startsWith('code-'))
    .map((name) => join(parent, name));
  const age = new Map(folders.map((folder) => [folder, -fs.statSync(folder).mtimeMs]));
  folders.sort((a, b) => age.get(a) - age.get(b));
  for (const folder of folders.slice(MOST_FOLDERS)) fs.rmSync(folder, { recursive: true, force: true });
}

/** Puts what these scripts have compiled into the file, beside what it has of others. Throws the system's error. */
function write(path, scripts) {
  const draft = `${path}.${process.pid}`;
  makeFolders(dirname(path));
  const file = fs.openSync(draft, 'wx', 0o600);
  try {
    const cached = read(path);
    for (const [name, script] of scripts) cached.set(name, script.createCachedData());
    const lengths = Array.from(cached, ([name, { length }]) => [name, length]);
    const content = Buffer.concat([Buffer.from(`${JSON.stringify(lengths)}\n`), ...cached.values()]);
    const checksum = Buffer.alloc(CHECKSUM_BYTES);
    checksum.writeUInt32LE(crc32(content));
    fs.writevSync(file, [checksum, content]);
    fs.renameSync(draft, path);
  } catch (error) {
    fs.rmSync(draft, { force: true });
    throw error;
  } finally {
    fs.closeSync(file);
  }
}

/** @param {string} build differs with our files: V8 compares no more of them than their length */
exports.enable = (build) => {
  const { argv, env, version, arch } = process;
  if (env.NODE_DISABLE_COMPILE_CACHE) return;
  let folder;
  try {
    folder = join(cacheHome(process), 'pix-sandbox', `code-${build}-${version}-${arch}`);
    if (![dirname(folder), folder].every(isOwnOrMissing)) return;
  } catch {
    return;
  }
  // A file for each command holds just the functions that it uses, and is opened once.
  const path = join(folder, /^[a-z]+$/.test(argv[2]) ? argv[2] : 'other');
  const cached = read(path);
  const scripts = new Map();
  let isMissing = false;
  const keep = () => {
    try {
      if (isMissing) write(path, scripts);
    } catch {
      // It goes on without.
    }
    isMissing = false;
    scripts.clear();
  };
  const { _compile: compile } = Module.prototype;
  Module.prototype._compile = function compileCached(source, filename, ...rest) {
    if (!filename.startsWith(DIST)) return Reflect.apply(compile, this, [source, filename, ...rest]);
    const name = filename.slice(DIST.length);
    const script = new Script(
      `(function (exports, require, module, __filename, __dirname) {\n${source}\n})`,
      {
        filename,
        lineOffset: -1,
        cachedData: cached.get(name),
        importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      },
    );
    scripts.set(name, script);
    if (script.cachedDataRejected !== false) isMissing = true;
    const { exports } = this;
    const require = (id) => this.require(id);
    const run = script.runInThisContext();
    return Reflect.apply(run, exports, [exports, require, this, filename, dirname(filename)]);
  };
  setTimeout(keep, SETTLED_MS).unref();
  process.once('exit', (code) => code !== USAGE && keep());
};
