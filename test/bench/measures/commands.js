import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import {
  childEnv,
  processFile,
  residentMb,
  starter,
  startSandbox,
  startServer,
} from '../harness/children.js';
import { inPairs } from '../harness/statistics.js';
import { ratioRow } from '../harness/table.js';

export const title = 'commands against node -e 0, and start against a bare node:http server';

/** How many times the time of the compared build a command may take. */
const MOST_AGAINST = process.versions.node.startsWith('20.') ? 1.6 : 1.25;
const COMMANDS = [
  ['--version'],
  ['--help'],
  ['status'],
  ['trigger', 'pix.settled'],
  ['charges', 'list'],
  ['exec', '--', 'true'],
];
const ms = (value) => `${value.toFixed(0)} ms`;

/** @param {import('../run.js').Bench} bench */
export async function measure(bench) {
  // The commands find it by its run file, as a user's do.
  const sandbox = await startSandbox(bench);
  const rounds = bench.quick ? 5 : 15;
  const rows = [];
  for (const words of COMMANDS) {
    const name = words.join(' ');
    const ours = run(bench, [starter(), ...words]);
    rows.push(ratioRow({ name, pairs: await inPairs(rounds, ours, run(bench, ['-e', '0'])), show: ms }));
    if (bench.against === undefined) continue;
    const pairs = await inPairs(rounds, ours, run(bench, [starter(bench.against), ...words]));
    rows.push(ratioRow({ name: `${name}, to the other build`, pairs, show: ms, most: MOST_AGAINST }));
  }
  await sandbox.stop();
  return [...rows, ...(await starts(bench, rounds))];
}

/** Returns a function that runs node with these arguments and resolves to the milliseconds it took. */
function run(bench, args) {
  return async () => {
    const startedAt = performance.now();
    const options = { cwd: bench.folder, env: childEnv(bench), encoding: 'utf8' };
    const { status, stderr } = spawnSync(process.execPath, args, options);
    const tookMs = performance.now() - startedAt;
    if (status !== 0) throw new Error(`Expected node ${args.join(' ')} to succeed; got ${status}: ${stderr}`);
    return tookMs;
  };
}

/** From spawn to the ready line and to the first 200, and the memory then. */
async function starts(bench, rounds) {
  const readyMs = { ours: [], bare: [], other: [] };
  const memoryMb = { ours: [], bare: [], other: [] };
  const time = (side, start) => async () => {
    const startedAt = performance.now();
    const server = await start();
    readyMs[side].push(performance.now() - startedAt);
    await checkLive(server.ready.url);
    const tookMs = performance.now() - startedAt;
    memoryMb[side].push(residentMb(server.pid));
    await server.stop();
    return tookMs;
  };
  const pairsOf = (values, side) =>
    values[side].map((yardstick, index) => ({ ours: values.ours[index], yardstick }));
  const ours = time('ours', () => startSandbox(bench));
  const bare = time('bare', () => startServer(bench, [processFile('bare-server.js')]));
  const rows = [ratioRow({ name: 'start to first 200', pairs: await inPairs(rounds, ours, bare), show: ms })];
  const mb = (value) => `${value.toFixed(1)} MB`;
  rows.push(ratioRow({ name: 'memory when ready', pairs: pairsOf(memoryMb, 'bare'), show: mb }));
  if (bench.against === undefined) return rows;
  const other = time('other', () => startSandbox(bench, [], bench.against));
  readyMs.ours.length = 0;
  const pairs = await inPairs(rounds, ours, other);
  const ready = pairsOf(readyMs, 'other').slice(1);
  return [
    ...rows,
    ratioRow({ name: 'start until ready, to the other build', pairs: ready, show: ms, most: MOST_AGAINST }),
    ratioRow({ name: 'start to first 200, to the other build', pairs, show: ms }),
  ];
}

async function checkLive(url) {
  const [response] = await once(get(`${url}/_sandbox/livez`, { agent: false }), 'response');
  response.resume();
  await once(response, 'end');
  if (response.statusCode !== 200) throw new Error(`Expected 200 from ${url}, got ${response.statusCode}.`);
}
