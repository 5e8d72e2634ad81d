// Measures the built package against yardsticks. Times are printed and never gated: the exit code is 1 only when something is broken.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PACKAGE_ROOT, startSandbox } from './harness/children.js';
import { table } from './harness/table.js';

/**
 * The input of a measure.
 * @typedef {object} Bench
 * @property {boolean} quick Few and short rounds.
 * @property {string} folder A temporary folder; it is removed at the end.
 * @property {string} [against] The root of another built checkout to compare with.
 * @property {(note: string) => void} note Prints a line below the table.
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
const USAGE = `Usage: npm run bench -- [--quick] [--against <built checkout>] [--only ${names.join('|')}]...`;

/** Parses the command line; prints the usage and returns undefined when it is invalid. */
function parseCommandLine() {
  try {
    const { values } = parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        against: { type: 'string' },
        only: { type: 'string', multiple: true },
      },
    });
    const unknown = values.only?.find((name) => !names.includes(name));
    if (unknown !== undefined) throw new Error(`There is no measure ${unknown}.`);
    const against = values.against === undefined ? undefined : resolve(values.against);
    for (const root of [PACKAGE_ROOT, against]) {
      if (root === undefined || existsSync(join(root, 'dist'))) continue;
      throw new Error(
        `Expected the built package in ${join(root, 'dist')}. Run \`npm run build\` there first.`,
      );
    }
    return { chosen: values.only ?? names, quick: values.quick, against };
  } catch (error) {
    console.error(`${error.message}\n${USAGE}`);
    return undefined;
  }
}

/** @param {{ chosen: string[], quick: boolean, against?: string }} input */
async function run({ chosen, quick, against }) {
  const folder = mkdtempSync(join(tmpdir(), 'pix-sandbox-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const rows = [];
  const notes = [];
  const bench = { quick, folder, against };
  // Users run warm: Node's compile cache has this code from its second run on.
  for (const root of [PACKAGE_ROOT, against]) {
    if (root !== undefined) await (await startSandbox(bench, [], root)).stop();
  }
  let broken = 0;
  for (const name of chosen) {
    const startedAt = performance.now();
    try {
      /** @type {Measure} */
      const { title, measure } = await import(new URL(`${name}.js`, MEASURES).href);
      process.stderr.write(`${name}: ${title} `);
      rows.push(...(await measure({ ...bench, note: (note) => notes.push(`${name}: ${note}`) })));
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
  console.log('Medians; the ratio is the median of the pairs, its spread their 10th to 90th percentile.\n');
  console.log(table(rows));
  if (notes.length > 0) console.log(`\n${notes.join('\n')}`);
  return broken === 0 ? 0 : 1;
}

// Leaving by `exit` ends the children and removes the folder.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const input = parseCommandLine();
process.exitCode = input === undefined ? 2 : await run(input);
