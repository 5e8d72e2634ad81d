import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FRAMEWORKS, TEST_RUNNERS } from '../../program/shared-options.js';
import { parseJson } from '../../../text/json.js';
import { type Application, detectApplication } from './application.js';

type Framework = (typeof FRAMEWORKS)[number];
type TestRunner = (typeof TEST_RUNNERS)[number];

export interface Project {
  readonly folder: string;
  readonly dependencies: ReadonlySet<string>;
  /** Is `none` in other languages, and for a Python project without a supported framework. */
  readonly framework: Framework;
  readonly isPython: boolean;
  readonly runner: TestRunner;
  readonly manager: PackageManager;
  readonly hasLock: boolean;
  /** Arguments for `pip install`. */
  readonly requirements: string;
  /** The requirements or sources name pytest. The first test also runs in unittest. */
  readonly usesPytest: boolean;
  /** package.json has `"type": "module"`. */
  readonly isModule: boolean;
  /** The `test` script of package.json; empty if there is none, or only the `npm init` default. */
  readonly testScript: string;
  readonly application: Application;
  /** Starts the application, e.g. `npm run dev`; undefined if unknown. */
  readonly startCommand: string | undefined;
  readonly isOnGitHub: boolean;
}

/** Maps a fixture file to its path in the project. */
export interface Template {
  readonly from: string;
  readonly path: string;
}

interface Receiver {
  readonly files: readonly Template[];
  readonly packages: readonly string[];
  /** Starts a separate receiver program. */
  readonly program?: string;
  readonly isPython?: boolean;
}

const NODE_FILE = 'pix-webhooks.mjs';
const RECEIVERS = 'guides/receivers';
const LIBRARY = ['standardwebhooks'];

function nodeReceiver(name: string, packages = LIBRARY): Receiver {
  const files = [{ from: `${RECEIVERS}/${name}.mjs`, path: NODE_FILE }];
  return { files, packages, program: `node ${NODE_FILE}` };
}

function pythonReceiver(name: string, program: string): Receiver {
  const files = [
    { from: `${RECEIVERS}/receiver.py`, path: 'receiver.py' },
    { from: `${RECEIVERS}/frameworks/${name}.py`, path: `${name}.py` },
  ];
  return { files, packages: [], program, isPython: true };
}

/** Returns the receiver template of a framework; `route` is its webhook path. */
export function createReceiverTemplate(framework: Framework, folder: string, route: string): Receiver {
  const hasSource = entriesIn(folder).includes('src');
  switch (framework) {
    case 'express':
    case 'fastify':
      return nodeReceiver(`frameworks/${framework}`);
    case 'nestjs': {
      const path = `${hasSource ? 'src/' : ''}webhooks.controller.ts`;
      return { files: [{ from: 'init/webhooks.controller.ts', path }], packages: LIBRARY };
    }
    case 'next': {
      const path = `${hasSource ? 'src/' : ''}app${route === '/' ? '' : route}/route.js`;
      return { files: [{ from: `${RECEIVERS}/frameworks/next-route.js`, path }], packages: LIBRARY };
    }
    case 'none':
      return { files: [], packages: [] };
    case 'fastapi':
      return pythonReceiver('fastapi_app', 'uvicorn fastapi_app:app --port 3000');
    case 'flask':
      return pythonReceiver('flask_app', 'flask --app flask_app run --port 3000');
    default:
      return nodeReceiver('receiver', []);
  }
}

/** Returns the path of the first test, and the command that runs it. */
export function createTestTemplate(
  { folder, framework, usesPytest }: Project,
  runner: Exclude<TestRunner, 'none'>,
): Template & { readonly command: string } {
  const names = new Set(entriesIn(folder));
  const tests = names.has('tests') && !names.has('test') ? 'tests' : 'test';
  const file = (ending: string) => `${tests}/pix-sandbox.test.${ending}`;
  const typed = file(names.has('tsconfig.json') ? 'ts' : 'mjs');
  const from = 'init/first-test.mjs';
  switch (runner) {
    case 'pytest': {
      const path = `${names.has('test') ? 'test' : 'tests'}/test_pix_sandbox.py`;
      return {
        from: 'init/first_test.py',
        path,
        command: `python3 -m ${usesPytest ? 'pytest' : 'unittest'} ${path}`,
      };
    }
    case 'jest': {
      // Jest finds only .js and .ts files, and loads them as CommonJS by default.
      const path = file('js');
      // A new Nest project configures Jest to find only .spec.ts files in src.
      const own = framework === 'nestjs' ? '--rootDir . --testRegex pix-sandbox.test.js' : path;
      return { from, path, command: `npx jest ${own}` };
    }
    case 'vitest':
      return { from, path: typed, command: `npx vitest run ${typed}` };
    case 'bun':
      return { from, path: typed, command: `bun test ${typed}` };
    case 'node':
      // Not every supported Node version runs TypeScript.
      return { from, path: file('mjs'), command: `node --test ${file('mjs')}` };
    default:
      return { from, path: file('mjs'), command: `npx ${runner} ${file('mjs')}` };
  }
}

