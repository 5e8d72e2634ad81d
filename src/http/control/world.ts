import { setTimeout } from 'node:timers/promises';
import * as is from '../../core/resources/values.js';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { formatIsoTime, LAST_INSTANT_MS } from '../../contract/time.js';
import type { DueItem } from '../../core/due.js';
import { bodySchema as bodyOf, createInvalidRequest } from '../../core/input/bodies.js';
import {
  acceptDuration,
  INSTANT_INPUT,
  NAME_INPUT,
  createNumberAboveSchema,
  acceptText,
  integerRange,
} from '../../core/input/kinds.js';
import { type ComparableState, diffWorlds, DIFFERENT_KINDS } from '../../core/state/compare.js';
import { restoreWorld } from '../../core/state/import.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { type Snapshot, SNAPSHOT_NAME_FORM } from '../../sandbox/snapshots.js';
import { readStateFile, type StateFile, createStateFile } from '../../sandbox/state-file.js';
import type { AdvanceOptions } from '../../sandbox/time/time-travel.js';
import { describeStateChange } from '../../sandbox/timeline/entry-content.js';
import { array, record, discriminatedUnion } from '../../schema/compound.js';
import {
  type FieldSchemas,
  renamed,
  nullable,
  nullish,
  object,
  type ObjectSchema,
  optional,
  partial,
} from '../../schema/object.js';
import { nameSchema, type Infer, type Schema } from '../../schema/schema.js';
import { literal, anyValue, withDoc, boolean, number, enumOf } from '../../schema/values.js';
import { createErrorResponse, ERROR_BODY, createRequestId, PRIVATE_HEADERS } from '../shared/response.js';
import { parseJsonRequest } from '../shared/read-request.js';
import { DEFAULT_TIMEOUT_MS, WAIT_TIMEOUT, waitForEffect } from '../shared/wait-for-milestone.js';
import { type ControlRequest, del, get, post, put } from './route.js';
import {
  AGENDA_VIEW,
  presentAgenda,
  CLOCK_VIEW,
  type ClockView,
  presentClock,
  DUE_VIEW,
  presentDueItem,
  CLOCK_RATE,
  SNAPSHOT_VIEW,
  presentSnapshot,
} from './schema.js';

export const ADVANCED_VIEW = is.resourceSchema('Advanced', 'Result of an advance.', {
  from: is.INSTANT,
  to: is.INSTANT,
  steps: is.COUNT,
  finished: is.BOOLEAN,
  clock: CLOCK_VIEW,
});
export type AdvancedView = Infer<typeof ADVANCED_VIEW>;

export const NEXT_VIEW = is.resourceSchema('Next', 'The executed item; null if nothing is due.', {
  did: nullable(DUE_VIEW),
  clock: CLOCK_VIEW,
});
export type NextView = Infer<typeof NEXT_VIEW>;

/** The lines of an advance: its steps, and its end or an error. */
function journeyOf<Of extends FieldSchemas>(name: string, end: ObjectSchema<Of>) {
  return nameSchema(
    name,
    discriminatedUnion('a message', 'type', [
      object('a step', { type: literal('step'), ...DUE_VIEW.fields }),
      object('the end', { type: literal('done'), ...end.fields }),
      object('an error', { type: literal('error'), ...ERROR_BODY.fields }),
    ]),
  );
}

const ADVANCE_MESSAGE = journeyOf('AdvanceMessage', ADVANCED_VIEW);
const NEXT_MESSAGE = journeyOf('NextMessage', NEXT_VIEW);

/** Bytes buffered for a slow client; further steps are left out. */
const QUEUE_LIMIT_BYTES = 1024 * 1024;

/**
 * Responds after the advance, or streams its steps to a client accepting NDJSON; stops if that client
 * disconnects.
 */
async function travel<View extends object>(
  { context, sandbox }: ControlRequest,
  advance: (options: AdvanceOptions) => Promise<View>,
): Promise<View | Response> {
  const { signal } = context.req.raw;
  const accepts = context.req.header('accept') ?? '';
  if (!accepts.includes('application/x-ndjson')) return advance({ signal });
  refuseWhileTraveling(sandbox);
  const encoder = new TextEncoder();
  const stopping = new AbortController();
  const start = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const write = (line: object) => {
      if (!stopping.signal.aborted) controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
    };
    const onStep = (due: DueItem) => {
      if ((controller.desiredSize ?? 0) > 0) write({ type: 'step', ...presentDueItem(due) });
    };
    try {
      const done = await advance({ signal: stopping.signal, onStep });
      await sandbox.flushed();
      write({ type: 'done', ...done });
    } catch (error) {
      write({ type: 'error', ...createErrorResponse(error, createRequestId(), sandbox.program).body });
    }
    if (!stopping.signal.aborted) controller.close();
  };
  const queue = new ByteLengthQueuingStrategy({ highWaterMark: QUEUE_LIMIT_BYTES });
  return new Response(new ReadableStream({ start, cancel: () => stopping.abort() }, queue), {
    headers: { 'content-type': 'application/x-ndjson', ...PRIVATE_HEADERS },
  });
}

