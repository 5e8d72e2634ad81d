import { describe, expect, test } from 'vitest';
import { detectProject } from '../../../../src/cli/commands/init/project.js';
import { tempFolder } from '../../../helpers/temp-folder.js';

describe('a project', () => {
  test.each([
    [{ dependencies: { next: '^16', react: '^19' } }, 'next'],
    [{ dependencies: { '@nestjs/core': '^12', express: '^5' } }, 'nestjs'],
    [{ dependencies: { express: '^5' } }, 'express'],
    [{ dependencies: { fastify: '^5' } }, 'fastify'],
    [{ dependencies: { koa: '^3' } }, 'node'],
    [{}, 'node'],
    [{ dependencies: ['express'] }, 'node'],
  ])('%j: %s', (manifest, framework) => {
    using folder = tempFolder();
    folder.write('package.json', JSON.stringify(manifest));
    expect(detectProject(folder.path).framework).toBe(framework);
  });

  test.each([
    ['requirements.txt', 'uvicorn==0.30\nFastAPI[standard]>=0.115 # the server', 'fastapi'],
    ['requirements-dev.txt', 'flask_cors\nflask', 'flask'],
    ['pyproject.toml', '[project]\ndependencies = ["Django>=5"]', 'none'],
    ['Pipfile', '[packages]\nrequests = "*"', 'none'],
    ['requirements.txt', 'flask-cors', 'none'],
  ])('%s %j: %s, tested by pytest', (name, text, framework) => {
    using folder = tempFolder();
    folder.write(name, text);
    expect(detectProject(folder.path)).toMatchObject({ framework, isPython: true, runner: 'pytest' });
  });

  test.each([
    [{ scripts: { test: 'vitest run' }, devDependencies: { jest: '*' } }, 'vitest'],
    [{ scripts: { test: 'cross-env CI=1 jest --ci' } }, 'jest'],
    [{ scripts: { test: 'NODE_ENV=test node --import tsx --test' } }, 'node'],
    [{ scripts: { test: 'bun test' } }, 'bun'],
    [{ scripts: { test: 'tsc && eslint .' }, devDependencies: { mocha: '^11' } }, 'mocha'],
    [{ devDependencies: { ava: '^6' } }, 'ava'],
    [{ scripts: { test: 'echo no test && exit 1' } }, 'node'],
  ])('%j is tested by %s', (manifest, runner) => {
    using folder = tempFolder();
    folder.write('package.json', JSON.stringify(manifest));
    expect(detectProject(folder.path).runner).toBe(runner);
  });

  test.each([
    ['echo "Error: no test specified" && exit 1', ''],
    ['node --test', 'node --test'],
    ['', ''],
  ])('the test script %j is read as %j', (script, testScript) => {
    using folder = tempFolder();
    folder.write('package.json', JSON.stringify({ scripts: { test: script } }));
    expect(detectProject(folder.path).testScript).toBe(testScript);
  });
});
