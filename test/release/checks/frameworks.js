import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { tryReceiver } from '../../helpers/documents/receiver-trial.js';
import { run, start } from '../harness/commands.js';
import { freePort } from '../harness/free-port.js';
import { Missing, npmCode } from '../harness/missing.js';
import { ROOT } from '../harness/release.js';

const RECEIVERS = join(ROOT, 'fixtures/guides/receivers/frameworks');
const READY = 'Waiting for webhooks at';
/** What TypeScript makes of decorators is what users of NestJS have it make. */
const NEST_OPTIONS = {
  target: 'ES2022',
  module: 'NodeNext',
  types: ['node'],
  typeRoots: [join(ROOT, 'node_modules/@types')],
  strict: true,
  skipLibCheck: true,
  experimentalDecorators: true,
};

/** Where a receiver goes in its project, how it is made ready, how it is run, and what it says then. */
const FRAMEWORKS = [
  ...['express', 'fastify', 'hono', 'koa'].map((name) => {
    const file = `${name}.mjs`;
    return { name, file, place: file, ready: READY, serve: () => ['node', file] };
  }),
  {
    name: 'nest',
    file: 'nest.ts',
    place: 'nest.ts',
    ready: READY,
    prepare: async (home, options) => {
      writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions: NEST_OPTIONS }));
      await run([process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc')], options);
    },
    serve: () => ['node', 'nest.js'],
  },
  {
    name: 'next',
    file: 'next-route.js',
    place: 'app/webhooks/route.js',
    ready: 'Ready in',
    prepare: (_home, options) => run(['npx', '--no', 'next', 'build'], options),
    serve: (port) => ['npx', '--no', 'next', 'start', '--hostname', '127.0.0.1', '--port', String(port)],
  },
];

/** A check for each framework of Node: its receiver, as users copy it, against the package. */
export const frameworks = FRAMEWORKS.map((framework) => ({
  name: framework.name,
  check: (release) => tryFramework(framework, release),
}));

async function tryFramework({ name, file, place, ready, prepare, serve }, release) {
  const home = join(release.folder, name);
  const path = join(home, place);
  mkdirSync(dirname(path), { recursive: true });
  cpSync(join(RECEIVERS, file), path);
  writeFileSync(join(home, 'package.json'), '{ "private": true, "type": "module" }\n');
  const packages = packagesOf(readFileSync(path, 'utf8'));
  const options = { cwd: home, env: { ...release.env, NEXT_TELEMETRY_DISABLED: '1' } };
  try {
    await run(['npm', 'install', '--prefer-offline', '--fetch-retries=0', ...packages], options);
  } catch (error) {
    throw new Missing(`npm could not bring ${packages.join(' ')}: ${npmCode(error)}`);
  }
  await prepare?.(home, options);
  await tryServed(name, { ready, serve, options }, release);
  const versions = packages.map((wanted) => installed(home, wanted.replace(/@[^@]*$/, '')));
  return `each delivery once, over the raw bytes, and no forgery: ${versions.join(', ')}`;
}

/** The packages that the first line of a receiver has its reader install. */
function packagesOf(code) {
  const [, packages] = /^\/\/ npm install ([^;\n]+)/.exec(code) ?? [];
  if (packages === undefined)
    throw new Error(`Expected the first line to begin "// npm install"; got ${code.slice(0, 80)}`);
  return packages.split(' ');
}

function installed(home, name) {
  const { version } = JSON.parse(readFileSync(join(home, 'node_modules', name, 'package.json'), 'utf8'));
  return `${name} ${version}`;
}

async function tryServed(name, { ready, serve, options }, { userFolder, packageJson }) {
  const require = createRequire(join(userFolder, 'package.json'));
  const { createSandbox } = require(packageJson.name);
  const { signWebhook } = require(`${packageJson.name}/signing`);
  const sandbox = await createSandbox({ seed: '7', freezeAt: '2026-01-31T12:00:00Z', port: false });
  const port = await freePort();
  const { SANDBOX_WEBHOOK_SECRET } = sandbox.env;
  const receiver = start(serve(port), {
    ...options,
    env: { ...options.env, SANDBOX_WEBHOOK_SECRET, PORT: String(port) },
  });
  try {
    await receiver.heard(ready);
    const target = `http://127.0.0.1:${port}/webhooks`;
    await tryReceiver({ name, sandbox, signWebhook, target, takesChunks: true, heard: receiver.heard });
  } finally {
    await receiver.stop();
    await sandbox.close();
  }
}
