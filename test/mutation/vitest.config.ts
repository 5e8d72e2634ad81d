import { defineConfig } from 'vitest/config';
import config from '../../vitest.config.js';

/** The tests of what is mutated and of the doors right above it. Others come to it through much else, and take long. */
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
];

/** Minutes of walks through everything: they would be run for nearly every mutant. */
const LONG = ['test/core/world.test.ts', 'test/http/server/soak-short.test.ts'];

/** The project of this name as it is, but without what is too far away or too long. */
function projectOf(name: string) {
  const project = config.test?.projects?.find(
    (project) => typeof project === 'object' && 'test' in project && project.test?.name === name,
  );
  if (typeof project !== 'object' || !('test' in project)) {
    throw new Error(`Expected vitest.config.ts to have a project ${name}.`);
  }
  const { test } = project;
  const include = name === 'unit' ? TESTED.map((room) => `test/${room}/**/*.test.ts`) : test?.include;
  return {
    define: config.define,
    test: { ...test, include, exclude: [...(test?.exclude ?? []), ...LONG] },
  };
}

export default defineConfig({ test: { projects: [projectOf('unit'), projectOf('replacing')] } });
