import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Project, TestRunner } from './project.js';
import type { Template } from './receiver.js';

type Written = Exclude<TestRunner, 'none'>;

/** A test that passes if the application runs, accepts a signed webhook and refuses a forged one. */
export function firstTest({ folder, isModule }: Project, runner: Written): Template {
  const has = (name: string) => existsSync(join(folder, name));
  const tests = has('tests') && !has('test') ? 'tests' : 'test';
  const ending = has('tsconfig.json') ? 'ts' : 'mjs';
  switch (runner) {
    case 'pytest':
      return { from: 'init/pytest.py', path: `${has('test') ? 'test' : 'tests'}/test_pix_sandbox.py` };
    case 'jest':
      // Jest looks for .js and .ts alone, and loads CommonJS where package.json does not say otherwise.
      return { from: `init/jest.${isModule ? 'mjs' : 'cjs'}`, path: `${tests}/pix-sandbox.test.js` };
    case 'vitest':
    case 'bun':
      return { from: `init/${runner}.mjs`, path: `${tests}/pix-sandbox.test.${ending}` };
    default:
      // Not every Node that is supported runs TypeScript.
      return { from: `init/${runner}.mjs`, path: `${tests}/pix-sandbox.test.mjs` };
  }
}

/** What runs one test file. */
export function testCommand({ framework }: Project, runner: Written, path: string): string {
  const commands: Record<Written, string> = {
    vitest: `npx vitest run ${path}`,
    // The settings of a new Nest project look for .spec.ts in src alone.
    jest: `npx jest ${framework === 'nestjs' ? `--rootDir . --testRegex ${basename(path)}` : path}`,
    mocha: `npx mocha ${path}`,
    ava: `npx ava ${path}`,
    node: `node --test ${path}`,
    bun: `bun test ${path}`,
    pytest: `python3 -m pytest ${path}`,
  };
  return commands[runner];
}
