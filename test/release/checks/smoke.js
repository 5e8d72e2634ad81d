import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, start } from '../harness/commands.js';
import { withNode } from '../harness/release.js';

const USER_FILES = fileURLToPath(new URL('../user', import.meta.url));
/** An exit code that nothing but the command itself can have. */
const EXIT_CODE = 42;

/**
 * The main job, by real processes in the folder where the package is installed, as a user types it.
 * @param {import('../harness/release.js').Release} release
 */
export function smokeByNpx(release) {
  return smoke(release, process.execPath, ['npx', '--no', '--offline', 'sandbox']);
}

/**
 * The same on another Node.
 * @param {import('../harness/release.js').Release} release
 * @param {string} node the path of its binary
 */
export function smokeOn(release, node) {
  const { userFolder, packageJson } = release;
  const bin = join(userFolder, 'node_modules', packageJson.name, packageJson.bin.sandbox);
  return smoke(release, node, [node, bin]);
}

async function smoke({ env, userFolder, packageJson }, node, sandbox) {
  cpSync(USER_FILES, userFolder, { recursive: true });
  const options = { cwd: userFolder, env: withNode(env, node) };
  const started = [];
  const open = (command, more = {}) => {
    const one = start(command, { ...options, ...more });
    started.push(one);
    return one;
  };
  try {
    const server = open([...sandbox, 'start', '--port', '0', '--json', '--quiet']);
    const { value: ready } = await server.next();
    assert.equal(ready.version, packageJson.version, 'The version that answers');
    await deliver(sandbox, options, open, ready.env);
    await run([...sandbox, 'stop', '--json'], options);
    await server.ended();
  } finally {
    for (const one of started) await one.stop();
  }
  const exits = `process.exit(process.env.SANDBOX_URL ? ${EXIT_CODE} : 1)`;
  await run([...sandbox, 'exec', '--quiet', '--', 'node', '-e', exits], options, EXIT_CODE);
  const used = JSON.parse(await run([node, 'library.js'], options));
  assert.deepEqual({ ...used, node: '' }, { node: '', type: 'pix.settled', amount: '10.00' }, 'The library');
  const required = JSON.parse(await run([node, 'required.cjs'], options));
  assert.deepEqual(required, { type: 'pix.settled', amount: '10.00', hasKey: true }, 'What require gives');
  return `start, listen, trigger, verify, stop, exec and the library work on Node ${used.node}`;
}

/** One event from `trigger` through `listen` to a receiver that verifies it, and `verify` thinks the same of it. */
async function deliver(sandbox, options, open, sandboxEnv) {
  const receiver = open([process.execPath, 'receiver.js'], { env: { ...options.env, ...sandboxEnv } });
  const { value: listening } = await receiver.next();
  const target = `http://127.0.0.1:${listening.port}/webhooks`;
  const listener = open([...sandbox, 'listen', '--forward-to', target, '--json']);
  assert.equal((await listener.next()).value.type, 'ready', 'The first line of listen');

  const triggered = JSON.parse(await run([...sandbox, 'trigger', 'pix.settled', '--json'], options));
  assert.deepEqual(
    triggered.deliveries.map(({ status }) => status),
    ['DELIVERED'],
    'What became of the event',
  );
  const heard = await receiver.next();
  assert.deepEqual(heard.value, { verified: true, type: 'pix.settled' }, 'What the receiver says');

  const attempt = await listener.next();
  const verify = [...sandbox, 'verify', '--delivery', '-', '--json'];
  assert.equal(JSON.parse(await run(verify, { ...options, input: attempt.text })).ok, true, 'The verdict');
  const body = Buffer.from('{}').toString('base64');
  const forged = JSON.stringify({ ...attempt.value, body });
  assert.equal(JSON.parse(await run(verify, { ...options, input: forged }, 1)).ok, false, 'The verdict');
}
