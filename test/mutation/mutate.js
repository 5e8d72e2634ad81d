// Breaks the code in one place at a time, and says which breaks no unit test notices.
import { randomInt } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { draw, keyOf, mutatedFiles } from './mutants.js';
import { reportOf, textAt } from './report.js';
import { bringStryker, loadStryker, pathIn } from './stryker.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const USAGE = `Usage: npm run mutate -- [--sample <n> | --all] [--seed <n>] [--only <path>] [--workers <n>]

  --sample <n>   how many mutants to draw; 300 unless given
  --all          every mutant, which takes many hours
  --seed <n>     draws the same mutants again; a fresh one unless given
  --only <path>  mutates what begins with this path alone, such as src/contract/money.ts
  --workers <n>  processes at a time; one for each core unless given`;

/** What was asked for. Throws Error when it makes no sense. */
function parseWords() {
  const options = Object.fromEntries(
    ['sample', 'seed', 'only', 'workers'].map((name) => [name, { type: 'string' }]),
  );
  const { values } = parseArgs({ options: { ...options, all: { type: 'boolean', default: false } } });
  const number = (name, usual) => {
    const text = values[name] ?? String(usual);
    if (/^\d{1,9}$/.test(text) && (name === 'seed' || text !== '0')) return Number(text);
    throw new Error(`Expected a whole number for --${name}; got ${JSON.stringify(text)}.`);
  };
  if (values.all && values.sample !== undefined) throw new Error('Expected --all or --sample; got both.');
  return {
    isAll: values.all,
    sample: number('sample', 300),
    seed: number('seed', randomInt(1e9)),
    only: values.only ?? '',
    workers: number('workers', availableParallelism()),
  };
}

/** Every mutant of what begins with a path, by its key. Throws Error when there is none. */
async function mutantsOf(only, Instrumenter) {
  const paths = readdirSync('src', { recursive: true }).map((name) => `src/${name.replaceAll(sep, '/')}`);
  const files = mutatedFiles(paths).filter((file) => file.startsWith(only));
  const nothing = () => {};
  const silent = { isDebugEnabled: () => false, debug: nothing, info: nothing, warn: nothing };
  const { mutants } = await new Instrumenter(silent).instrument(
    files.map((name) => ({ name, mutate: true, content: readFileSync(name, 'utf8') })),
    { plugins: null, excludedMutations: [], ignorers: [] },
  );
  if (mutants.length === 0) throw new Error(`Expected --only to begin a path that is mutated; got ${only}.`);
  return new Map(mutants.map((mutant) => [keyOf(mutant, mutant.fileName), mutant]));
}

/** What Stryker is told. `drawn` is for our checker, and its own plugin brings the schema of `vitest`. */
function optionsOf(drawn, mutants, workers, tempDirName) {
  const ranges = drawn.map((key) => {
    const { fileName, location } = mutants.get(key);
    return `${fileName}:${location.start.line + 1}-${location.end.line + 1}`;
  });
  return {
    mutate: [...new Set(ranges)],
    plugins: [pathIn('vitest-runner', 'dist/src/index.js'), join(ROOT, 'test/mutation/plugins.js')],
    checkers: ['drawn'],
    drawn,
    warnings: { unknownOptions: false },
    testRunner: 'loading',
    vitest: { configFile: 'test/mutation/vitest.config.ts' },
    coverageAnalysis: 'perTest',
    concurrency: workers,
    dryRunTimeoutMinutes: 60,
    // One process runs every test, and which mutants each reaches.
    testRunnerNodeArgs: ['--max-old-space-size=8192'],
    // A busy machine must not make a mutant look noticed; endless loops are found by counting, long before.
    timeoutMS: 30_000,
    timeoutFactor: 3,
    tempDirName,
    // It would be rewritten by an API that TypeScript 7 does not have.
    tsconfigFile: 'none',
    reporters: ['progress-append-only', 'missed'],
    logLevel: 'warn',
    allowConsoleColors: false,
  };
}

/** What became of the mutants that were drawn. */
function endsOf(results, drawn, mutants) {
  const wanted = new Set(drawn);
  return results.flatMap((result) => {
    const { start, end } = result.location;
    // Results count lines and columns from 1.
    const location = {
      start: { line: start.line - 1, column: start.column - 1 },
      end: { line: end.line - 1, column: end.column - 1 },
    };
    const file = relative(ROOT, result.fileName).replaceAll(sep, '/');
    const key = keyOf({ ...result, location }, file);
    if (!wanted.has(key)) return [];
    const mutant = mutants.get(key);
    // Nobody asked a test about it.
    const isUnasked = result.status === 'Survived' && result.testsCompleted === 0;
    const status = isUnasked ? 'RuntimeError' : result.status;
    return [{ status, mutant, original: textAt(readFileSync(file, 'utf8'), location) }];
  });
}

async function mutate({ isAll, sample, seed, only, workers }) {
  const startedAt = performance.now();
  await bringStryker();
  const { Stryker, Instrumenter } = await loadStryker();
  const mutants = await mutantsOf(only, Instrumenter);
  const keys = [...mutants.keys()];
  const drawn = isAll ? keys : draw(keys, sample, seed);
  console.log(
    isAll
      ? `All ${keys.length} mutants.`
      : `${drawn.length} of ${keys.length} mutants, drawn by --seed ${seed}.`,
  );
  const folder = mkdtempSync(join(tmpdir(), 'pix-sandbox-mutation-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const results = await new Stryker(optionsOf(drawn, mutants, workers, folder)).runMutationTest();
  const ended = endsOf(results, drawn, mutants);
  if (ended.length !== drawn.length) {
    throw new Error(`Expected to hear of ${drawn.length} mutants; heard of ${ended.length}.`);
  }
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  console.log(`\n${reportOf(ended)}; ${minutes} minutes.`);
}

process.chdir(ROOT);
try {
  await mutate(parseWords());
} catch (error) {
  console.error(error.code?.startsWith('ERR_PARSE_ARGS') ? `${error.message}\n${USAGE}` : error.message);
  process.exitCode = 1;
}
