import { spawnSync } from 'node:child_process';
import { childEnv, SANDBOX } from '../harness/children.js';
import { inPairs } from '../harness/statistics.js';
import { ratioRow } from '../harness/table.js';

export const title = 'a command run by exec against the same command alone';

/** @param {import('../run.js').Bench} bench */
export async function measure(bench) {
  const env = childEnv(bench);
  const command = [process.execPath, '-e', 'process.exitCode = 42'];
  const time =
    ([program, ...args]) =>
    async () => {
      const startedAt = performance.now();
      const { status, stderr } = spawnSync(program, args, { cwd: bench.folder, env, encoding: 'utf8' });
      const tookMs = performance.now() - startedAt;
      if (status !== 42) throw new Error(`Expected ${program} to leave with 42; got ${status}: ${stderr}`);
      return tookMs;
    };
  const pairs = await inPairs(
    bench.quick ? 4 : 15,
    time([process.execPath, SANDBOX, 'exec', '--', ...command]),
    time(command),
  );
  const added = pairs.map(({ ours, yardstick }) => ours - yardstick).toSorted((a, b) => a - b);
  bench.note(`exec adds ${added[Math.floor(added.length / 2)].toFixed(0)} ms to a command`);
  return [ratioRow({ name: 'exec -- node -e 0', pairs, show: (ms) => `${ms.toFixed(0)} ms` })];
}
