import { compareWithBaseline, createBaseline, createBaselineSchema } from '../../../check/judge.js';
import { DAY_MS } from '../../../contract/time.js';
import { FACT_IDS } from '../../../parity/facts.js';
import { judgeRecord, listOldFacts, PARITY_FILE } from '../../../parity/record.js';
import type { PARITY_COMMANDS } from '../../declarations/parity.js';
import type { BodyOf } from '../../program/declaration.js';
import { createUsageError, EXIT_CODES } from '../../program/errors.js';
import { writeReport } from '../../program/input-bytes.js';
import { annotateForCi } from '../../terminal/text.js';
import { parseJsonFile, readParityRecord, readTextFile, writeAssumptions } from './files.js';
import { readCurrentValues } from './probe.js';
import { formatCheckedFacts, formatWrittenSettings, toOutcomeJson } from './text.js';

const KNOWN = 'Known difference from the TEST environment.';

/** Runs `sandbox parity check`. Exits with 1 if a recorded fact differs. */
export const checkParity: BodyOf<typeof PARITY_COMMANDS.check> = async ({ io, options }) => {
  const { baseline: file, writeBaseline, maxAge } = options;
  const record = readParityRecord(io);
  if (record === undefined) {
    throw createUsageError(
      `There is no ${PARITY_FILE} in ${io.cwd}.`,
      '`npx sandbox parity probe` writes it; commit it to your repository.',
    );
  }
  const hint = 'Each entry has the fields id, reason and expires.';
  const baseline =
    file === undefined
      ? { checks: [] }
      : parseJsonFile(file, readTextFile(io, file, hint), createBaselineSchema('fact', FACT_IDS), hint);
  const current = readCurrentValues(io);
  const outcomes = await judgeRecord(record, current, undefined);
  const differing = outcomes.filter(({ outcome }) => outcome === 'differs' || outcome === 'setting');
  const results = outcomes.map(({ id, outcome }) => ({
    id,
    verdict: outcome === 'confirmed' ? ('pass' as const) : outcome,
  }));
  const { known, stale } = compareWithBaseline({ checks: results }, baseline, Date.now());
  const failures = differing.filter(({ id }) => !known.has(id));
  const old = maxAge === undefined ? [] : listOldFacts(record, maxAge.ms, Date.now());
  if (writeBaseline !== undefined) {
    // Entries of the present baseline keep their reasons and dates.
    const entries = differing.map(
      ({ id }) => baseline.checks.find((one) => one.id === id) ?? { id, reason: KNOWN },
    );
    const text = JSON.stringify(createBaseline(entries, Date.now()), null, 2);
    writeReport(io, '--write-baseline', writeBaseline, `${text}\n`);
    if (!io.json) io.note(`Written to ${writeBaseline}.`);
  }
  const settings = differing.filter(({ value, current: own }) => value !== undefined && value !== own);
  const isCovered = options.write && failures.every(({ outcome }) => outcome === 'setting');
  const ok = stale.length === 0 && (failures.length === 0 || isCovered);
  if (options.write && settings.length > 0) {
    io.say(formatWrittenSettings(io, settings));
    const path = writeAssumptions(io, settings);
    if (!io.json) io.note(`Written to ${path}.`);
  }
  io.emit({ ok, against: record.against, facts: outcomes.map(toOutcomeJson), known: [...known], stale, old });
  io.say(formatCheckedFacts(io, outcomes, record, { known, stale }));
  if (old.length > 0) {
    const days = Math.round((maxAge?.ms ?? 0) / DAY_MS);
    io.note(`${io.colors.yellow('warning')} Observed more than ${days} days ago: ${old.join(', ')}.`);
  }
  for (const { id, value, current: own } of failures) {
    const values = value === undefined ? '' : ` Recorded: ${value}; the sandbox: ${own}.`;
    annotateForCi(io, 'parity', `${id} differs from the recorded fact.${values}`);
  }
  return ok ? EXIT_CODES.done : EXIT_CODES.no;
};
