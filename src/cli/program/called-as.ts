import type { Environment } from '../../client/run-file.js';
import { asCalled, PROGRAM } from '../../text/program-name.js';

/** How this process was started. */
export interface Start {
  readonly env: Environment;
  /** `process.argv[1]`: the file that Node was given, which may be a link to it. */
  readonly script: string;
  readonly cwd: string;
}

interface Runner {
  /** Runs a binary of the project's dependencies. */
  readonly installed: string;
  /** Downloads a package and runs it. */
  readonly downloaded: string;
}

const NPM: Runner = { installed: 'npx', downloaded: 'npx' };
const RUNNERS: ReadonlyMap<string, Runner> = new Map([
  ['pnpm', { installed: 'pnpm', downloaded: 'pnpm dlx' }],
  ['yarn', { installed: 'yarn', downloaded: 'yarn dlx' }],
  ['bun', { installed: 'bunx', downloaded: 'bunx' }],
]);

const MODULES = '/node_modules/';
const PACKAGE = 'pix-sandbox';
const NAMES = new Set(['sandbox', PACKAGE]);
/** Folders where npx, pnpm dlx, yarn dlx and bunx put packages that no project depends on. */
const DOWNLOADS = /\/(?:_npx|dlx|dlx-\d+|bunx-[^/]+)\//;

/** The words that start this program again from the same folder: `npx sandbox`, `pnpm sandbox`, or `sandbox` if it is on the path. */
export function calledAs({ env, script, cwd }: Start): string {
  const path = slashed(script);
  const { installed, downloaded } = runnerOf(env);
  if (DOWNLOADS.test(path) || DOWNLOADS.test(`${slashed(env.PROJECT_CWD ?? '')}/`)) {
    // Without a project, npx would download another program for the name `sandbox`; in a clone of this one it finds ours.
    return env.npm_package_name === PACKAGE
      ? `${installed} ${nameOf(path, env)}`
      : `${downloaded} ${PACKAGE}`;
  }
  const name = nameOf(path, env);
  if (isInstalled(path, slashed(cwd), env)) return `${installed} ${name}`;
  // A script of a checkout is not on the path; other files are links on the path or packages installed globally.
  return /\.c?js$/.test(path) && !path.includes(MODULES) ? PROGRAM : name;
}

/** Whether a project here depends on the package, or the name was given to npx or bunx. */
function isInstalled(path: string, cwd: string, env: Environment): boolean {
  const modules = path.indexOf(MODULES);
  if (modules < 0) return askedFor(env) !== undefined;
  // Yarn runs packages from its cache and names the project.
  const isInProject = `${cwd}/`.startsWith(`${path.slice(0, modules)}/`);
  return isInProject || path.includes('/.bin/') || env.PROJECT_CWD !== undefined;
}

/** A text that was written at the build, for a process that was started so. */
export function textFor(text: string, start: Start): string {
  return asCalled(text, calledAs(start));
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/');
}

/** Every package manager says in its user agent which one it is, and passes that on to what it runs. */
function runnerOf({ npm_config_user_agent: agent = '' }: Environment): Runner {
  const [manager = ''] = agent.split('/', 1);
  return RUNNERS.get(manager) ?? NPM;
}

/** The name that was given to npx or bunx; undefined if they run something else, or nothing. */
function askedFor({
  npm_command: command,
  npm_lifecycle_script: line = '',
}: Environment): string | undefined {
  const [asked = ''] = line.replaceAll(/['"]/g, '').split(' ');
  return command === 'exec' && NAMES.has(asked) ? asked : undefined;
}

function nameOf(path: string, env: Environment): string {
  const file = path.slice(path.lastIndexOf('/') + 1);
  return NAMES.has(file) ? file : (askedFor(env) ?? 'sandbox');
}
