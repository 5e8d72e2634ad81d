import { accessSync, constants } from 'node:fs';
import type { Environment } from '../../../client/run-file.js';
import type { Io } from '../../program/io.js';
import type { Check } from './check.js';
import { fail, ok, warn } from './check.js';

/** Whether `engines` of our package.json allows this version of Node. */
export function nodeCheck(version: string, engines: string): Check {
  if (satisfies(version, engines)) return ok(`Node ${version}; required: ${engines}.`);
  return fail(
    `Node ${version}; required: ${engines}.`,
    'Install a supported Node, for example with `nvm install --lts`.',
  );
}

/** Whether a version is one of `^1.2.3 || >=4.5.6`, the two forms that our engines use. */
export function satisfies(version: string, range: string): boolean {
  const [major = 0, ...rest] = numbersOf(version);
  return range.split('||').some((alternative) => {
    const [least = 0, ...restOfLeast] = numbersOf(alternative);
    if (alternative.trim().startsWith('^') && major !== least) return false;
    return isAtLeast([major, ...rest], [least, ...restOfLeast]);
  });
}

function numbersOf(text: string): number[] {
  return Array.from(text.matchAll(/\d+/g), ([digits]) => Number(digits)).slice(0, 3);
}

function isAtLeast(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((part, index) => part !== (other[index] ?? 0));
  return at < 0 || (one[at] ?? 0) > (other[at] ?? 0);
}

/** Environment variables that affect every Node process. Values are not shown because they may hold secrets. */
export function environmentCheck({ NODE_OPTIONS, ...env }: Environment): Check {
  const effects: string[] = [];
  const options = (NODE_OPTIONS ?? '').split(/\s+/).filter((word) => word.startsWith('-'));
  if (options.length > 0) {
    const names = options.map((word) => word.replace(/=.*/, ''));
    effects.push(`NODE_OPTIONS adds ${names.join(' ')} to every Node process`);
  }
  const certificates = env.NODE_EXTRA_CA_CERTS;
  if (certificates) {
    const found = isReadable(certificates) ? 'slows every start' : 'names a file that cannot be read';
    effects.push(`NODE_EXTRA_CA_CERTS ${found}`);
  }
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    effects.push('NODE_TLS_REJECT_UNAUTHORIZED accepts every certificate');
  }
  if (effects.length === 0) return ok('No variable changes how Node runs.');
  return warn(`${effects.join('; ')}.`, 'Unset what you do not need.');
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

const PROXIES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];
const LOCAL_NAMES = ['localhost', '127.0.0.1'];

/** A proxy cannot reach this machine's loopback, so NO_PROXY has to exclude it. */
export function proxyCheck(env: Environment): Check {
  const set = PROXIES.filter((name) => env[name]);
  if (set.length === 0) return ok('No proxy is set.');
  const entries = (env.NO_PROXY ?? env.no_proxy ?? '').split(/[\s,]+/);
  const covered = (name: string) => entries.some((entry) => entry === '*' || entry.split(':')[0] === name);
  const missing = LOCAL_NAMES.filter((name) => !covered(name));
  if (missing.length === 0) return ok(`${set.join(', ')} set; NO_PROXY covers this machine.`);
  return warn(
    `${set.join(', ')} set, and NO_PROXY leaves out ${missing.join(' and ')}: clients may ask the proxy for the sandbox.`,
    `export NO_PROXY=${[...entries, ...missing].filter((entry) => entry !== '').join(',')}`,
  );
}

/** What the terminal can show, and whether commands may ask questions. */
export function terminalCheck(
  { columns, colour, interactive, env }: Io,
  platform: NodeJS.Platform = process.platform,
): Check {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  const isUnicode = platform === 'win32' || platform === 'darwin' || /utf-?8/i.test(locale);
  const parts = [
    columns === 0 ? 'no terminal, so text is not cut' : `${columns} columns`,
    colour.level > 0 ? 'colours' : 'no colours',
    isUnicode ? 'UTF-8' : `locale ${locale || 'C'}`,
    interactive ? 'commands may ask questions' : 'commands ask no questions',
  ];
  const message = `${parts.join(', ')}.`;
  if (isUnicode || columns === 0) return ok(message);
  return warn(message, 'export LC_ALL=C.UTF-8, so that … and → are shown.');
}
