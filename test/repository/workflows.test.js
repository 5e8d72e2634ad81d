import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { workflowMistakes } from '../helpers/workflow-problems.js';
import { nodesToCheck } from '../release/checks/nodes.js';

const FOLDER = '.github/workflows';
const NAMES = readdirSync(FOLDER);

test('GitHub accepts the workflows, but not an unknown machine or permission', async () => {
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
  expect(await workflowMistakes(texts)).toEqual([
    ...NAMES.map(() => []),
    [
      expect.stringMatching(/^3: unknown permission scope "id-toke"/),
      expect.stringMatching(/^6: label "ubuntu-lates" is unknown/),
    ],
  ]);
});

test.each(NAMES)('%s uses every action by its commit, and names its version', (name) => {
  const used = Array.from(read(name).matchAll(/\buses: (.*)$/gm), ([, action]) => action);
  expect(used).not.toEqual([]);
  for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test.each(NAMES)('%s has read permission by default, and has a time limit', (name) => {
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

test('the versions of Node are those that the package supports', () => {
  const majors = nodesToCheck(packageJson.engines.node).map((version) => version.split('.')[0]);
  expect(read('ci.yml')).toContain(`node: [${majors.join(', ')}]`);
});

function read(name) {
  return readFileSync(join(FOLDER, name), 'utf8');
}
