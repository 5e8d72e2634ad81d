// Brings Stryker by npm when it is first asked for: it is a hundred megabytes that no other task needs.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/** The last version that runs on Node 20. */
const VERSION = '9.6.1';
const PACKAGES = ['@stryker-mutator/core', '@stryker-mutator/vitest-runner'];

/** Inside node_modules, where the runner finds the vitest of this project, and `npm ci` cleans up. */
const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/mutation/', import.meta.url));

/** The file of a package of Stryker's. */
export function pathIn(name, file) {
  return join(FOLDER, 'node_modules', '@stryker-mutator', name, file);
}

/** Installs Stryker where it is not yet. Throws what npm says when it cannot be had. */
export async function bringStryker() {
  const has = (name) => {
    const manifest = join(FOLDER, 'node_modules', name, 'package.json');
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === VERSION;
  };
  if (PACKAGES.every(has)) return;
  console.error(`Installing Stryker ${VERSION} for this checkout …`);
  mkdirSync(FOLDER, { recursive: true });
  const dependencies = Object.fromEntries(PACKAGES.map((name) => [name, VERSION]));
  writeFileSync(join(FOLDER, 'package.json'), JSON.stringify({ private: true, dependencies }));
  // A vitest of its own beside the runner would not be the one that the tests import.
  const flags = ['--legacy-peer-deps', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  await promisify(execFile)('npm', ['install', ...flags], { cwd: FOLDER });
}

/** What Stryker and its instrumenter export. */
export async function loadStryker() {
  const [{ Stryker }, { Instrumenter }] = await Promise.all(
    ['core', 'instrumenter'].map((name) => import(pathToFileURL(pathIn(name, 'dist/src/index.js')).href)),
  );
  return { Stryker, Instrumenter };
}
