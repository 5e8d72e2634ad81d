// Bundles all libraries into dist, so the published package has no runtime dependencies.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { build, watch } from 'rolldown';

process.chdir(import.meta.dirname);
const { version, exports, bugs } = JSON.parse(readFileSync('package.json', 'utf8'));
/** Imports timers from Node, so fake timers of test runners do not stop our libraries. */
const names = ['Timeout', 'Interval', 'Immediate'].flatMap((name) => [`set${name}`, `clear${name}`]);
const TIMERS = Object.fromEntries(names.map((name) => [name, ['node:timers', name]]));

/** Stubs `debug`, which localtunnel uses and which would read the environment. */
const silent = 'module.exports = () => () => {};';
const resolveId = (id) => (id === 'debug' ? id : null);
const QUIET = { name: 'quiet', resolveId, load: (id) => (id === 'debug' ? silent : null) };

/** Licenses that only require including the license text, also as one of several choices. */
const PERMISSIVE = /^(?!.* AND ).*\b(?:MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0)\b/;
const LICENSE_FILE = /^(?:third[-_]party[-_])?(?:licen[cs]e|copying|notice)s?(?:\.(?:md|txt))?$/i;
const notices = new Set();
/** Collects the licenses of bundled packages. Fails the build for other licenses or missing license texts. */
const NOTICES = {
  name: 'notices',
  generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap((chunk) => Object.entries(chunk.modules ?? {}));
    for (const [id] of modules.filter(([, { renderedLength }]) => renderedLength > 0)) {
      const file = id.startsWith('\0') ? import.meta.resolve('rolldown') : id;
      const folder = /[^:]*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0];
      if (!folder) continue;
      const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
      const files = readdirSync(folder).filter((file) => LICENSE_FILE.test(file));
      const text = files.map((file) => readFileSync(`${folder}/${file}`, 'utf8').trim()).join('\n\n');
      if (!PERMISSIVE.test(license) || text === '') {
        throw new Error(`${name} ${version}: expected a permissive license and its text; got ${license}.`);
      }
      notices.add(`${'-'.repeat(80)}\n${name} ${version}\nLicense: ${license}\n\n${text}\n`);
    }
  },
};

const DEFINE = { __VERSION__: JSON.stringify(version), __BUGS_URL__: JSON.stringify(bugs?.url ?? '') };
const tsc = (config) => execFileSync('node_modules/.bin/tsc', ['-p', config], { stdio: 'inherit' });
const RESOLVE = { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } };
/** Returns options to bundle entries for Node, with shared code in separate chunks. */
function forNode(input, { format = 'esm', dir = 'dist', plugins = [], ...output } = {}) {
  const end = format === 'cjs' ? format : 'js';
  const names = { entryFileNames: `[name].${end}`, chunkFileNames: `chunks/[name]-[hash].${end}` };
  return {
    input,
    platform: 'node',
    checks: { ineffectiveDynamicImport: false },
    external: ['@jest/globals', 'vitest'],
    plugins: [QUIET, NOTICES, ...plugins],
    resolve: RESOLVE,
    transform: { target: 'node20', define: DEFINE, inject: TIMERS },
    // A single character beyond Latin-1 would make V8 store the file with two bytes per character.
    output: { dir, format, minify: { codegen: { asciiOnly: true } }, ...names, ...output },
  };
}

// Node 20 loads CommonJS in half the time of ES modules. Code shared by most commands is in one file.
const TABLE = { name: 'table', test: /commands.table\.ts$/, priority: 1 };
const codeSplitting = { groups: [TABLE, { name: 'shared', minShareCount: 16 }] };
const CLI = forNode({ cli: 'src/cli/main.ts' }, { format: 'cjs', codeSplitting });
// Lets chunks import modules of the entry, although the entry exports a function.
const COMMANDS = { ...CLI, preserveEntrySignatures: 'allow-extension' };

