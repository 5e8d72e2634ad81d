import * as is from '../../core/resources/values.js';
import type { RegisterLine } from '../../contract/assumption-register.js';
import { DIFFERENT_KINDS } from '../../core/state/compare.js';
import { component } from '../../schema/component.js';
import { record } from '../../schema/compound.js';
import { nullable, partial } from '../../schema/fields.js';
import type { Infer, Schema } from '../../schema/schema.js';
import { anything, described, oneOf } from '../../schema/values.js';
import { ACCOUNT, ENDPOINT_VIEW } from './apps.js';
import { CLOCK, RATE } from './clock.js';

const COUNTS = record(is.COUNT);

export const STATUS = is.resource('Status', 'The status of the sandbox.', {
  version: is.TEXT,
  instance_id: is.UUID,
  pid: is.COUNT,
  url: is.ADDRESS,
  started_at: is.INSTANT,
  data: nullable(
    is.shape(
      'The data directory, why changes are not saved there now, and the last failure after which they are saved again.',
      { directory: is.TEXT, failure: nullable(is.TEXT), recovery: nullable(is.TEXT) },
    ),
  ),
  idle: is.BOOLEAN,
  clock: CLOCK,
  attempts_in_flight: is.COUNT,
  charges: COUNTS,
  withdrawals: COUNTS,
  events: is.COUNT,
  deliveries: COUNTS,
  retention: is.shape('How many finished deliveries are kept, and what was dropped since.', {
    keep: is.COUNT,
    dropped_deliveries: is.COUNT,
    dropped_events: is.COUNT,
  }),
  deliveries_paused: is.BOOLEAN,
  sessions: COUNTS,
  endpoints: is.listOf(ENDPOINT_VIEW),
  calls: is.COUNT,
  accounts: is.listOf(ACCOUNT),
});
export type StatusView = Infer<typeof STATUS>;

export const ASSUMPTION = is.resource(
  'Assumption',
  'A question that the contract leaves open, and our answer.',
  {
    id: is.TEXT,
    section: is.TEXT,
    question: is.TEXT,
    value: is.TEXT,
    default: is.TEXT,
    choices: nullable(is.TEXT),
    reason: is.TEXT,
  },
) satisfies Schema<RegisterLine>;

/** An import ignores further fields, so the schema leaves them open. */
export const STATE = component('State', {
  ...anything,
  json: {
    type: 'object',
    description: 'The whole state, as a file; it holds tokens and secrets.',
    properties: {
      format: { const: 'pix-sandbox-state' },
      core: is.COUNT.json,
      version: is.TEXT.json,
      notice: is.TEXT.json,
      rate: RATE.json,
      world: { type: 'object' },
    },
    required: ['format', 'core', 'version', 'notice', 'rate', 'world'],
  },
});

export const SNAPSHOT = is.resource('Snapshot', 'A snapshot.', {
  name: is.TEXT,
  now: is.INSTANT,
  rate: RATE,
  charges: is.COUNT,
  withdrawals: is.COUNT,
  events: is.COUNT,
  deliveries: is.COUNT,
  sessions: is.COUNT,
});
export type SnapshotView = Infer<typeof SNAPSHOT>;

export const DIFFERENCE = is.resource('StateDifference', 'What was added, removed or changed.', {
  kind: oneOf(DIFFERENT_KINDS),
  id: is.TEXT,
  ...partial({ code: is.TEXT }),
  change: oneOf(['added', 'removed', 'changed']),
  ...partial({ fields: record(is.shape('The value before and after.', { from: anything, to: anything })) }),
});

export const COMPARED = is.resource(
  'ComparedStates',
  'How one state differs from another, without secrets.',
  {
    from: is.TEXT,
    to: described('Null for the present.', nullable(is.TEXT)),
    count: described('All differences; an answer holds only the first of very many.', is.COUNT),
    differences: is.listOf(DIFFERENCE),
  },
);
export type ComparedView = Infer<typeof COMPARED>;
