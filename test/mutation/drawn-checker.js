// A plugin of Stryker's: turns away every mutant that was not drawn. Its ranges of lines cannot say that, because a mutant
// of a whole function has others within it.
import { relative, sep } from 'node:path';
import { keyOf } from './mutants.js';

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

export const strykerPlugins = [{ kind: 'Checker', name: 'drawn', injectableClass: DrawnChecker }];
