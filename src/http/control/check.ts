import * as is from '../../core/resources/values.js';
import { isoTime } from '../../contract/time.js';
import { body as bodyOf } from '../../core/input/body.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { nullable, nullish } from '../../schema/fields.js';
import type { Infer } from '../../schema/schema.js';
import { described, number, oneOf } from '../../schema/values.js';
import type { ControlRoute } from './control.js';
import { ok, route } from './control.js';

const LEVEL = oneOf(['must', 'should']);
const RESULT = is.shape('The result of one check.', {
  id: is.TEXT,
  level: LEVEL,
  verdict: oneOf(['pass', 'fail', 'warn', 'unknown', 'gated']),
  applies: described('Whether all that it needs was provided; if not, it counts nowhere.', is.BOOLEAN),
  clause: is.TEXT,
  link: described('Where it is written.', is.TEXT),
  sent: is.TEXT,
  got: is.TEXT,
  expected: is.TEXT,
  likely: is.TEXT,
  fix: is.TEXT,
  duration_ms: number('milliseconds', { least: 0 }),
  known: described('Whether the baseline contains it.', is.BOOLEAN),
  reason: described('Why it is unknown or gated; null for the others.', nullish(is.TEXT, null)),
  gated_by: described('The failed check that gates it, or null.', nullish(is.TEXT, null)),
});
export type CheckResultView = Infer<typeof RESULT>;

const REPORT_FIELDS = {
  target: is.TEXT,
  headline: described('The result in one line.', is.TEXT),
  scope: described(
    'Signatures and transport only (wire), or also what events change.',
    oneOf(['wire', 'effects']),
  ),
  summary: is.shape('How many applicable checks got each verdict.', {
    pass: is.COUNT,
    fail: is.COUNT,
    warn: is.COUNT,
    unknown: is.COUNT,
    gated: is.COUNT,
  }),
  ok: is.BOOLEAN,
  complete: described('Whether every applicable must was observed.', is.BOOLEAN),
  budget_spent: is.BOOLEAN,
  notes: is.listOf(is.TEXT),
  duration_ms: number('milliseconds', { least: 0 }),
  checks: is.listOf(RESULT),
  not_observed: is.listOf(
    is.shape('A check without an observation.', {
      id: is.TEXT,
      level: LEVEL,
      reason: nullish(is.TEXT, null),
    }),
  ),
  again: described(
    'The command of the run, without secrets; null for one of the library.',
    nullish(is.TEXT, null),
  ),
};
const REPORT = is.shape('What `check` found at a webhook receiver.', REPORT_FIELDS);
export type CheckReportView = Infer<typeof REPORT>;

export const KEPT_CHECK = is.resource('KeptCheck', 'The newest report of `check`; null before the first.', {
  report: nullable(REPORT),
  received_at: nullable(is.INSTANT),
});
export type KeptCheckView = Infer<typeof KEPT_CHECK>;

const NONE: KeptCheckView = { report: null, received_at: null };
/** Beside the world: a report says nothing about the sandbox, so no state holds it and no reset ends it. */
const KEPT = new WeakMap<Sandbox, KeptCheckView>();

export const CHECK_ROUTES: readonly ControlRoute[] = [
  route('GET', 'check', {}, ({ sandbox }) => ok(KEPT.get(sandbox) ?? NONE)),
  route('PUT', 'check', { body: bodyOf(REPORT_FIELDS) }, ({ sandbox, body: report }) => {
    const kept = { report, received_at: isoTime(sandbox.realNow()) };
    KEPT.set(sandbox, kept);
    sandbox.note({
      kind: 'command',
      id: null,
      title: `check of ${report.target}: ${report.headline}`,
      facts: { command: 'check' },
    });
    return ok(kept);
  }),
];
