import { expect, test } from 'vitest';
import { calledAs } from '../../../src/cli/program/called-as.js';

/** What package managers set for what they run, as seen with npm 11, pnpm 9, Yarn 1 and 4, and Bun 1. */
const BY = {
  npx: (line: string) => ({
    npm_config_user_agent: 'npm/11.19.1 node/v20.20.2 linux x64 workspaces/false',
    npm_command: 'exec',
    npm_lifecycle_event: 'npx',
    npm_lifecycle_script: line,
  }),
  npmRun: {
    npm_config_user_agent: 'npm/11.19.1 node/v20.20.2 linux x64 workspaces/false',
    npm_command: 'run',
    npm_lifecycle_script: 'pix-sandbox start',
  },
  pnpm: { npm_config_user_agent: 'pnpm/9.15.9 npm/? node/v20.20.2 linux x64', npm_command: 'run-script' },
  yarn: {
    npm_config_user_agent: 'yarn/1.22.22 npm/? node/v20.20.2 linux x64',
    npm_lifecycle_event: 'sandbox',
  },
  yarn4: {
    npm_config_user_agent: 'yarn/4.18.1 npm/? node/v20.20.2 linux x64',
    PROJECT_CWD: '/home/ana/shop',
  },
  bunx: {
    npm_config_user_agent: 'bun/1.4.5 npm/? node/v26.3.0 linux x64',
    npm_command: 'exec',
    npm_lifecycle_script: 'sandbox',
  },
};

const CLONE = { npm_package_name: 'pix-sandbox' };

const SHOP = '/home/ana/shop';
const LOCAL = `${SHOP}/node_modules/.bin/sandbox`;
const GLOBAL = '/usr/local/bin/sandbox';
const YARN_CACHE =
  '/home/ana/.yarn/berry/cache/pix-sandbox-npm-0.1.0.zip/node_modules/pix-sandbox/bin/sandbox.js';

test.each([
  ['npx sandbox', BY.npx("'sandbox'"), LOCAL],
  ['npx sandbox', BY.npx('sandbox'), GLOBAL],
  ['npx sandbox', BY.npx('"sandbox" "start"'), `${SHOP}/node_modules/pix-sandbox/bin/sandbox.js`],
  ['npx sandbox', BY.npmRun, LOCAL],
  ['npx sandbox', {}, LOCAL],
  ['npx sandbox', {}, '/home/ana/shop/packages/api/node_modules/.bin/sandbox'],
  ['npx pix-sandbox', BY.npx("'pix-sandbox'"), `${SHOP}/node_modules/.bin/pix-sandbox`],
  ['npx pix-sandbox', BY.npx("'pix-sandbox'"), `${SHOP}/node_modules/pix-sandbox/bin/sandbox.js`],
  // Without a project, `npx sandbox` would be another program.
  ['npx pix-sandbox', BY.npx("'pix-sandbox'"), '/home/ana/.npm/_npx/af18/node_modules/.bin/pix-sandbox'],
  ['npx pix-sandbox', BY.npx("'sandbox'"), '/home/ana/.npm/_npx/af18/node_modules/.bin/sandbox'],
  // In a clone, where npm names the package itself.
  ['npx sandbox', { ...BY.npx("'sandbox'"), ...CLONE }, '/home/ana/.npm/_npx/37/node_modules/.bin/sandbox'],
  [
    'npx pix-sandbox',
    { ...BY.npx("'pix-sandbox'"), ...CLONE },
    '/home/ana/.npm/_npx/37/node_modules/.bin/pix-sandbox',
  ],
  [
    'npx sandbox',
    { ...BY.npmRun, npm_lifecycle_script: 'node build.dev.js', ...CLONE },
    '/home/ana/pix/bin/sandbox.js',
  ],
  ['pnpm sandbox', BY.pnpm, LOCAL],
  ['pnpm sandbox', BY.pnpm, `${SHOP}/node_modules/pix-sandbox/bin/sandbox.js`],
  [
    'pnpm dlx pix-sandbox',
    BY.pnpm,
    '/home/ana/.cache/pnpm/dlx/e7/1a/node_modules/pix-sandbox/bin/sandbox.js',
  ],
  ['yarn sandbox', BY.yarn, LOCAL],
  ['yarn sandbox', BY.yarn4, YARN_CACHE],
  ['yarn dlx pix-sandbox', { ...BY.yarn4, PROJECT_CWD: '/tmp/xfs-80/dlx-4711' }, YARN_CACHE],
  ['bunx sandbox', BY.bunx, LOCAL],
  ['bunx pix-sandbox', BY.bunx, '/tmp/bunx-0-pix-sandbox@latest/node_modules/.bin/pix-sandbox'],
  ['sandbox', {}, GLOBAL],
  ['pix-sandbox', {}, '/usr/local/bin/pix-sandbox'],
  // A test runner that npx started calls a global one.
  ['sandbox', BY.npx("'vitest'"), GLOBAL],
  ['sandbox', BY.pnpm, GLOBAL],
  ['sandbox', {}, 'C:\\Users\\Ana\\AppData\\Roaming\\npm\\node_modules\\pix-sandbox\\bin\\sandbox.js'],
  // A checkout, and what no rule knows.
  ['npx sandbox', {}, '/home/ana/pix/bin/sandbox.js'],
  ['npx sandbox', { npm_config_user_agent: 'constructor/1' }, LOCAL],
  ['npx sandbox', { npm_config_user_agent: '' }, LOCAL],
])('is %s by %j from %s', (program, env, script) => {
  for (const cwd of [SHOP, `${SHOP}/src`]) expect(calledAs({ env, script, cwd })).toBe(program);
});

test('is found in the project of Windows, too', () => {
  const script = 'C:\\shop\\node_modules\\pix-sandbox\\bin\\sandbox.js';
  expect(calledAs({ env: BY.pnpm, script, cwd: 'C:\\shop\\src' })).toBe('pnpm sandbox');
  expect(calledAs({ env: {}, script, cwd: 'C:\\shop' })).toBe('npx sandbox');
});
