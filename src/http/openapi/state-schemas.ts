import { AGENDA_KINDS } from '../../core/agenda.js';
import type { JsonSchema } from '../../core/input/json-schema.js';
import { nullable } from '../../core/input/json-schema.js';
import type { AdvancedView, ClockView, NextView, RegisterLine, StatusView } from '../control/schema.js';
import { inline } from './control/build.js';
import * as is from './schemas.js';

export const ADVANCED_FIELDS = {
  from: is.INSTANT,
  to: is.INSTANT,
  steps: is.COUNT,
  finished: is.BOOLEAN,
  clock: is.ref('Clock'),
} satisfies Record<keyof AdvancedView, JsonSchema>;

export const NEXT_FIELDS = {
  did: nullable(is.ref('Due')),
  clock: is.ref('Clock'),
} satisfies Record<keyof NextView, JsonSchema>;

/** The schemas of what the sandbox says of itself and of its clock. */
export const STATE_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Due: is.objectOf<NonNullable<NextView['did']>>('What falls due.', {
    at: is.INSTANT,
    kind: is.oneOf(AGENDA_KINDS),
    id: is.TEXT,
  }),
  Clock: is.objectOf<ClockView>('Sandbox time; a rate of 0 stands still and 1 is real time.', {
    now: is.INSTANT,
    rate: { type: 'number', minimum: 0 },
    frozen: is.BOOLEAN,
    advancing: is.BOOLEAN,
    next_due: nullable(is.ref('Due')),
  }),
  Advanced: is.objectOf<AdvancedView>('How far the clock went.', ADVANCED_FIELDS),
  Next: is.objectOf<NextView>('What was done; null where nothing falls due.', NEXT_FIELDS),
  Status: is.objectOf<StatusView>('What the sandbox says of itself.', {
    version: is.TEXT,
    instance_id: is.UUID,
    pid: is.COUNT,
    url: is.URL,
    started_at: is.INSTANT,
    data: nullable(
      is.objectOf<NonNullable<StatusView['data']>>('Where everything is kept, and why it no longer is.', {
        directory: is.TEXT,
        failure: nullable(is.TEXT),
      }),
    ),
    idle: is.BOOLEAN,
    clock: is.ref('Clock'),
    attempts_in_flight: is.COUNT,
    charges: is.mapOf(is.COUNT),
    withdrawals: is.mapOf(is.COUNT),
    events: is.COUNT,
    deliveries: is.mapOf(is.COUNT),
    deliveries_paused: is.BOOLEAN,
    sessions: is.mapOf(is.COUNT),
    endpoints: is.listOf(is.ref('Endpoint')),
    calls: is.COUNT,
    accounts: is.listOf(
      is.objectOf<StatusView['accounts'][number]>('An account.', {
        id: is.UUID,
        app_id: is.UUID,
        balance: { type: 'string', pattern: '^-?(?:0|[1-9]\\d*)\\.\\d{2}$' },
      }),
    ),
  }),
  Assumption: is.objectOf<RegisterLine>('A question that the contract leaves open, and our answer.', {
    id: is.TEXT,
    section: is.TEXT,
    question: is.TEXT,
    value: is.TEXT,
    default: is.TEXT,
    choices: nullable(is.TEXT),
    reason: is.TEXT,
  }),
  State: {
    type: 'object',
    description: 'Everything there is, as a file; it holds tokens and secrets.',
    properties: {
      format: is.always('pix-sandbox-state'),
      core: is.COUNT,
      version: is.TEXT,
      notice: is.TEXT,
      rate: { type: 'number', minimum: 0 },
      world: { type: 'object' },
    },
    required: ['format', 'core', 'version', 'notice', 'rate', 'world'],
  },
  Snapshot: inline({
    name: is.TEXT,
    now: is.INSTANT,
    rate: { type: 'number', minimum: 0 },
    charges: is.COUNT,
    withdrawals: is.COUNT,
    events: is.COUNT,
    deliveries: is.COUNT,
    sessions: is.COUNT,
  }),
};
