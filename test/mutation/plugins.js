// What Stryker lacks, as plugins of it: a checker that keeps to the draw, and a test runner that notices a broken import.
import { relative, sep } from 'node:path';
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

/** A file that cannot be loaded has no tests, and Stryker's runner would call its mutant unnoticed. */
class LoadingTestRunner extends VitestTestRunner {
  async run(options) {
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
