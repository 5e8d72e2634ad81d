// Measures the built package against yardsticks. Times are printed and never gated: the exit code is 1 only when something is broken.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PACKAGE_ROOT, startSandbox } from './harness/children.js';
import { table } from './harness/table.js';

/**
 * What a measure works with.
 * @typedef {object} Bench
 * @property {boolean} quick Few and short rounds.
 * @property {string} folder A temporary folder; it is removed at the end.
 * @property {(note: string) => void} note Keeps a line to print below the table.
 */

/**
 * One file in measures/: its name is that of the file.
 * @typedef {object} Measure
 * @property {string} title
 * @property {(bench: Bench) => Promise<import('./harness/table.js').Row[]>} measure
 */

const MEASURES = new URL('measures/', import.meta.url);
const names = readdirSync(MEASURES)
  .filter((file) => file.endsWith('.js'))
  .map((file) => file.slice(0, -'.js'.length));

/** The names to measure and whether to be quick; undefined, after saying why, when the words make no sense. */
function parseWords() {
  try {
    const { values } = parseArgs({
      options: { quick: { type: 'boolean' }, only: { type: 'string', multiple: true } },
    });
    const unknown = values.only?.find((name) => !names.includes(name));
    if (unknown !== undefined) throw new Error(`There is no measure ${unknown}.`);
    return { chosen: values.only ?? names, quick: values.quick ?? false };
  } catch (error) {
    console.error(`${error.message}\nUsage: npm run bench -- [--quick] [--only ${names.join('|')}]...`);
    return undefined;
  }
}

/** @param {{ chosen: string[], quick: boolean }} words */
async function run({ chosen, quick }) {
  const folder = mkdtempSync(join(tmpdir(), 'pix-sandbox-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // Users run warm: Node's compile cache has this code from its second run on.
  const warming = await startSandbox({ quick, folder, note: () => {} });
  await warming.stop();
  const rows = [];
  const notes = [];
  let broken = 0;
  for (const name of chosen) {
    const startedAt = performance.now();
    try {
      /** @type {Measure} */
      const { title, measure } = await import(new URL(`${name}.js`, MEASURES).href);
      process.stderr.write(`${name}: ${title} `);
      rows.push(...(await measure({ quick, folder, note: (note) => notes.push(`${name}: ${note}`) })));
    } catch (error) {
      broken += 1;
      notes.push(`${name} IS BROKEN: ${error.stack}`);
    }
    process.stderr.write(`(${Math.round((performance.now() - startedAt) / 1000)} s)\n`);
  }
  const [cpu] = cpus();
  console.log(
    `\nNode ${process.version}, ${process.platform}, ${availableParallelism()} × ${cpu?.model ?? 'unknown'}`,
  );
  console.log(
    'Medians; the ratio is the median of the pairs, its spread their 10th to 90th percentile. Compiled code is cached.\n',
  );
  console.log(table(rows));
  if (notes.length > 0) console.log(`\n${notes.join('\n')}`);
  return broken === 0 ? 0 : 1;
}

// Leaving by `exit` ends the children and removes the folder.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const words = parseWords();
if (words === undefined) {
  process.exitCode = 2;
} else if (existsSync(join(PACKAGE_ROOT, 'dist', 'cli.cjs'))) {
  process.exitCode = await run(words);
} else {
  console.error('Expected the built package in dist, found none. Run `npm run build` first.');
  process.exitCode = 2;
}
