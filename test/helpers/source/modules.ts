/** The tables of the contract, and functions of texts. */
const WORDS = ['contract', 'text'];
/** Pure functions of the core, none of which changes a world. */
const CORE_WORDS = ['core/ids', 'core/identity/session', 'core/payments/ledger'];
/** The control API, for a client that brings its own transport. */
const CONTROL = ['client/control', 'type client', 'type http'];

interface Module {
  readonly purpose: string;
  /**
   * A module, one file of a module (`core/ids`), either of them for its types only (`type core`), or a package
   * (`node:` stands for all of Node).
   */
  readonly imports: readonly string[];
}

function define(purpose: string, ...imports: readonly string[]): Module {
  return { purpose, imports };
}

/** The modules of `src`, from the ground up, and the imports of each besides its own files. */
export const MODULES: Readonly<Record<string, Module>> = {
  contract: define('tables, limits and formats of the service'),
  schema: define('reads, types and documents JSON in one language', 'contract', 'text/closest'),
  text: define('globs, suggestions, redaction, shell words, translation', 'contract', 'fastest-levenshtein'),
  core: define('the world and every rule, pure', ...WORDS, 'schema'),
  'cross-realm': define('classes recognized by every loaded copy of the package'),
  signing: define(
    'request and webhook signatures, and their diagnosis',
    'type contract',
    'text/urls',
    'type core',
    'cross-realm',
    'node:crypto',
  ),
  clock: define('sandbox time on top of real time'),
  directories: define('directories and their owners', 'node:'),
  child: define('child processes, restarts, free ports', 'contract', 'delivery/abort', 'node:'),
  delivery: define(
    'one HTTP attempt, the destination guard, the worker, listeners',
    ...WORDS,
    'type core',
    'signing',
    'clock',
    'node:',
  ),
  store: define(
    'a data directory: lock, snapshot, journal',
    ...WORDS,
    'type core',
    'directories',
    'lowdb',
    'node:',
  ),
  sandbox: define(
    'dispatch, epochs, time travel, timeline, request log',
    ...WORDS,
    'schema',
    'core',
    'signing',
    'clock',
    'delivery',
    'store',
    'qr',
    'node:',
  ),
  http: define(
    'the server, its guards, and an app for each API',
    ...WORDS,
    'schema',
    'core',
    'signing',
    'delivery',
    'sandbox',
    'hono',
    '@hono/node-server',
    'node:',
  ),
  'public-types': define(
    'published types; the build writes them out',
    'type contract',
    'type core',
    'type sandbox',
    'type http',
    'type client/routes',
  ),
  client: define(
    'the control API client and its types, the run file',
    ...WORDS,
    'directories',
    'cross-realm',
    'type public-types',
    'type core',
    'type http',
    'type sandbox',
    'type delivery',
    'node:',
  ),
  console: define(
    'the web console, for browsers',
    ...WORDS,
    'core/identity/session',
    ...CONTROL,
    'type sandbox',
    'sandbox/timeline/filter',
    'hono',
  ),
  tunnel: define(
    'a public URL through a localtunnel relay',
    'text/urls',
    'delivery/abort',
    'localtunnel',
    'node:',
  ),
  config: define(
    'settings from flags, environment and files',
    ...WORDS,
    'schema',
    'directories',
    'type core',
    'node:',
  ),
  scenario: define(
    'scenario files: schema, run, recording',
    ...WORDS,
    'schema',
    ...CONTROL,
    'client/listener',
    'core',
    'type delivery',
    'delivery/attempt-failure',
    'signing',
  ),
  check: define(
    'checks of webhook receivers: catalog, plans, verdicts, reports',
    ...WORDS,
    'schema',
    ...CONTROL,
    'client/listener',
    'core/resources/resources',
    'core/resources/serialize',
    'type core',
    'sandbox/qr/image',
    'signing',
    'child',
    'delivery',
    'node:',
  ),
  explore: define(
    'the search for faults that break an application',
    ...WORDS,
    ...CONTROL,
    'directories',
    'check/probe',
    'delivery',
    'node:',
  ),
  cli: define(
    'the program and its commands',
    ...WORDS,
    'child',
    'directories',
    ...CORE_WORDS,
    'type core',
    'signing',
    'delivery',
    'sandbox',
    'http',
    'client',
    'config',
    'tunnel',
    'scenario',
    'check',
    'explore',
    'schema',
    'commander',
    'chalk',
    '@inquirer/prompts',
    'node:',
  ),
  testing: define(
    'the library for tests',
    ...WORDS,
    'schema',
    ...CORE_WORDS,
    'type core',
    'signing',
    'sandbox',
    'http',
    'type public-types',
    'client',
    'child',
    'delivery',
    'cross-realm',
    'check',
    'explore',
    '@jest/globals',
    'vitest',
    'node:',
  ),
  index: define('the main entry of the package', 'type public-types', 'client/sandbox-error', 'testing'),
};

/** The table in ARCHITECTURE.md: `*` stands for WORDS and `°` for Node; modules without imports share a row. */
export function formatModuleTable(): string {
  const modules = Object.entries(MODULES);
  const free = modules.filter(([, { imports }]) => imports.length === 0);
  const names = free.map(([name]) => `\`${name}\``).join(', ');
  const purposes = free.map(([, { purpose }]) => purpose).join('; ');
  const others = modules
    .filter(([, { imports }]) => imports.length > 0)
    .map(([name, one]) => rowOf(name, one));
  return [
    '| Module | Purpose | May import |',
    '|---|---|---|',
    `| ${names} | ${purposes} | – |`,
    ...others,
  ].join('\n');
}

function rowOf(name: string, { purpose, imports }: Module): string {
  const hasWords = WORDS.every((word) => imports.includes(word));
  const shown = imports.filter((entry) => entry !== 'node:' && !(hasWords && WORDS.includes(entry)));
  const names = shown.map((entry) => `\`${entry}\``).join(', ');
  const marks = [hasWords ? '*' : '', imports.includes('node:') ? '°' : ''].join('');
  return `| \`${name}\`${marks} | ${purpose} | ${names === '' ? '–' : names} |`;
}
