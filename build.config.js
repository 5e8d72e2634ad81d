// Bundles every library into dist, so that the published package depends on nothing at run time.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { posix, sep } from 'node:path';
import { build } from 'rolldown';
import { buildConsole } from './build.console.js';
import { bundledPackages, noticesOf } from './build.notices.js';
import { commonJsTypes, constantsOfTypes, reachableTypes, typesOfConstants } from './build.types.js';

const { version, exports } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'));

/** A test runner's fake timers take the place of the global ones, and also our libraries must go on meanwhile. */
const TIMERS = Object.fromEntries(
  ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'].map(
    (name) => [name, ['node:timers', name]],
  ),
);

/** localtunnel's connections report to `debug`, which would read the environment and is not ours to ship. */
const QUIET = {
  name: 'quiet',
  resolveId: (id) => (id === 'debug' ? '\0quiet' : null),
  load: (id) => (id === '\0quiet' ? 'module.exports = () => () => {};' : null),
};

/** commander can run a subcommand as a program of its own, and loads for that what ours never need. */
const NO_PROGRAMS = {
  name: 'no-programs',
  resolveId: (id, importer) =>
    id === 'node:child_process' && /[\\/]commander[\\/]/.test(importer ?? '') ? '\0no-programs' : null,
  load: (id) => (id === '\0no-programs' ? 'module.exports = {};' : null),
};

rmSync('dist', { recursive: true, force: true });

const COMMON_JS = { dir: 'dist/cjs', format: 'cjs' };

/** The entries that share a file. */
const LIBRARY = '\0library';
const LIBRARY_ENTRY = {
  name: 'library-entry',
  resolveId: (id) => (id === LIBRARY ? id : null),
  load: (id) =>
    id === LIBRARY
      ? "export * as index from './src/index.ts'; export * as testing from './src/testing/index.ts';"
      : null,
};

/** The matchers of a test runner's entry are those of the library. */
function oneLibrary(file) {
  return {
    name: 'one-library',
    resolveId: (id) => (id === './matchers.js' ? { id: file, external: true } : null),
  };
}

/** Bundles some entries into a folder, with what they share in chunks of their own. */
function bundle(input, { dir = 'dist', format = 'esm', codeSplitting, plugins = [] } = {}) {
  return build({
    input,
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    external: ['@jest/globals', 'vitest'],
    plugins: [QUIET, NO_PROGRAMS, ...plugins],
    resolve: { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } },
    transform: { target: 'node20', define: { __VERSION__: JSON.stringify(version) }, inject: TIMERS },
    output: {
      dir,
      format,
      strict: true,
      // One character beyond Latin-1 makes V8 keep all of its file in two bytes for each.
      minify: { codegen: { asciiOnly: true } },
      cleanDir: false,
      entryFileNames: format === 'cjs' ? '[name].cjs' : '[name].js',
      chunkFileNames: format === 'cjs' ? 'chunks/[name]-[hash].cjs' : 'chunks/[name]-[hash].js',
      ...(codeSplitting === undefined ? {} : { codeSplitting }),
    },
  });
}