const programsIn = (end) => {
  const [request, receiver] = ['requests', 'receivers'].map((folder) => {
    const name = readdirSync(`fixtures/guides/${folder}`).find((file) => file.endsWith(end));
    return { name, text: readFileSync(`fixtures/guides/${folder}/${name}`, 'utf8') };
  });
  return { request, receiver };
};
/** Guide programs by language: one sends a signed request, one receives webhooks. */
const LANGUAGES = { Node: '.mjs', Python: '.py', Go: '.go', Ruby: '.rb', Java: '.java' };
const programs = Object.entries(LANGUAGES).map(([language, end]) => [language, programsIn(end)]);
const guides = JSON.stringify(Object.fromEntries(programs));
const guidesName = `guides-${createHash('sha256').update(guides).digest('base64url').slice(0, 8)}.json`;

/** Emits the files that the console's script needs. File names contain a content hash. */
const CONSOLE_FILES = {
  name: 'console-files',
  generateBundle(_, bundle) {
    const emit = (name, source) => this.getFileName(this.emitFile({ type: 'asset', name, source }));
    const names = {
      script: Object.keys(bundle)[0],
      style: emit('console.css', readFileSync('src/console/style.css')),
      icon: emit('icon.svg', readFileSync('src/console/icon.svg')),
    };
    this.emitFile({ type: 'asset', fileName: guidesName, source: guides });
    const shell = readFileSync('src/console/index.html', 'utf8');
    const source = shell.replaceAll(/%(\w+)%/g, (_, name) => `/console/${names[name]}`);
    this.emitFile({ type: 'asset', fileName: 'index.html', source });
  },
};

const HASHED = { entryFileNames: '[name]-[hash].js', assetFileNames: '[name]-[hash][extname]' };
const CONSOLE = {
  input: { console: 'src/console/main.tsx' },
  platform: 'browser',
  tsconfig: 'src/console/tsconfig.json',
  plugins: [NOTICES, CONSOLE_FILES],
  resolve: RESOLVE,
  transform: { target: 'es2022', define: { __GUIDES__: JSON.stringify(guidesName) } },
  output: { dir: 'dist/console', format: 'esm', minify: true, comments: false, ...HASHED },
};

rmSync('dist', { recursive: true, force: true });
if (process.argv[2] === '--dev') develop();
else {
  await build([COMMANDS, CONSOLE]);
  await buildLibrary();
  buildTypes();
  const sorted = [...notices].sort((a, b) => (a < b ? -1 : 1));
  const head = 'The files in this directory contain code from these packages.\n';
  writeFileSync('dist/NOTICES.txt', [head, ...sorted].join('\n'));
}

/** Bundles the library into one CommonJS file: Jest rejects import(), and several files could load copies. */
async function buildLibrary() {
  const runners = { jest: 'src/testing/expect/jest.ts', vitest: 'src/testing/expect/vitest.ts' };
  const library = { index: 'src/index.ts', testing: 'src/testing/index.ts' };
  const signing = { signing: 'src/signing/index.ts' };
  const inOne = { groups: [{ name: 'library', test: /^(?!.*expect.(?:jest|vitest)\.ts$)/ }] };
  const cjs = { format: 'cjs', dir: 'dist/cjs' };
  // Runs the framework at its first use, because it needs the global Request.
  const lazily = { ...cjs, codeSplitting: inOne, strictExecutionOrder: true };
  await build([forNode({ ...library, ...runners }, lazily), forNode(signing, cjs)]);
  // import and require share this file, so both get the same classes.
  for (const name of Object.keys({ ...library, ...signing })) {
    const names = Object.keys((await import(`./dist/cjs/${name}.cjs`)).default).join(', ');
    const text = `import all from './cjs/${name}.cjs';\nexport const { ${names} } = all;\n`;
    writeFileSync(`dist/${name}.js`, text);
  }
  const resolveId = (id) => (id === './matchers.js' ? { id: './testing.js', external: true } : null);
  await build(forNode(runners, { plugins: [{ name: 'shared', resolveId }] }));
}