function setRate(sandbox: Sandbox, rate: number): ClockView {
  refuseWhileTraveling(sandbox);
  sandbox.setRate(rate);
  return presentClock(sandbox);
}

function refuseWhileTraveling({ travel: { isInProgress } }: Sandbox): void {
  if (isInProgress) throw new Refusal('CLOCK_BUSY', 'An advance of the clock is under way.');
}

const errors = ['CLOCK_BUSY'] as const;

export const CLOCK_ROUTES = [
  get('agenda', 'List what is due, in order.', AGENDA_VIEW, {
    query: { limit: optional(integerRange(1, LIMITS.agendaEntries)) },
  })(({ sandbox, query }) => presentAgenda(sandbox, query.limit)),
  get('clock', 'Get the clock.', CLOCK_VIEW)(({ sandbox }) => presentClock(sandbox)),
  post('clock/advance', 'Advance the clock, doing everything that falls due.', ADVANCED_VIEW, {
    body: { byMs: renamed('by', acceptDuration({ example: '1d12h' })) },
    lines: ADVANCE_MESSAGE,
    errors,
  })((request) => {
    const { sandbox, body } = request;
    if (sandbox.clock.now() + body.byMs > LAST_INSTANT_MS) {
      throw createInvalidRequest('Not valid', [{ field: 'by', message: 'Must end before the year 10000.' }]);
    }
    return travel(request, async (options) => {
      const { from, to, ...rest } = await sandbox.travel.advanceBy(body.byMs, options);
      return { from: formatIsoTime(from), to: formatIsoTime(to), ...rest, clock: presentClock(sandbox) };
    });
  }),
  post('clock/next', 'Go to the next thing that falls due, and do it.', NEXT_VIEW, {
    lines: NEXT_MESSAGE,
    errors,
  })((request) =>
    travel(request, async (options) => {
      const due = await request.sandbox.travel.next(options);
      return { did: due === undefined ? null : presentDueItem(due), clock: presentClock(request.sandbox) };
    }),
  ),
  post('clock/freeze', 'Freeze the clock, now or at an instant.', CLOCK_VIEW, {
    body: { instant: renamed('at', nullish(INSTANT_INPUT)) },
    errors,
  })(async ({ sandbox, body: { instant }, withCause }) => {
    if (instant !== undefined) await sandbox.travel.advanceTo(instant);
    return withCause(() => setRate(sandbox, 0));
  }),
  post('clock/speed', 'Set the speed of the clock.', CLOCK_VIEW, {
    body: { rate: createNumberAboveSchema(0, LIMITS.clockRate) },
    errors,
  })(({ sandbox, body: { rate } }) => setRate(sandbox, rate)),
  post('clock/reset', 'Return to real time.', CLOCK_VIEW, { errors })(({ sandbox }) => setRate(sandbox, 1)),
  get(
    'idle',
    'Wait until nothing is in flight and nothing is due.',
    { idle: is.BOOLEAN },
    { query: { timeoutMs: renamed('timeout', optional(WAIT_TIMEOUT)) } },
  )(async ({ sandbox, query: { timeoutMs = DEFAULT_TIMEOUT_MS } }) => {
    if (sandbox.isIdle()) return { idle: true };
    const waiting = new AbortController();
    const { signal } = waiting;
    const idle = await Promise.race([
      sandbox.idle().then(() => true),
      waitForEffect(sandbox, { timeoutMs, signal, onReset: () => undefined }, () => undefined),
    ]);
    waiting.abort();
    return { idle };
  }),
];

/** An import ignores further fields, so the schema leaves them open. */
export const STATE_VIEW = nameSchema('State', {
  ...(anyValue as Schema<StateFile, object>),
  json: {
    type: 'object',
    description: 'The whole state, as a file; it holds tokens and secrets.',
    properties: {
      format: { const: 'pix-sandbox-state' },
      core: is.COUNT.json,
      version: is.TEXT.json,
      notice: is.TEXT.json,
      rate: CLOCK_RATE.json,
      world: { type: 'object' },
    },
    required: ['format', 'core', 'version', 'notice', 'rate', 'world'],
  },
});

export const STATE_DIFFERENCE = is.resourceSchema('StateDifference', 'Added, removed and changed rows.', {
  kind: enumOf(DIFFERENT_KINDS),
  id: is.TEXT,
  ...partial({ code: is.TEXT }),
  change: enumOf(['added', 'removed', 'changed']),
  ...partial({
    fields: record(is.objectSchema('The value before and after.', { from: anyValue, to: anyValue })),
  }),
});

