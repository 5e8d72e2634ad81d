import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../harness/commands.js';
import { Missing, npmCode } from '../harness/missing.js';

/** Of vitest and node --test, `npm test` has the proof. */
const RUNNERS = ['jest@30', 'mocha@11', 'ava@6'];

/**
 * In an empty project of each runner, the first test that `init` writes starts the receiver that it writes, and fails without it.
 * @param {import('../harness/release.js').Release} release
 */
export async function firstTests({ folder, env, tarball }) {
  for (const runner of RUNNERS) {
    const [name] = runner.split('@');
    const cwd = join(folder, `first-test-${name}`);
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'package.json'), '{ "private": true }\n');
    const options = { cwd, env };
    try {
      const npm = ['npm', 'install', '--save-dev', '--prefer-offline', '--fetch-retries=0'];
      await run([...npm, runner, tarball], options);
    } catch (error) {
      throw new Missing(`npm could not bring ${runner}: ${npmCode(error)}`);
    }
    const npx = ['npx', '--no', '--offline'];
    const { next } = JSON.parse(await run([...npx, 'sandbox', 'init', '--yes', '--json'], options));
    const step = next.find((command) => command.startsWith(`npx ${name} `));
    if (step === undefined) throw new Error(`Expected init to name npx ${name}; got ${next.join(', ')}`);
    const test = [...npx, ...step.split(' ').slice(1)];
    await run(test, options);
    rmSync(join(cwd, 'pix-webhooks.mjs'));
    await run(test, options, 1);
  }
  return `init's first test starts its receiver with ${RUNNERS.join(', ')}`;
}
