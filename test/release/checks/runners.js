// The suites of the guide, each by its runner, in a folder with the package as it was packed.
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../harness/commands.js';
import { Missing, npmCode } from '../harness/missing.js';
import { ROOT } from '../harness/release.js';

/** Too large for everybody who installs the checkout; these run on Node 20. */
const RUNNERS = ['jest@30', 'jest-environment-jsdom@30', 'vitest@4', 'mocha@11', 'ava@6', 'bun@1'];
const TYPES = ['@jest/globals@30', '@types/jest@30'];
const NPX = ['npx', '--no', '--offline', '--'];
/** A runner ends by itself only when a closed sandbox leaves nothing open. */
const COMMANDS = {
  Jest: [...NPX, 'jest', '--ci', '--detectOpenHandles', 'jest.test', 'traps.test'],
  Vitest: [...NPX, 'vitest', 'run', 'vitest.test'],
  'node:test': [process.execPath, '--test', 'node.test.mjs'],
  exec: [...NPX, 'sandbox', 'exec', '--', process.execPath, '--test', 'exec.test.mjs'],
  mocha: [...NPX, 'mocha', 'mocha.test.cjs'],
  AVA: [...NPX, 'ava', 'ava.test.mjs'],
};
const BUN = `node_modules/@oven/bun-${process.platform}-${process.arch}/bin/bun`;
const TYPED = {
  module: 'nodenext',
  moduleResolution: 'nodenext',
  target: 'es2022',
  strict: true,
  noEmit: true,
  skipLibCheck: true,
};

/**
 * Throws Missing where npm brings no runners.
 * @param {import('../harness/release.js').Release} release
 */
export async function runners(release) {
  const home = join(release.folder, 'runners');
  await bring(home, release);
  cpSync(join(ROOT, 'fixtures/guides/testing'), home, { recursive: true });
  cpSync(join(ROOT, 'test/release/user/runners'), home, { recursive: true });
  const options = { cwd: home, env: { ...release.env, CI: 'true' } };
  const commands = {
    ...COMMANDS,
    ...(existsSync(join(home, BUN)) ? { Bun: [BUN, 'test', 'bun.test.mjs'] } : {}),
  };
  for (const command of Object.values(commands)) await run(command, options);
  writeFileSync(
    join(home, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...TYPED, types: ['node', 'jest'] }, include: ['*.cts', '*.mts'] }),
  );
  await run([process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.'], options);
  return `the suites pass and end in ${Object.keys(commands).join(', ')}; the matchers have types in Jest and Vitest`;
}

async function bring(home, { env, tarball }) {
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{ "name": "runners", "private": true }\n');
  const install = ['npm', 'install', '--prefer-offline', '--fetch-retries=0', '--ignore-scripts'];
  try {
    await run([...install, tarball, ...RUNNERS, ...TYPES, '@types/node@20'], { cwd: home, env });
  } catch (error) {
    throw new Missing(`npm could not bring ${RUNNERS.join(', ')}: ${npmCode(error)}`);
  }
}