export const COMPARED_VIEW = is.resourceSchema(
  'ComparedStates',
  'Differences between two states, without secrets.',
  {
    from: is.TEXT,
    to: withDoc('Null for the present.', nullable(is.TEXT)),
    count: withDoc('Total of differences; a response contains only the first of very many.', is.COUNT),
    differences: is.arrayOf(STATE_DIFFERENCE),
  },
);
export type ComparedView = Infer<typeof COMPARED_VIEW>;

const SNAPSHOT_NAME = acceptText(LIMITS.nameLength, SNAPSHOT_NAME_FORM);

const savedState = ({ rate, world }: Snapshot): ComparableState => ({ rate, world: restoreWorld(world) });

/** Long enough to read and respond to the requests received meanwhile. */
const BETWEEN_STEPS_MS = 10;

/** Routes for the whole state: export, import, snapshots and reset. */
export const STATE_ROUTES = [
  get(
    'state',
    'Export everything, with its secrets.',
    STATE_VIEW,
  )(({ sandbox: { world, clock } }) => createStateFile({ world, rate: clock.rate })),
  put(
    'state',
    'Replace the state with an exported one.',
    { imported: literal(true), clock: CLOCK_VIEW },
    { unparsed: STATE_VIEW },
  )(async ({ sandbox, bytes, withCause }) => {
    // At 100,000 deliveries each step takes half a second or more: other requests come between.
    const json = parseJsonRequest(bytes);
    await setTimeout(BETWEEN_STEPS_MS);
    const restored = readStateFile(json);
    await setTimeout(BETWEEN_STEPS_MS);
    withCause(() => sandbox.replaceWorld(restored, describeStateChange('imported')));
    sandbox.calls.clear();
    return { imported: true as const, clock: presentClock(sandbox) };
  }),
  get('state/snapshots', 'List the snapshots, oldest first.', { data: array(SNAPSHOT_VIEW) })(
    ({ sandbox }) => ({
      data: sandbox.snapshots.list().map(presentSnapshot),
    }),
  ),
  post('state/snapshots', 'Take a snapshot of the state.', SNAPSHOT_VIEW, {
    body: { name: SNAPSHOT_NAME },
    status: 201,
  })(({ sandbox, body }) => {
    sandbox.dispatch({ type: 'clock.tick' });
    return presentSnapshot(sandbox.saveSnapshot(body.name));
  }),
  post(
    'state/compare',
    'Compare a snapshot with another, or with the present; fields are named as the API names them.',
    COMPARED_VIEW,
    { body: { from: SNAPSHOT_NAME, to: nullish(SNAPSHOT_NAME) }, errors: ['NOT_FOUND'] },
  )(({ sandbox: { snapshots, world, clock }, body: { from, to } }) => {
    const after = to === undefined ? { world, rate: clock.rate } : savedState(snapshots.find(to));
    const found = diffWorlds(savedState(snapshots.find(from)), after);
    const shown = found.slice(0, LIMITS.stateDifferences);
    return { from, to: to ?? null, count: found.length, differences: shown };
  }),
  post('state/snapshots/:name/restore', 'Go back to a snapshot.', {
    restored: is.TEXT,
    clock: CLOCK_VIEW,
  })(({ sandbox, param }) => {
    const snapshot = sandbox.snapshots.find(param('name'));
    sandbox.replaceWorld(savedState(snapshot), describeStateChange('restored', snapshot.name));
    sandbox.calls.clear();
    return { restored: snapshot.name, clock: presentClock(sandbox) };
  }),
  del('state/snapshots/:name', 'Delete a snapshot.', { dropped: is.TEXT })(({ sandbox, param }) => {
    const name = param('name');
    sandbox.dropSnapshot(name);
    return { dropped: name };
  }),
  post('reset', 'Reset everything.', { reset: literal(true), clock: CLOCK_VIEW })(({ sandbox }) => {
    sandbox.reset();
    return { reset: true as const, clock: presentClock(sandbox) };
  }),
];

export const SCENARIO_LINE = is.resourceSchema('ScenarioLine', 'A scenario available by name.', {
  name: is.TEXT,
  description: is.TEXT,
  file: is.TEXT,
});
type ScenarioLine = Infer<typeof SCENARIO_LINE>;

const STEP = is.objectSchema('Result of a step.', {
  number: withDoc('From 1; 0 is the beginning.', is.COUNT),
  title: is.TEXT,
  ...partial({ note: is.TEXT }),
  status: enumOf(['passed', 'failed', 'skipped']),
  reasons: is.arrayOf(is.TEXT),
});