export const INSTALL_COMMANDS = {
  npm: ['npm install', '--save-dev'],
  pnpm: ['pnpm add', '--save-dev'],
  yarn: ['yarn add', '--dev'],
  bun: ['bun add', '--dev'],
} as const;

export type PackageManager = keyof typeof INSTALL_COMMANDS;

/** Maps Node frameworks to npm packages, in detection order. */
const PACKAGES = {
  next: 'next',
  nestjs: '@nestjs/core',
  express: 'express',
  fastify: 'fastify',
} as const;
const PYTHON_FRAMEWORKS = ['fastapi', 'flask'] as const;
const PYTHON_FILES = /^(?:requirements.*\.txt|pyproject\.toml|Pipfile|setup\.(?:py|cfg))$/;
const RUNNERS = ['vitest', 'jest', 'mocha', 'ava'] as const;
const LOCK_FILES = {
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
} as const;

/** Detects the project in a directory, ignoring missing and invalid files; `env` may set the port. */
export function detectProject(
  folder: string,
  env: Readonly<Record<string, string | undefined>> = {},
): Project {
  const names = new Set(entriesIn(folder));
  const { dependencies, scripts, isModule } = manifestIn(folder);
  const script = scripts.get('test') ?? '';
  const testScript = script.includes('no test specified') ? '' : script;
  const hasManifest = names.has('package.json');
  const starting = ['start', 'dev'].flatMap((name) => scripts.get(name) ?? []).join('\n');
  const isNext = dependencies.has('next');
  const application = detectApplication(folder, { scripts: starting, isNext, env });
  const python = [...names].filter((name) => PYTHON_FILES.test(name)).map((name) => textIn(folder, name));
  const { language, pythonImports } = application;
  const isPython = python.length > 0 || language === 'py';
  const words = `${python.join('\n')}\n${pythonImports}`;
  const isForeign = !hasManifest && language !== undefined && language !== 'js';
  const framework = frameworkOf(dependencies, words, !hasManifest && (isPython || isForeign));
  const usesPython = (!hasManifest && isPython) || PYTHON_FRAMEWORKS.some((name) => name === framework);
  const manager = Object.entries(LOCK_FILES).find(([name]) => names.has(name))?.[1] ?? 'npm';
  const own = scripts.get('start') ?? '';
  // Scripts that start compiled code require a build, unless they build it.
  const isBuilt =
    framework === 'next' || (/\b(?:dist|build|out)\//.test(own) && !/\b(?:build|tsc)\b(?!\/)/.test(own));
  const start = (isBuilt ? ['dev', 'start'] : ['start', 'dev']).find((name) => scripts.has(name));
  return {
    folder,
    application,
    dependencies,
    framework,
    isPython: usesPython,
    runner: usesPython
      ? 'pytest'
      : isForeign
        ? 'none'
        : runnerOf(dependencies, testScript, manager === 'bun'),
    manager,
    hasLock: names.has('package-lock.json'),
    requirements: requirementsOf(names),
    usesPytest: /\bpytest\b/.test(words),
    isModule,
    testScript,
    startCommand: start === undefined ? application.program : `${manager} run ${start}`,
    isOnGitHub: names.has('.github') || textIn(folder, join('.git', 'config')).includes('github.com'),
  };
}

function frameworkOf(dependencies: ReadonlySet<string>, python: string, isOther: boolean): Framework {
  const known = Object.keys(PACKAGES) as (keyof typeof PACKAGES)[];
  const ofNode = known.find((name) => dependencies.has(PACKAGES[name]));
  if (ofNode !== undefined) return ofNode;
  const words = new Set(python.toLowerCase().match(/[a-z][\w.-]*/g));
  const ofPython = PYTHON_FRAMEWORKS.find((name) => words.has(name));
  return ofPython ?? (isOther ? 'none' : 'node');
}

function runnerOf(dependencies: ReadonlySet<string>, script: string, isBun: boolean): Project['runner'] {
  const words = script.split(/\s+/);
  const named = RUNNERS.find((name) => words.includes(name));
  if (named !== undefined) return named;
  if (script.includes('bun test')) return 'bun';
  if (words.includes('--test')) return 'node';
  return RUNNERS.find((name) => dependencies.has(name)) ?? (isBun ? 'bun' : 'node');
}

function requirementsOf(names: ReadonlySet<string>): string {
  if (names.has('requirements.txt')) return '-r requirements.txt ';
  return names.has('pyproject.toml') ? '. ' : '';
}

function manifestIn(folder: string) {
  const manifest = recordOf(parseJson(textIn(folder, 'package.json')));
  const groups = [manifest.dependencies, manifest.devDependencies].map(recordOf);
  const scripts = Object.entries(recordOf(manifest.scripts)).filter(
    (script): script is [string, string] => typeof script[1] === 'string',
  );
  return {
    dependencies: new Set(groups.flatMap((group) => Object.keys(group))),
    scripts: new Map(scripts),
    isModule: manifest.type === 'module',
  };
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function textIn(folder: string, name: string): string {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return '';
  }
}

function entriesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
