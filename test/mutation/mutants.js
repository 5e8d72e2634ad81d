// Which mutants there are, and which of them a seed draws.
import { createHash } from 'node:crypto';

/** Where a wrong rule would cost most. What is moved within these, or the guards under `http`, stays in. */
const MUTATED = [
  /^src\/(?:contract|text|schema|core|signing|delivery|sandbox|store)\/.+\.ts$/,
  /^src\/http\/(?:.+\/)?(?:guards|serve)\.ts$/,
];

/**
 * @param {readonly string[]} files paths from the root of the checkout, with `/`
 */
export function mutatedFiles(files) {
  return files.filter((file) => !file.endsWith('.d.ts') && MUTATED.some((pattern) => pattern.test(file)));
}

/**
 * A mutant as Stryker describes it to its instrumenter and checkers: lines and columns from 0.
 * @typedef {object} Mutant
 * @property {string} fileName
 * @property {string} mutatorName
 * @property {string} replacement
 * @property {{ start: Place, end: Place }} location
 * @typedef {{ line: number, column: number }} Place
 */

/**
 * Names a mutant the same in every run. Ids do not: they depend on what else is mutated.
 * @param {Mutant} mutant
 * @param {string} file its path from the root of the checkout
 */
export function keyOf({ mutatorName, replacement, location: { start, end } }, file) {
  const place = [start.line, start.column, end.line, end.column].join(':');
  return `${file}:${place} ${mutatorName} ${replacement}`;
}

/**
 * Draws keys by a seed: the same ones from the same code, and mostly the same ones after a change elsewhere.
 * @param {readonly string[]} keys
 * @param {number} count
 * @param {number} seed
 */
export function draw(keys, count, seed) {
  const rank = (key) => createHash('sha256').update(`${seed} ${key}`).digest('hex');
  const ranked = keys.map((key) => ({ key, rank: rank(key) }));
  return ranked
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, count)
    .map(({ key }) => key);
}
