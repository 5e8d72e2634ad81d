import type { CheckReportView } from '../../../src/http/control/system.js';

/** A report of one check, which failed. */
export const CHECKED: CheckReportView = {
  target: 'http://localhost:3000/webhooks',
  headline: 'Signatures and transport: 0 passed, 1 failed.',
  scope: 'wire',
  checks: [
    {
      id: 'refuse.prefix',
      level: 'must',
      verdict: 'fail',
      applies: true,
      clause: '§5.5',
      link: 'INTERFACE.md §5.5',
      sent: 'a right signature, cut to its first half',
      got: '200',
      expected: 'refused with 4xx',
      likely: 'signatures are compared with startsWith',
      fix: 'compare the whole signature',
      reason: null,
      gated_by: null,
      duration_ms: 12,
      known: false,
    },
  ],
  not_observed: [],
  summary: { pass: 0, fail: 1, warn: 0, unknown: 0, gated: 0 },
  ok: false,
  complete: true,
  budget_spent: false,
  notes: [],
  duration_ms: 640,
  again: 'check --forward-to 3000/webhooks',
};
