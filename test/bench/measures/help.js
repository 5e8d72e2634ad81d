import { spawnSync } from 'node:child_process';
import { childEnv, SANDBOX } from '../harness/children.js';
import { inPairs } from '../harness/statistics.js';
import { ratioRow } from '../harness/table.js';

export const title = 'sandbox --help against node -e 0';

/** @param {import('../run.js').Bench} bench */
export async function measure(bench) {
  const env = childEnv(bench);
  const time = (args, expected) => async () => {
    const startedAt = performance.now();
    const { status, stdout } = spawnSync(process.execPath, args, {
      cwd: bench.folder,
      env,
      encoding: 'utf8',
    });
    const tookMs = performance.now() - startedAt;
    if (status !== 0 || !stdout.includes(expected)) {
      throw new Error(`Expected node ${args.join(' ')} to print "${expected}"; got ${status}: ${stdout}`);
    }
    return tookMs;
  };
  const pairs = await inPairs(
    bench.quick ? 5 : 25,
    time([SANDBOX, '--help'], 'Every command takes'),
    time(['-e', '0'], ''),
  );
  return [ratioRow({ name: '--help', pairs, show: (ms) => `${ms.toFixed(0)} ms`, most: 1.5 })];
}