/** Writes the type declarations reachable from the entries, for import and require. */
function buildTypes() {
  tsc('tsconfig.build.json');
  writeOutShapes();
  const RELATIVE = /\b(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)\.js['"]/g;
  const entries = Object.values(exports).flatMap((entry) => entry.import?.types ?? []);
  const reached = new Set(entries.map(posix.normalize));
  for (const file of reached) {
    const text = readFileSync(file, 'utf8');
    for (const [, to] of text.matchAll(RELATIVE)) reached.add(posix.join(file, '..', `${to}.d.ts`));
    const forRequire = text.replaceAll(RELATIVE, (found) => found.replace(/\.js(['"])$/, '.cjs$1'));
    writeFileSync(file.replace(/ts$/, 'cts'), forRequire);
  }
  const all = readdirSync('dist/types', { recursive: true }).map((name) => `dist/types/${name}`);
  for (const file of all) if (file.endsWith('.d.ts') && !reached.has(file)) rmSync(file);
}

/** Expands the types in src/public-types.ts with tsc, and refers to them by their published names. */
function writeOutShapes() {
  const source = readFileSync('src/public-types.ts', 'utf8');
  const ALIAS = /^export type (\w+) = (.+);$/gm;
  const words = '[Type] extends [string] ? keyof { [Name in Type & string]: 0 }';
  const infer = `declare function infer<Type>(): ${words} : { [Name in keyof Type]: Type[Name] };\n`;
  const constants = source.replaceAll(ALIAS, 'export const $1 = infer<$2>();');
  const files = ['public-types.ts', '../../src/globals.d.ts'];
  const compilerOptions = { rootDir: '../..', outDir: '.' };
  const config = { extends: '../../tsconfig.build.json', compilerOptions, files, include: [] };
  mkdirSync('dist/written');
  writeFileSync('dist/written/public-types.ts', infer + constants.replaceAll("from './", "from '../../src/"));
  writeFileSync('dist/written/tsconfig.json', JSON.stringify(config));
  tsc('dist/written');
  const written = readFileSync('dist/written/dist/written/public-types.d.ts', 'utf8')
    .replaceAll(/^import .+\n/gm, '')
    .replaceAll(/^export declare const (\w+): /gm, 'export type $1 = ');
  const named = (text, [, name, original]) => text.replaceAll(original, name);
  writeFileSync('dist/types/public-types.d.ts', [...source.matchAll(ALIAS)].reduce(named, written));
  rmSync('dist/written', { recursive: true });
}

/** Builds and starts the sandbox, and restarts it after changes until it exits, e.g. after `sandbox stop`. */
function develop() {
  let sandbox;
  const start = () => {
    const words = ['bin/sandbox.js', 'start', ...process.argv.slice(3)];
    sandbox = spawn(process.execPath, words, { stdio: 'inherit' });
    sandbox.once('exit', (code) => (sandbox.isReplaced ? start() : process.exit(code ?? 1)));
  };
  let isBroken;
  watch([COMMANDS, CONSOLE]).on('event', ({ code, error }) => {
    isBroken = code !== 'START' && (isBroken || code === 'ERROR');
    if (code === 'ERROR') console.error(`dev: waiting for a change in src.\n${error.message}`);
    if (code !== 'END' || isBroken) return;
    if (sandbox) sandbox.isReplaced = sandbox.kill('SIGTERM');
    else start();
  });
  for (const signal of ['SIGINT', 'SIGTERM']) {
    // A terminal sends Ctrl-C to the sandbox directly.
    const isShared = signal === 'SIGINT' && process.stdin.isTTY;
    process.on(signal, () => (sandbox === undefined ? process.exit(1) : isShared || sandbox.kill(signal)));
  }
}