// Opening a file costs more than reading what is not needed, so what is always needed together is in one. A group takes along what it
// imports, and the first takes precedence: no client command loads the service.
const GROUPS = [
  [
    'client',
    /^(?:client\/|contract\/(?!.*assumption)|text\/|core\/identity\/session\.ts)/,
    /^cli\/(?:main|program\/(?:run-command|shared-options)|terminal\/|payments\/payment-|sandbox\/(?!loopback|wait|http))/,
    /^cli\/commands\/(?:calls\/text|listen\/(?:forwarding-options|tunnel-plan))\.ts/,
  ],
  [
    'attempts',
    /^(?:signing\/(?!diagnosis)|delivery\/|sandbox\/attempt-records|http\/control\/webhooks\/verdict-view)/,
  ],
  ['settings', /^(?:schema\/|config\/|cli\/program\/(?:configured|setting)-options)/],
  [
    'service',
    /^(?:http\/server\/start|cli\/commands\/start\/start)\.ts/,
    /^(?:core\/(?:payments\/ledger-check|webhooks\/fault-input)|http\/control\/calls\/call-tests|sandbox\/using-commands)\.ts/,
  ],
  // What answers requests, which is loaded when the addresses have been announced.
  ['doors', /^http\/server\/(?:doors|adapter)\.ts/],
].map(([name, ...tests], index, { length }) => ({
  name,
  test: (id) => tests.some((test) => test.test(id.replace(/^.*\/src\//, ''))),
  priority: length - index,
}));

// CommonJS, which Node 20 loads in half the time that it takes for modules.
const commands = await bundle(
  { cli: 'src/cli/main.ts' },
  { format: 'cjs', codeSplitting: { groups: GROUPS } },
);
const pages = await buildConsole();

// Alone, because the starter loads it for texts that were written down.
await bundle({ 'called-as': 'src/cli/program/called-as.ts' }, { format: 'cjs' });

// What these words print is always the same, and writing it down here saves most of the time that they take.
const texts = ['--help', '-h', 'help', '--version', '-V'].map((words) => [
  words,
  execFileSync(process.execPath, ['dist/cli.cjs', words], { encoding: 'utf8' }),
]);
writeFileSync('dist/texts.json', JSON.stringify(Object.fromEntries(texts)));

// Running the sandbox takes neither the library nor declarations, and they take most of the time.
if (process.argv.includes('--only-commands')) process.exit();

// In one CommonJS file, because Jest refuses import(), and a file required later could meet another copy of its neighbours.
const library = await bundle(
  { library: LIBRARY },
  { ...COMMON_JS, plugins: [LIBRARY_ENTRY], codeSplitting: false },
);
const entriesOfLibrary = createRequire(import.meta.url)('./dist/cjs/library.cjs');
for (const [name, exported] of Object.entries(entriesOfLibrary)) {
  // In two statements, because of one alone Node reads the names that import gets, from all of the library.
  writeFileSync(
    `dist/cjs/${name}.cjs`,
    `const { ${name} } = require('./library.cjs');\nmodule.exports = { ...${name} };\n`,
  );
  // import and require share that file, so both get the same classes.
  const names = Object.keys(exported).join(', ');
  writeFileSync(
    `dist/${name}.js`,
    `import library from './cjs/${name}.cjs';\nexport const { ${names} } = library;\n`,
  );
}
const RUNNERS = { jest: 'src/testing/expect/jest.ts', vitest: 'src/testing/expect/vitest.ts' };
await bundle(RUNNERS, { plugins: [oneLibrary('./testing.js')] });
await bundle(RUNNERS, { ...COMMON_JS, plugins: [oneLibrary('./testing.cjs')] });

// Apart from the rest: who verifies a webhook in production loads `node:crypto` and nothing of the server.
const SIGNING = { signing: 'src/signing/index.ts' };
const signing = await bundle(SIGNING);
await bundle(SIGNING, COMMON_JS);

const chunks = [...commands.output, ...library.output, ...signing.output, ...pages];
writeFileSync('dist/NOTICES.txt', noticesOf(bundledPackages(chunks)));

function emitDeclarations(config) {
  const tsc = ['node_modules/typescript/bin/tsc', '-p', config];
  execFileSync(process.execPath, tsc, { stdio: 'inherit' });
}

emitDeclarations('tsconfig.build.json');

// Apart, because these constants are in no program of ours.
const shapes = readFileSync('src/shapes.ts', 'utf8');
const options = { rootDir: '../..', outDir: '.' };
const files = ['shapes.ts', '../../src/globals.d.ts'];
mkdirSync('dist/written');
writeFileSync('dist/written/shapes.ts', constantsOfTypes(shapes, '../../src'));
writeFileSync(
  'dist/written/tsconfig.json',
  JSON.stringify({ extends: '../../tsconfig.build.json', compilerOptions: options, files, include: [] }),
);
emitDeclarations('dist/written');
const written = readFileSync('dist/written/dist/written/shapes.d.ts', 'utf8');
writeFileSync('dist/types/shapes.d.ts', typesOfConstants(written, shapes));
rmSync('dist/written', { recursive: true });

const entries = Object.values(exports).flatMap(({ import: imported }) =>
  imported === undefined ? [] : posix.normalize(imported.types),
);
const reachable = reachableTypes(entries, (file) => readFileSync(file, 'utf8'));
for (const name of readdirSync('dist/types', { recursive: true })) {
  const file = posix.join('dist/types', name.replaceAll(sep, '/'));
  if (!file.endsWith('.d.ts')) continue;
  if (reachable.has(file))
    writeFileSync(file.replace(/ts$/, 'cts'), commonJsTypes(readFileSync(file, 'utf8')));
  else rmSync(file);
}
