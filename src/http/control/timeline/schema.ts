import { AGENDA } from '../clock/schema.js';
import * as is from '../../../core/resources/values.js';
import { reference } from '../../../schema/json-schema.js';
import { nullable, optional } from '../../../schema/fields.js';
import type { Infer, Schema } from '../../../schema/schema.js';
import { object } from '../../../schema/object.js';
import { always, anything, described, number, oneOf, whole } from '../../../schema/values.js';
import { ACTORS, ENTRY_KINDS } from '../../../sandbox/timeline/entry.js';

const SEQ = whole('a number from 1', { least: 1 });
const MAYBE = optional(is.TEXT);
const MAYBE_NOTHING = optional(nullable(is.TEXT));

const CORE = {
  seq: SEQ,
  cause: nullable(SEQ),
  by: oneOf(ACTORS),
  at: is.INSTANT,
  real_at: nullable(is.INSTANT),
  id: nullable(is.TEXT),
  title: is.TEXT,
};

export const ENTRY = is.resource(
  'TimelineEntry',
  'One thing that happened; the later fields depend on its kind.',
  {
    ...CORE,
    kind: oneOf(ENTRY_KINDS),
    resource: optional(oneOf(['charge', 'withdrawal', 'session', 'endpoint'])),
    from: MAYBE_NOTHING,
    to: MAYBE,
    resource_id: MAYBE_NOTHING,
    code: MAYBE,
    command: MAYBE,
    scenario: MAYBE,
    event_type: MAYBE,
    event_id: MAYBE,
    delivery_id: MAYBE,
    endpoint_id: MAYBE,
    target: MAYBE,
    attempt: optional(is.COUNT),
    status: optional(nullable(is.COUNT)),
    error: MAYBE_NOTHING,
    method: MAYBE,
    path: MAYBE,
    matched: optional(is.BOOLEAN),
    app_id: MAYBE_NOTHING,
    during: optional(is.listOf(is.TEXT)),
    faults: optional(is.listOf(is.TEXT)),
    moved_from: MAYBE,
    moved_to: MAYBE,
    rate: optional(number('a rate', { least: 0 })),
  },
);
export type EntryView = Infer<typeof ENTRY>;

export const TIMELINE = is.resource('Timeline', 'Entries, oldest first, and how far the timeline reaches.', {
  run: is.TEXT,
  oldest: is.COUNT,
  newest: is.COUNT,
  data: is.listOf(ENTRY),
});
export type TimelineView = Infer<typeof TIMELINE>;

/** What a resumed stream says before it goes on. */
export const BREAK = is.resource('TimelineBreak', 'The stream cannot go on where it was cut.', {
  ...CORE,
  kind: oneOf(['gap', 'restarted']),
});

export type TimelineBreakView = Infer<typeof BREAK>;

export const TIMELINE_READY = is.shape('The first message of the stream.', {
  type: always('ready'),
  run: is.TEXT,
  newest: is.COUNT,
});

/** One step of a story. */
export interface TraceNodeView {
  readonly seq: number;
  readonly kind: (typeof ENTRY_KINDS)[number];
  readonly id: string | null;
  readonly title: string;
  readonly at: string;
  readonly by?: (typeof ACTORS)[number] | undefined;
  readonly scenario?: string | undefined;
  readonly outcome?: string | undefined;
  readonly during?: boolean | undefined;
  readonly children: readonly TraceNodeView[];
}

const NODE_NAME = 'TraceNode';
const CHILD = { ...anything, json: reference(NODE_NAME) } as Schema<TraceNodeView>;

export const TRACE_NODE = is.resource(NODE_NAME, 'One step of a story, and what followed from it.', {
  /** 0 for what is older than the timeline. */
  seq: is.COUNT,
  kind: oneOf(ENTRY_KINDS),
  id: nullable(is.TEXT),
  title: is.TEXT,
  at: is.INSTANT,
  by: optional(oneOf(ACTORS)),
  scenario: MAYBE,
  outcome: MAYBE,
  during: optional(is.BOOLEAN),
  children: is.listOf(CHILD),
});

export const TRACE = is.resource('Trace', 'A story from its first cause, and what falls due next in it.', {
  root: TRACE_NODE,
  due: AGENDA.fields.due,
  replaced: described(
    'The restore or import with which it came, where that hides what led to it; null otherwise.',
    nullable(object('a change of the whole state', { at: is.INSTANT, title: is.TEXT })),
  ),
});
export type TraceView = Infer<typeof TRACE>;
