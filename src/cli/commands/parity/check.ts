import { compareWithBaseline, createBaseline, createBaselineSchema } from '../../../check/judge.js';
import { DAY_MS } from '../../../contract/time.js';
import { FACT_IDS } from '../../../parity/facts.js';
import { createObservations } from '../../../parity/observer.js';
import { judgeFacts, questionSandbox } from '../../../parity/probe.js';
import {
  compareWithRecord,
  listOldFacts,
  listRecordedParts,
  listRecordedValues,
  PARITY_FILE,
} from '../../../parity/record.js';
import type { PARITY_COMMANDS } from '../../declarations/parity.js';
import type { BodyOf } from '../../program/declaration.js';
import { createUsageError, EXIT_CODES } from '../../program/errors.js';
import { writeReport } from '../../program/input-bytes.js';
import { annotateForCi } from '../../terminal/text.js';
import { parseJsonFile, readParityRecord, readTextFile } from './files.js';
import { readCurrentValues } from './probe.js';
import { formatCheckedFacts, toOutcomeJson } from './text.js';

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
  const values = listRecordedValues(record);
  const parts = listRecordedParts(record);
  const scope = { parts, hasIdentity: true, tokens: 1 };
  const sandbox = await questionSandbox({ ...current, ...values }, scope, createObservations());
  const compared = compareWithRecord(record, sandbox);
  const outcomes = judgeFacts({ current, values, compared, unknown: {} }, parts);
  const differing = outcomes.filter(({ outcome }) => outcome === 'differs' || outcome === 'setting');
  const results = outcomes.map(({ id, outcome }) => ({
    id,
    verdict: outcome === 'confirmed' ? ('pass' as const) : outcome,
  }));
  const { known, stale } = compareWithBaseline({ checks: results }, baseline, Date.now());
  const failures = differing.filter(({ id }) => !known.has(id));
  const old = maxAge === undefined ? [] : listOldFacts(record, maxAge.ms, Date.now());
  const ok = failures.length === 0 && stale.length === 0;
  if (writeBaseline !== undefined) {
    const entries = differing.map(({ id }) => ({
      id,
      reason: 'Known difference from the TEST environment.',
    }));
    writeReport(
      io,
      '--write-baseline',
      writeBaseline,
      `${JSON.stringify(createBaseline(entries, Date.now()), null, 2)}\n`,
    );
  }
  io.emit({ ok, against: record.against, facts: outcomes.map(toOutcomeJson), known: [...known], stale, old });
  io.say(formatCheckedFacts(io, outcomes, record, { known, stale }));
  if (old.length > 0) {
    const days = Math.round((maxAge?.ms ?? 0) / DAY_MS);
    io.note(`${io.colors.yellow('warning')} Observed more than ${days} days ago: ${old.join(', ')}.`);
  }
  for (const { id } of failures) annotateForCi(io, 'parity', `${id} differs from the recorded fact.`);
  return ok ? EXIT_CODES.done : EXIT_CODES.no;
};
