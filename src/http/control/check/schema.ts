import { body as bodyOf } from '../../../core/input/body.js';
import * as is from '../../../core/resources/values.js';
import { nullable, nullish } from '../../../schema/fields.js';
import type { Infer } from '../../../schema/schema.js';
import { described, number, oneOf } from '../../../schema/values.js';

const RESULT_FIELDS = {
  id: is.TEXT,
  level: oneOf(['must', 'should']),
  verdict: oneOf(['pass', 'fail', 'warn', 'unknown', 'gated']),
  clause: is.TEXT,
  link: described('Where it is written.', is.TEXT),
  sent: is.TEXT,
  got: is.TEXT,
  expected: is.TEXT,
  likely: is.TEXT,
  fix: is.TEXT,
  duration_ms: number('milliseconds', { least: 0 }),
  known: described('Whether the baseline knows its failure.', is.BOOLEAN),
};
const SAYS_REASON = 'Why it is unknown or gated; null for the others.';
const RESULT = is.shape('The result of one check.', {
  ...RESULT_FIELDS,
  reason: described(SAYS_REASON, nullable(is.TEXT)),
});
const GIVEN_RESULT = is.shape('The result of one check.', {
  ...RESULT_FIELDS,
  reason: described(SAYS_REASON, nullish(is.TEXT, null)),
});
export type CheckResultView = Infer<typeof RESULT>;

const REPORT_FIELDS = {
  target: is.TEXT,
  summary: is.shape('How many checks got each verdict.', {
    pass: is.COUNT,
    fail: is.COUNT,
    warn: is.COUNT,
    unknown: is.COUNT,
    gated: is.COUNT,
  }),
  ok: is.BOOLEAN,
  budget_spent: is.BOOLEAN,
  notes: is.listOf(is.TEXT),
  duration_ms: number('milliseconds', { least: 0 }),
};
const SAYS_AGAIN = 'The command of the run, without secrets; null for one of the library.';
const REPORT = is.shape('What `check` found at a webhook receiver.', {
  ...REPORT_FIELDS,
  checks: is.listOf(RESULT),
  again: described(SAYS_AGAIN, nullable(is.TEXT)),
});
export type CheckReportView = Infer<typeof REPORT>;

/** The report as it is sent. */
export const GIVEN_REPORT = bodyOf({
  ...REPORT_FIELDS,
  checks: is.listOf(GIVEN_RESULT),
  again: described(SAYS_AGAIN, nullish(is.TEXT, null)),
});

export const KEPT_CHECK = is.resource('KeptCheck', 'The newest report of `check`; null before the first.', {
  report: nullable(REPORT),
  received_at: nullable(is.INSTANT),
});
export type KeptCheckView = Infer<typeof KEPT_CHECK>;
