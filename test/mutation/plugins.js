// What Stryker lacks, as plugins of it: a checker that keeps to the draw, and a test runner that notices a broken import.
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { keyOf } from './mutants.js';
import { pathIn } from './stryker.js';

const { VitestTestRunner } = await import(
  pathToFileURL(pathIn('vitest-runner', 'dist/src/vitest-test-runner.js')).href
);

/** Turns away what was not drawn. Stryker's ranges of lines cannot: a mutant of a whole function has others within it. */
class DrawnChecker {
  static inject = ['options'];

  constructor({ drawn }) {
    this.drawn = new Set(drawn);
  }

  async init() {}

  async check(mutants) {
    const isDrawn = (mutant) => {
      const file = relative(process.cwd(), mutant.fileName).replaceAll(sep, '/');
      return this.drawn.has(keyOf(mutant, file));
    };
    return Object.fromEntries(
      mutants.map((mutant) => [
        mutant.id,
        isDrawn(mutant) ? { status: 'passed' } : { status: 'compileError', reason: 'not drawn' },
      ]),
    );
  }
}

const isKill = ({ status, tests = [] }) => status !== 'complete' || tests.some((test) => test.status === 1);

/** The folder of the tests of a file, with `/` at its end. */
function folderOfTests(file) {
  const source = relative(process.cwd(), file).replaceAll(sep, '/');
  return `${dirname(source.replace(/^src\//, 'test/'))}/`;
}

/**
 * Runs the tests beside a mutant first, and the others only when these did not notice it.
 * A file that cannot be loaded has no tests, and Stryker's runner would call its mutant unnoticed.
 */
class LoadingTestRunner extends VitestTestRunner {
  async mutantRun(options) {
    this.near = folderOfTests(options.sandboxFileName);
    return super.mutantRun(options);
  }

  async run({ testIds = [], ...others }) {
    if (this.near === undefined) return this.runLoading(others);
    const isNear = (id) => relative(process.cwd(), id).replaceAll(sep, '/').startsWith(this.near);
    const [near, far] = [testIds.filter(isNear), testIds.filter((id) => !isNear(id))];
    if (testIds.length > 0 && (near.length === 0 || far.length === 0)) {
      return this.runLoading({ testIds, ...others });
    }
    const files = testIds.length > 0 ? undefined : filesIn(this.near);
    if (files?.length === 0) return this.runLoading(others);
    const first = await this.runLoading(
      files === undefined ? { testIds: near, ...others } : { testFiles: files, ...others },
    );
    if (isKill(first)) return first;
    const rest = await this.runLoading(files === undefined ? { testIds: far, ...others } : others);
    return rest.status === 'complete' ? { ...rest, tests: [...first.tests, ...rest.tests] } : rest;
  }

  async runLoading(options) {
    const result = await super.run(options);
    if (result.status !== 'complete') return result;
    const unloaded = this.ctx.state
      .getFiles()
      .filter(({ result: ended, tasks }) => ended?.state === 'fail' && tasks.length === 0)
      .map(({ filepath, result: ended }) => ({
        id: `${relative(process.cwd(), filepath).replaceAll(sep, '/')}#`,
        name: 'can be loaded',
        timeSpentMs: 0,
        status: 1,
        failureMessage: ended.errors?.[0]?.message ?? 'It cannot be loaded.',
      }));
    return { ...result, tests: [...result.tests, ...unloaded] };
  }
}

function filesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .filter((name) => /\.test\.(?:ts|js)$/.test(name))
    .map((name) => join(process.cwd(), folder, name));
}

function newRunner(injector) {
  // The name under which the instrumented code finds its mutant.
  return injector.provideValue('globalNamespace', '__stryker__').injectClass(LoadingTestRunner);
}
newRunner.inject = ['$injector'];

/** Says each mutant that no test noticed as soon as that is known: a run takes an hour, and may be stopped. */
class MissedReporter {
  onMutantTested({ status, fileName, location, mutatorName, replacement }) {
    if (status !== 'Survived' && status !== 'NoCoverage') return;
    const { line, column } = location.start;
    const file = relative(process.cwd(), fileName).replaceAll(sep, '/');
    console.log(`\n${status}: ${file}:${line}:${column} ${mutatorName} → ${replacement}`);
  }
}

export const strykerPlugins = [
  { kind: 'Reporter', name: 'missed', injectableClass: MissedReporter },
  { kind: 'Checker', name: 'drawn', injectableClass: DrawnChecker },
  { kind: 'TestRunner', name: 'loading', factory: newRunner },
];
