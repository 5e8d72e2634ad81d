import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startHelper, startSandbox } from '../harness/children.js';
import { bundle } from '../harness/sources.js';
import { inPairs } from '../harness/statistics.js';
import { ratioRow } from '../harness/table.js';

export const title = 'keeping changes on the disk, and starting again from there';

const COUNTS = [1_000, 10_000, 100_000];
const MODULES = ['sandbox/sandbox', 'sandbox/persistence'];

/** @param {import('../run.js').Bench} bench */
export async function measure(bench) {
  const counts = bench.quick ? COUNTS.slice(0, 2) : COUNTS;
  const keeper = startHelper(bench, 'keeper.js', { args: [await bundle(bench, MODULES)] });
  const rows = [];
  const writes = new Map();
  try {
    for (const count of counts) {
      // A small world first, so that the measured charges fit into it.
      const rounds = count === COUNTS[0] ? 1 : 5;
      for (const isClean of [true, false]) {
        const directory = join(bench.folder, `data-${count}-${isClean ? 'snapshot' : 'journal'}`);
        const { measured, charges } = await keeper.ask({
          directory,
          folder: bench.folder,
          count: count === COUNTS[0] ? 1_200 : count,
          rounds,
          isClean,
        });
        writes.set(count, [...(writes.get(count) ?? []), ...measured]);
        rows.push(await restartRow(bench, directory, charges, isClean));
      }
    }
  } finally {
    await keeper.stop();
  }
  return [...counts.map((count) => writeRow(count, writes.get(count))), growthRow(counts, writes), ...rows];
}

const us = (value) => `${value.toFixed(1)} µs`;

/** Against a line of the same length that is written and synced by itself. */
function writeRow(count, measured) {
  const pairs = measured.map(({ singleUs, plainUs }) => ({ ours: singleUs, yardstick: plainUs }));
  return ratioRow({ name: `charge kept and waited for, at ${count}`, pairs, show: us });
}

/** The cost of a change does not grow with the world: charges kept in batches, in the largest against the smallest. */
function growthRow(counts, writes) {
  const [small, large] = [counts[0], counts.at(-1)].map((count) => writes.get(count));
  const pairs = large.map(({ batchUs }, index) => ({
    ours: batchUs,
    yardstick: small[index % small.length].batchUs,
  }));
  return ratioRow({
    name: `charge kept in a batch, at ${counts.at(-1)} against ${counts[0]}`,
    pairs,
    show: us,
    most: 1.5,
  });
}

/** Spawn to ready on a fresh copy of what was kept, against a start that keeps nothing. */
async function restartRow(bench, directory, charges, isClean) {
  const copy = `${directory}-copy`;
  const time = (args) => async () => {
    rmSync(copy, { recursive: true, force: true });
    cpSync(directory, copy, { recursive: true });
    const startedAt = performance.now();
    const sandbox = await startSandbox(bench, args);
    const tookMs = performance.now() - startedAt;
    await sandbox.stop();
    return tookMs;
  };
  const pairs = await inPairs(3, time(['--data', copy]), time([]));
  return ratioRow({
    name: `start with ${charges} charges from a ${isClean ? 'snapshot' : 'journal'}`,
    pairs,
    show: (ms) => `${ms.toFixed(0)} ms`,
  });
}
