import { compare } from './statistics.js';

/**
 * One line of the table. `value` is what the aim is about; without an aim it is only shown.
 * @typedef {object} Row
 * @property {string} name
 * @property {string} ours
 * @property {string} yardstick
 * @property {string} ratio
 * @property {string} spread
 * @property {string} aim
 * @property {string} verdict
 */

const COLUMNS = ['name', 'ours', 'yardstick', 'ratio', 'spread', 'aim', 'verdict'];

const times = (value) => `${value.toFixed(2)}×`;
const percent = (value) => `${Math.round(value * 100)} %`;

/**
 * A row that compares: `most` for what should stay small, `least` for what should be large and is shown as a share of the
 * yardstick instead of a factor.
 * @param {{ name: string, pairs: readonly import('./statistics.js').Pair[], show: (value: number) => string, most?: number, least?: number }} input
 * @returns {Row}
 */
export function ratioRow({ name, pairs, show, most, least }) {
  const { ours, yardstick, ratio, low, high, noisy } = compare(pairs);
  const format = least === undefined ? times : percent;
  return {
    name,
    ours: show(ours),
    yardstick: show(yardstick),
    ratio: format(ratio),
    spread: `${format(low)} to ${format(high)}`,
    ...judge(ratio, format, { most, least }),
    ...(noisy ? { yardstick: `${show(yardstick)} (noisy)` } : {}),
  };
}

/**
 * A row that stands for itself, without a yardstick.
 * @param {{ name: string, value: number, show: (value: number) => string, most?: number, least?: number }} input
 * @returns {Row}
 */
export function valueRow({ name, value, show, most, least }) {
  const verdict = judge(value, show, { most, least });
  return { name, ours: show(value), yardstick: '', ratio: '', spread: '', ...verdict };
}

function judge(value, format, { most, least }) {
  if (most === undefined && least === undefined) return { aim: '', verdict: '' };
  const isMet = most === undefined ? value >= least : value <= most;
  const aim = most === undefined ? `≥ ${format(least)}` : `≤ ${format(most)}`;
  return { aim, verdict: isMet ? 'met' : 'MISSED' };
}

/** @param {readonly Row[]} rows */
export function table(rows) {
  const heads = Object.fromEntries(COLUMNS.map((column) => [column, column]));
  const widths = COLUMNS.map((column) => Math.max(...[heads, ...rows].map((row) => row[column].length)));
  const lines = [heads, ...rows].map((row) =>
    COLUMNS.map((column, index) => row[column].padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [lines[0], widths.map((width) => '-'.repeat(width)).join('  '), ...lines.slice(1)].join('\n');
}
