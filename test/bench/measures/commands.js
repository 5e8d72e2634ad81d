import { spawnSync } from 'node:child_process';
import { childEnv, SANDBOX, startSandbox } from '../harness/children.js';
import { inPairs } from '../harness/statistics.js';
import { ratioRow } from '../harness/table.js';

export const title = 'commands that ask a running sandbox, and exec, against node -e 0';

/** The words of each command, and how many times the yardstick it may take. */
const COMMANDS = [
  { words: ['status'], most: 2.5 },
  { words: ['trigger', 'pix.settled'], most: 2.5 },
  { words: ['charges', 'list'], most: 2.5 },
  { words: ['exec', '--', 'true'], most: 4 },
];

/** @param {import('../run.js').Bench} bench */
export async function measure(bench) {
  const env = childEnv(bench);
  const time = (args) => async () => {
    const startedAt = performance.now();
    const { status, stderr } = spawnSync(process.execPath, args, {
      cwd: bench.folder,
      env,
      encoding: 'utf8',
    });
    const tookMs = performance.now() - startedAt;
    if (status !== 0) throw new Error(`Expected node ${args.join(' ')} to succeed; got ${status}: ${stderr}`);
    return tookMs;
  };
  // The commands find it by its run file, as a user's do.
  const sandbox = await startSandbox(bench);
  const rows = [];
  for (const { words, most } of COMMANDS) {
    const pairs = await inPairs(bench.quick ? 5 : 25, time([SANDBOX, ...words]), time(['-e', '0']));
    rows.push(ratioRow({ name: words.join(' '), pairs, show: (ms) => `${ms.toFixed(0)} ms`, most }));
  }
  await sandbox.stop();
  return rows;
}
