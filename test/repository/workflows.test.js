import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
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

test('the release adds the repository of its own job to the packed package.json', () => {
  expect(read('release.yml')).toMatch(/node \.ci\/name-repository\.js\n.*\n +npm pack/);
  const folder = mkdtempSync(join(tmpdir(), 'name-repository-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'package.json'), '{ "name": "pix-sandbox" }');
  const script = join(process.cwd(), '.ci/name-repository.js');
  const nameIn = (env) => spawnSync(process.execPath, [script], { cwd: folder, env, encoding: 'utf8' });
  const [missing, done] = [
    nameIn({}),
    nameIn({ GITHUB_SERVER_URL: 'https://git.example', GITHUB_REPOSITORY: 'team/fork' }),
  ];
  expect([missing.status, missing.stderr]).toEqual([2, expect.stringMatching(/^Expected GITHUB_SERVER_URL/)]);
  expect([done.status, done.stderr]).toEqual([0, '']);
  expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toEqual({
    name: 'pix-sandbox',
    repository: { type: 'git', url: 'git+https://git.example/team/fork.git' },
    bugs: { url: 'https://git.example/team/fork/issues' },
    homepage: 'https://git.example/team/fork#readme',
  });
});

function read(name) {
  return readFileSync(join(FOLDER, name), 'utf8');
}
