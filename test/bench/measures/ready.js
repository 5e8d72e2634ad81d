import { once } from 'node:events';
import { get } from 'node:http';
import { processFile, residentMb, startSandbox, startServer } from '../harness/children.js';
import { inPairs } from '../harness/statistics.js';
import { ratioRow } from '../harness/table.js';

export const title = 'spawn to ready, and memory then, against a bare node:http server';

/** @param {import('../run.js').Bench} bench */
export async function measure(bench) {
  const seen = { ours: [], yardstick: [] };
  const time = (side, start) => async () => {
    const startedAt = performance.now();
    const server = await start();
    const readyMs = performance.now() - startedAt;
    await live(server.ready.url);
    const liveMs = performance.now() - startedAt;
    seen[side].push({ readyMs, memoryMb: residentMb(server.pid) });
    await server.stop();
    return liveMs;
  };
  const pairs = await inPairs(
    bench.quick ? 4 : 15,
    time('ours', () => startSandbox(bench)),
    time('yardstick', () => startServer(bench, [processFile('bare-server.js')])),
  );
  // The first of each warmed up.
  const pairsOf = (field) =>
    seen.ours
      .slice(1)
      .map((run, index) => ({ ours: run[field], yardstick: seen.yardstick[index + 1][field] }));
  const ms = (value) => `${value.toFixed(0)} ms`;
  return [
    ratioRow({ name: 'spawn to ready line', pairs: pairsOf('readyMs'), show: ms, most: 2 }),
    ratioRow({ name: 'spawn to first 200', pairs, show: ms, most: 2.5 }),
    ratioRow({
      name: 'memory when ready',
      pairs: pairsOf('memoryMb'),
      show: (value) => `${value.toFixed(1)} MB`,
      most: 1.4,
    }),
  ];
}

async function live(url) {
  const [response] = await once(get(`${url}/_sandbox/livez`, { agent: false }), 'response');
  response.resume();
  await once(response, 'end');
  if (response.statusCode !== 200) throw new Error(`Expected 200 from ${url}, got ${response.statusCode}.`);
}
