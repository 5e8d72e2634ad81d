// Runs the workflow that `init` writes, as a runner of GitHub does, for a shop without a bug and for shops with one bug each.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parse } from 'yaml';
import { freePort } from '../harness/free-port.js';
import { observe, run } from '../harness/commands.js';
import { Missing, npmCode } from '../harness/missing.js';

const PROJECTS = join(import.meta.dirname, '../projects');
const WORKFLOW = '.github/workflows/pix-sandbox.yml';

/** The bugs of the shops, each with what an annotation says about it. */
const BUGS = {
  'no-signature-check': /unverified::.*accepted a forged |check::refuse\.unsigned: .*reject requests without/,
  'secret-as-text': /base64-decode/i,
  'reserialized-body': /[Ss]erialize once/,
  'no-deduplication': /check::dup\.\S+: .*webhook-id/,
  'other-event': /effect\.paid: .*did not change.*pix\.settled/,
};

const NODE = {
  folder: 'node',
  program: 'shop.mjs',
  start: 'node shop.mjs',
  order: 'node order.mjs {code} {amount}',
  init: ['--test', 'node'],
  manifest: { type: 'module', scripts: { test: 'node --test' } },
};

const KINDS = [
  { ...NODE, name: 'npm', install: ['npm', 'install', '--save-dev'] },
  { ...NODE, name: 'pnpm', install: ['pnpm', 'add', '--save-dev'], tool: 'pnpm' },
  {
    name: 'python',
    folder: 'python',
    program: 'shop.py',
    start: 'python3 shop.py',
    order: 'python3 order.py {code} {amount}',
    init: ['--test', 'pytest'],
    // Stands in for the registry, from which `npx --yes pix-sandbox` takes the package.
    install: ['npm', 'install', '--no-save'],
  },
];

/** A check for each kind of project. */
export const workflows = KINDS.map((kind) => ({
  name: `ci ${kind.name}`,
  check: (release) => workflow(kind, release),
}));

async function workflow(kind, release) {
  const env = await prepared(kind, release);
  const found = [];
  for (const bug of ['', ...Object.keys(BUGS)]) {
    const failure = failureOf(bug, await runJob(kind, bug, { ...release, env }));
    if (failure !== undefined) found.push(`${bug || 'no bug'}: ${failure}`);
  }
  if (found.length > 0) throw new Error(found.join('\n'));
  return `init's workflow is green for a correct shop, and red with the cause for ${Object.keys(BUGS).length} bugs`;
}

/** Why what a job printed is not what is expected of a shop with the bug; undefined if it is. */
function failureOf(bug, { failed, output, summary }) {
  const annotations = output.split('\n').filter((line) => line.startsWith('::error'));
  const told = `\n${annotations.join('\n') || output.split('\n').slice(-40).join('\n')}`;
  if (bug === '') {
    if (failed.length > 0) return `expected every step to pass; failed: ${failed.join(', ')}${told}`;
    return summary.includes('exec passed') ? undefined : `expected a summary; got ${summary || 'none'}`;
  }
  if (failed.length === 0) return 'expected a step to fail; all passed';
  return annotations.some((line) => BUGS[bug].test(line))
    ? undefined
    : `expected an annotation that matches ${BUGS[bug]}; got${told}`;
}

/** The environment with the tools that GitHub's machines have, or that its actions install. */
async function prepared({ name, tool }, { folder, env }) {
  const home = join(folder, `ci-${name}`);
  const bin = join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  const withBin = { ...env, PATH: `${bin}${delimiter}${env.PATH}` };
  if (name === 'python') {
    // Where `pip install` of the workflow may install to, as after actions/setup-python.
    try {
      await run(['python3', '-m', 'venv', join(home, 'venv')], { cwd: home, env });
    } catch (error) {
      throw new Missing(`There is no python3 with venv here: ${error.message}`);
    }
    return { ...env, PATH: `${join(home, 'venv', 'bin')}${delimiter}${env.PATH}` };
  }
  if (tool === undefined) return env;
  try {
    await run(['npm', 'install', '--prefix', home, '--prefer-offline', '--fetch-retries=0', `${tool}@10`], {
      cwd: home,
      env,
    });
  } catch (error) {
    throw new Missing(`npm could not bring ${tool}: ${npmCode(error)}`);
  }
  // Enabling corepack would change this machine, and the tool is there already.
  writeFileSync(join(bin, 'corepack'), '#!/bin/sh\n', { mode: 0o755 });
  return { ...withBin, PATH: `${join(home, 'node_modules', '.bin')}${delimiter}${withBin.PATH}` };
}

/** Sets up a project with the bug, and runs the steps of its job in order. */
async function runJob(kind, bug, { folder, env, tarball }) {
  const cwd = join(folder, `ci-${kind.name}`, bug || 'correct');
  const port = String(await freePort());
  const options = { cwd, env };
  writeProject(kind, { cwd, bug, port });
  await run([...kind.install, tarball], options);
  const npx = ['npx', '--no', '--offline', 'pix-sandbox'];
  const known = ['--start', kind.start, '--order', kind.order];
  const probe = ['--probe', `http://localhost:${port}/orders/{code}`];
  const init = ['init', '--yes', '--ci', 'github', '--framework', 'none', ...kind.init];
  await run([...npx, ...init, '--forward-to', `${port}/webhooks`, ...known, ...probe], options);
  const { jobs } = parse(readFileSync(join(cwd, WORKFLOW), 'utf8'));
  const summary = join(cwd, 'summary.md');
  writeFileSync(summary, '');
  const onGitHub = { ...env, CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary };
  const failed = [];
  let output = '';
  for (const { run: script, if: condition = 'success()' } of jobs.test.steps) {
    if (script === undefined || (failed.length > 0 && !condition.includes('!cancelled()'))) continue;
    const ran = await observe(['bash', '-e', '-c', script], { cwd, env: onGitHub });
    output += `${ran.stdout}\n${ran.stderr}\n`;
    if (ran.exitCode !== 0) failed.push(script);
  }
  return { failed, output, summary: readFileSync(summary, 'utf8') };
}

/** Copies the shop of a kind, with the bug in it and on a port of its own. */
function writeProject({ folder, program, manifest }, { cwd, bug, port }) {
  cpSync(join(PROJECTS, folder), cwd, { recursive: true });
  for (const name of readdirSync(cwd)) {
    const text = readFileSync(join(cwd, name), 'utf8').replaceAll('3000', port);
    writeFileSync(join(cwd, name), name === program ? text.replace("BUG = ''", `BUG = '${bug}'`) : text);
  }
  const settings = { forwardTo: [`${port}/webhooks`], 'check.without': ['withdrawals'] };
  writeFileSync(join(cwd, 'sandbox.config.json'), JSON.stringify(settings));
  if (manifest !== undefined) writeFileSync(join(cwd, 'package.json'), JSON.stringify(manifest));
}
