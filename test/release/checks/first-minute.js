import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../harness/free-port.js';
import { run, start } from '../harness/commands.js';
import { Missing, npmCode } from '../harness/missing.js';

const MOST_SECONDS = 60;
const SANDBOX = ['npx', '--no', 'sandbox'];

/** An application of the user: what npm installs for it, how it gets into its folder, and how it is run. */
const APPLICATIONS = [
  {
    name: 'node',
    packages: ['standardwebhooks@1'],
    write: (home, pack, port) => {
      const [, code] = /```js receiver\.mjs\n([^]*?)```/.exec(readFileSync(join(pack, 'README.md'), 'utf8'));
      writeFileSync(join(home, 'receiver.mjs'), code.replace('3000', port));
    },
    serve: ['node', 'receiver.mjs'],
  },
  {
    name: 'python',
    packages: [],
    program: 'python3',
    write: (home, pack) =>
      copyFileSync(join(pack, 'fixtures/guides/receivers/receiver.py'), join(home, 'receiver.py')),
    serve: ['python3', 'receiver.py'],
  },
];

/** A check for each language: from an empty folder to a delivery that the user's own receiver verified. */
export const firstMinutes = APPLICATIONS.map((application) => ({
  name: `minute ${application.name}`,
  check: (release) => firstMinute(application, release),
}));

async function firstMinute({ name, packages, program, write, serve }, { folder, env, tarball, packageJson }) {
  const home = join(folder, `first-minute-${name}`);
  mkdirSync(home);
  const port = String(await freePort());
  const options = { cwd: home, env };
  if (program !== undefined) {
    await run([program, '--version'], options).catch(() => {
      throw new Missing(`There is no ${program} here.`);
    });
  }
  const commands = [
    ['npm', 'install', '--save-dev', '--prefer-offline', '--fetch-retries=0', tarball, ...packages],
    // The port that users have by default may be taken here.
    [...SANDBOX, 'start', '--port', '0', '--forward-to', `${port}/webhooks`],
    [...SANDBOX, 'trigger', 'pix.settled'],
  ];
  const [install, begin, trigger] = commands;
  const startedAt = performance.now();
  await run(install, options).catch((error) => {
    throw packages.length === 0 ? error : new Missing(`npm could not bring ${packages}: ${npmCode(error)}`);
  });
  write(home, join(home, 'node_modules', packageJson.name), port);
  const sandbox = start(begin, options);
  let application;
  try {
    // The user gives the application what the sandbox shows.
    const [SANDBOX_WEBHOOK_SECRET] = /whsec_\S+/.exec(await sandbox.heard('SANDBOX_WEBHOOK_SECRET'));
    application = start(serve, { ...options, env: { ...env, SANDBOX_WEBHOOK_SECRET, PORT: port } });
    await application.heard('Waiting for webhooks');
    assert.match(await run(trigger, options), /^ +DELIVERED +200 /m, 'What trigger says');
    assert.equal(await application.heard('pix.settled'), 'pix.settled charge-1', 'What the receiver says');
    const seconds = (performance.now() - startedAt) / 1000;
    const forged = await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', body: '{}' });
    assert.equal(forged.status, 400, 'The answer to a forgery');
    const took = `${commands.length} commands and ${seconds.toFixed(1)} s to a delivery that ${serve.join(' ')} verified`;
    assert.ok(seconds <= MOST_SECONDS, `Expected at most ${MOST_SECONDS} s; got ${took}.`);
    return took;
  } finally {
    await application?.stop();
    await sandbox.stop();
  }
}
