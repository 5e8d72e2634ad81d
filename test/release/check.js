// Says whether what would be published works: packs it, installs it where nothing else is, and uses it there.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { frameworks } from './checks/frameworks.js';
import { firstTests } from './checks/first-tests.js';
import { arethetypeswrong, lint } from './checks/linters.js';
import { install, notices, paths } from './checks/install.js';
import { everyCommandOn } from './checks/every-command.js';
import { bringNode, nodesToCheck } from './checks/nodes.js';
import { openapi } from './checks/openapi.js';
import { build, pack } from './checks/pack.js';
import { runners } from './checks/runners.js';
import { size } from './checks/size.js';
import { smokeByNpx, smokeOn } from './checks/smoke.js';
import { oldTypes, types } from './checks/types.js';
import { workflows } from './checks/workflows.js';
import { Missing } from './harness/missing.js';
import { newRelease } from './harness/release.js';

const USAGE = `Usage: npm run release:check -- [--update] [--files] [--require-nodes]

  --update         write the sizes down as those of this release
  --files          list every file, and not folders
  --require-nodes  fail where a version of Node cannot be had; without it that is said, and no failure`;

/** The words that the gate was called with; undefined, after saying why, when they make no sense. */
function parseWords() {
  try {
    const { values } = parseArgs({
      options: {
        update: { type: 'boolean', default: false },
        files: { type: 'boolean', default: false },
        'require-nodes': { type: 'boolean', default: false },
      },
    });
    return { isUpdate: values.update, lists: values.files, requiresNodes: values['require-nodes'] };
  } catch (error) {
    console.error(`${error.message}\n${USAGE}`);
    return undefined;
  }
}

/** Each check of the package, in an order in which the later ones can use what the earlier ones made. */
function checksOf(release, requiresNodes) {
  const nodes = nodesToCheck(release.packageJson.engines.node);
  // Bringing them takes the network's time, and meanwhile there is other work.
  const brought = bringAll(nodes, release);
  return [
    { name: 'build', check: build, isNeeded: true },
    { name: 'pack', check: pack, isNeeded: true },
    { name: 'install', check: install, isNeeded: true },
    { name: 'notices', check: notices },
    { name: 'paths', check: paths },
    { name: 'publint', check: lint },
    { name: 'attw', check: arethetypeswrong },
    { name: 'types', check: types },
    { name: 'old types', check: oldTypes },
    { name: 'size', check: size },
    { name: 'openapi', check: openapi },
    { name: 'runners', check: runners },
    { name: 'smoke', check: smokeByNpx },
    ...frameworks,
    { name: 'first tests', check: firstTests },
    ...workflows,
    ...nodes.map((version, index) => ({
      name: `node ${version}`,
      check: async () => {
        const { path, error } = await brought[index];
        if (error === undefined)
          return `${await smokeOn(release, path)}; ${await everyCommandOn(release, path)}`;
        throw requiresNodes ? new Error(error.message) : error;
      },
    })),
  ];
}

/** One after the other, and each settles: a Node may be asked for long after it failed to come. */
function bringAll(versions, release) {
  let last = Promise.resolve();
  return versions.map((version) => {
    last = last.then(async () => {
      try {
        return { path: await bringNode(version, release) };
      } catch (error) {
        return { error };
      }
    });
    return last;
  });
}

function print(verdict, name, startedAt, text) {
  const seconds = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
  const [first, ...others] = text.split('\n');
  console.log(`${verdict.padEnd(12)}${name.padEnd(14)}${seconds.padStart(6)}  ${first}`);
  for (const line of others) console.log(`${' '.repeat(14)}${line}`);
}

/** Runs the checks; resolves to the exit code. */
async function check(checks, release) {
  const startedAt = performance.now();
  const failed = [];
  const notChecked = [];
  for (const [index, { name, check, isNeeded = false }] of checks.entries()) {
    const checkedAt = performance.now();
    try {
      print('ok', name, checkedAt, await check(release));
    } catch (error) {
      const isMissing = error instanceof Missing;
      print(isMissing ? 'NOT CHECKED' : 'FAILED', name, checkedAt, error.message);
      (isMissing ? notChecked : failed).push(name);
      if (!isNeeded) continue;
      notChecked.push(...checks.slice(index + 1).map(({ name }) => name));
      break;
    }
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const ok = checks.length - failed.length - notChecked.length;
  console.log(`\n${ok} of ${checks.length} checks are ok (${seconds} s).`);
  if (notChecked.length > 0) console.log(`NOT CHECKED: ${notChecked.join(', ')}.`);
  if (failed.length > 0) console.log(`FAILED: ${failed.join(', ')}.`);
  return failed.length === 0 ? 0 : 1;
}

const words = parseWords();
if (words === undefined) {
  process.exitCode = 2;
} else {
  const { requiresNodes, ...options } = words;
  const folder = mkdtempSync(join(tmpdir(), 'pix-sandbox-release-'));
  // Leaving by `exit` ends the children first and then removes the folder.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
  const release = newRelease(folder, options);
  // A Node that is still on its way is of no use to anybody.
  process.exit(await check(checksOf(release, requiresNodes), release));
}