export const SCENARIO_RUN = is.resourceSchema(
  'ScenarioRun',
  'The result of a run, as `run --json` prints it.',
  {
    passed: is.BOOLEAN,
    sandbox: is.objectSchema('Which sandbox it ran against.', {
      kind: enumOf(['fresh', 'running']),
      ...partial({ url: is.ADDRESS }),
    }),
    scenarios: is.arrayOf(
      is.objectSchema('Result of a scenario.', {
        name: is.TEXT,
        file: withDoc('Null for a scenario that came with the request.', nullable(is.TEXT)),
        passed: is.BOOLEAN,
        duration_ms: number('milliseconds', { min: 0 }),
        notes: is.arrayOf(is.TEXT),
        steps: is.arrayOf(STEP),
      }),
    ),
  },
);
export type ScenarioRun = Infer<typeof SCENARIO_RUN>;

/** A scenario to run: by name, or inline. */
export type RunInput = (
  | { readonly name: string; readonly scenario?: undefined }
  | { readonly name?: undefined; readonly scenario: object }
) & { readonly fresh: boolean; readonly signal: AbortSignal };

/** Scenarios, as the program that starts a sandbox provides them. */
export interface Scenarios {
  readonly list: () => readonly ScenarioLine[];
  /** Refuses (NOT_FOUND, INVALID_REQUEST) an unknown or invalid scenario before anything runs. */
  readonly run: (input: RunInput) => Promise<ScenarioRun>;
  /** The scenario of what happened. */
  readonly record: (name: string | undefined) => Promise<object>;
}

/** Loads their code when it is first needed. */
export type ScenarioSource = () => Promise<Scenarios>;

const WHICH = bodyOf({
  name: nullish(NAME_INPUT),
  scenario: nullish(record(anyValue)),
  /** In a sandbox of its own, which the running one does not notice. */
  fresh: nullish(boolean, false),
});

/** List, run and record scenarios; one runs at a time. */
export function createScenarioRoutes(load: ScenarioSource = unavailable) {
  let isBusy = false;
  const alone = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (isBusy) {
      throw new Refusal('SCENARIO_BUSY', 'Another scenario is running.', {
        hint: 'Try again when it has ended; hanging up ends it, too.',
      });
    }
    isBusy = true;
    try {
      return await work();
    } finally {
      isBusy = false;
    }
  };
  const errors = ['NOT_FOUND', 'SCENARIO_BUSY'] as const;
  return [
    get(
      'scenarios',
      'List the built-in scenarios.',
      { data: array(SCENARIO_LINE) },
      { errors: ['NOT_FOUND'] },
    )(async () => ({ data: [...(await load()).list()] })),
    post('scenarios/run', 'Run a scenario, by its name or as JSON.', SCENARIO_RUN, {
      body: WHICH,
      errors,
      description:
        'It runs against this sandbox, or with `fresh` in a new one. One runs at a time; a client ' +
        'that hangs up ends it.',
    })(({ sandbox, context, body: { fresh, ...body } }) => {
      const which = whichOf(body);
      const client = context.req.raw.signal;
      return alone(async () => {
        const { run } = await load();
        return untilClosed(sandbox, client, (signal) => run({ ...which, fresh, signal }));
      });
    }),
    post(
      'scenarios/record',
      'Get a scenario of what happened, as `run --record` writes it: it repeats that and expects the same.',
      record(anyValue) as Schema<object, unknown>,
      { body: { name: nullish(acceptText(LIMITS.nameLength)) }, errors },
    )(({ body: { name } }) => alone(async () => (await load()).record(name))),
  ];
}

function whichOf({ name, scenario }: Omit<Infer<typeof WHICH>, 'fresh'>) {
  if (name !== undefined && scenario === undefined) return { name };
  if (name === undefined && scenario !== undefined) return { scenario };
  throw createInvalidRequest('Not valid', [{ field: 'name', message: 'Give either name or scenario.' }]);
}

/** Runs `work` with a signal that ends with its client and with the sandbox. */
async function untilClosed<Result>(
  sandbox: Sandbox,
  client: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const closing = new AbortController();
  const forget = sandbox.onClose(() => closing.abort());
  try {
    return await work(AbortSignal.any([client, closing.signal]));
  } catch (error) {
    if (!closing.signal.aborted && !client.aborted) throw error;
    throw new Refusal('SCENARIO_BUSY', 'The scenario was broken off.');
  } finally {
    forget();
  }
}

function unavailable(): Promise<never> {
  const hint = 'Begin it with `npx sandbox start`, or run scenarios with `npx sandbox run`.';
  return Promise.reject(new Refusal('NOT_FOUND', 'This sandbox was started without scenarios.', { hint }));
}
