import { defineConfig } from 'vitest/config';
import config from '../../vitest.config.js';

/** The tests of what is mutated and of what stands on it. Others come to it through much else, and take long. */
const TESTED = [
  'contract',
  'text',
  'schema',
  'core',
  'signing',
  'delivery',
  'sandbox',
  'store',
  'http',
  'testing',
  'scenario',
  'config',
  'client',
];

/** Minutes of walks through everything: they would be run for nearly every mutant. */
const LONG = ['test/core/world.test.ts', 'test/http/server/soak-short.test.ts'];

const unit = config.test?.projects?.find(
  (project) => typeof project === 'object' && 'test' in project && project.test?.name === 'unit',
);
if (typeof unit !== 'object' || !('test' in unit)) {
  throw new Error('Expected vitest.config.ts to have a project unit.');
}

/** The unit tests as they are, but without what is too far away or too long. */
export default defineConfig({
  define: config.define,
  test: {
    ...unit.test,
    include: TESTED.map((module) => `test/${module}/**/*.test.ts`),
    exclude: [...(unit.test?.exclude ?? []), ...LONG],
    setupFiles: [unit.test?.setupFiles ?? [], 'test/mutation/load-all.js'].flat(),
  },
});
