// What the checks share: where everything lies, and the environment of a user who has nothing but the package.
import { mkdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** What the surroundings of the gate must not change in the processes that it starts. */
const OURS =
  /^(?:SANDBOX_.*|npm_package_.*|npm_lifecycle_.*|NODE_OPTIONS|NODE_COMPILE_CACHE|NODE_V8_COVERAGE|FORCE_COLOR|INIT_CWD)$/;

/**
 * What the checks work with. A check that makes something for later ones puts it in here.
 * @typedef {object} Release
 * @property {Record<string, any>} packageJson The checkout's.
 * @property {string} folder A temporary folder; it is removed at the end.
 * @property {string} userFolder Where the package is installed.
 * @property {NodeJS.ProcessEnv} env Of every process.
 * @property {boolean} isUpdate Whether the numbers of the release are to be written down.
 * @property {boolean} lists Whether to list every file, and not folders.
 * @property {string} [tarball]
 * @property {{ size: number, unpackedSize: number, files: { path: string, size: number }[] }} [packed] In bytes.
 * @property {number} [packages] How many an installation brings.
 */

/**
 * @param {string} folder a temporary one
 * @param {{ isUpdate: boolean, lists: boolean }} words
 * @returns {Release}
 */
export function newRelease(folder, words) {
  const userFolder = join(folder, 'user');
  const temporary = join(folder, 'tmp');
  for (const path of [userFolder, temporary]) mkdirSync(path);
  const kept = Object.entries(process.env).filter(([name]) => !OURS.test(name));
  return {
    ...words,
    packageJson: JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')),
    folder,
    userFolder,
    env: {
      ...Object.fromEntries(kept),
      TMPDIR: temporary,
      XDG_STATE_HOME: join(folder, 'state'),
      XDG_CACHE_HOME: join(folder, 'cache'),
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_logs_max: '0',
      npm_config_update_notifier: 'false',
    },
  };
}

/**
 * The environment in which `node` is another one.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} node the path of its binary
 */
export function withNode(env, node) {
  return { ...env, PATH: `${dirname(node)}${delimiter}${env.PATH}` };
}

/** @param {number} bytes */
export function kilobytes(bytes) {
  return Math.round(bytes / 100) / 10;
}
