// Says what became of the mutants.

/** What Stryker calls an end, and what we call it; in this order. */
const ENDS = {
  Killed: 'killed',
  Timeout: 'timed out',
  Survived: 'survived',
  NoCoverage: 'not covered',
  RuntimeError: 'failed to run',
};
const NOTICED = new Set(['Killed', 'Timeout']);
const MISSED = new Set(['Survived', 'NoCoverage']);

/**
 * What became of one mutant.
 * @typedef {object} Ended
 * @property {string} status Killed, Timeout, Survived, NoCoverage or RuntimeError.
 * @property {import('./mutants.js').Mutant} mutant
 * @property {string} original The text that the mutant replaces.
 */

/**
 * The mutants that no test noticed, and the counts. The score is of those that could run, in percent.
 * @param {readonly Ended[]} ended
 */
export function reportOf(ended) {
  const missed = ended.filter(({ status }) => MISSED.has(status));
  const noticed = ended.filter(({ status }) => NOTICED.has(status)).length;
  const ran = noticed + missed.length;
  const counts = Object.entries(ENDS).map(
    ([status, word]) => `${ended.filter((one) => one.status === status).length} ${word}`,
  );
  const score = ran === 0 ? 'no score' : `score ${((noticed / ran) * 100).toFixed(1)} %`;
  return [
    ...missed.sort(byPlace).map(lineOf),
    `${ended.length} mutants: ${counts.join(', ')}; ${score}`,
  ].join('\n');
}

function byPlace({ mutant: a }, { mutant: b }) {
  if (a.fileName !== b.fileName) return a.fileName < b.fileName ? -1 : 1;
  return a.location.start.line - b.location.start.line || a.location.start.column - b.location.start.column;
}

function lineOf({ status, mutant, original }) {
  const { fileName, mutatorName, replacement, location } = mutant;
  const { line, column } = location.start;
  const sided = (sign, text) => text.split('\n').map((part) => `  ${sign} ${part}`);
  return [
    `${fileName}:${line + 1}:${column + 1} ${mutatorName} ${ENDS[status]}`,
    ...sided('-', original),
    ...sided('+', replacement),
    '',
  ].join('\n');
}

/**
 * The text between two places, lines and columns from 0.
 * @param {string} text
 * @param {import('./mutants.js').Mutant['location']} location
 */
export function textAt(text, { start, end }) {
  const lines = text.split('\n').slice(start.line, end.line + 1);
  // The end is cut first: both may be in one line.
  lines[lines.length - 1] = lines.at(-1)?.slice(0, end.column) ?? '';
  lines[0] = lines[0]?.slice(start.column) ?? '';
  return lines.join('\n');
}
