import { setTimeout } from 'node:timers/promises';
import * as is from '../../core/resources/values.js';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { formatIsoTime, LAST_INSTANT_MS } from '../../contract/time.js';
import type { DueItem } from '../../core/due.js';
import { createBodySchema as bodyOf, createInvalidRequest } from '../../core/input/bodies.js';
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
import { array, record, unionBy } from '../../schema/compound.js';
import {
  type FieldSchemas,
  renameField,
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
import { type ControlRequest, defineDelete, defineGet, definePost, definePut } from './route.js';
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

export const ADVANCE_VIEW = is.createResourceSchema('Advanced', 'The result of advancing the clock.', {
  from: is.INSTANT,
  to: is.INSTANT,
  steps: is.COUNT,
  finished: is.BOOLEAN,
  clock: CLOCK_VIEW,
});
export type AdvancedView = Infer<typeof ADVANCE_VIEW>;

export const NEXT_VIEW = is.createResourceSchema('Next', 'The executed item, or null if nothing was due.', {
  did: nullable(DUE_VIEW),
  clock: CLOCK_VIEW,
});
export type NextView = Infer<typeof NEXT_VIEW>;

/** Builds the schema of NDJSON lines: steps, then the result or an error. */
function createAdvanceSchema<Of extends FieldSchemas>(name: string, end: ObjectSchema<Of>) {
  return nameSchema(
    name,
    unionBy('a message', 'type', [
      object('a step', { type: literal('step'), ...DUE_VIEW.fields }),
      object('the end', { type: literal('done'), ...end.fields }),
      object('an error', { type: literal('error'), ...ERROR_BODY.fields }),
    ]),
  );
}

const ADVANCE_MESSAGE = createAdvanceSchema('AdvanceMessage', ADVANCE_VIEW);
const NEXT_MESSAGE = createAdvanceSchema('NextMessage', NEXT_VIEW);

/** Maximum bytes buffered for a slow client; steps beyond the limit are dropped. */
const QUEUE_LIMIT_BYTES = 1024 * 1024;

/**
 * Responds after the advance, or streams the steps to a client that accepts NDJSON. Stops when the client
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
  if (isInProgress) throw new Refusal('CLOCK_BUSY', 'The clock is already being advanced.');
}

const errors = ['CLOCK_BUSY'] as const;

export const CLOCK_ROUTES = [
  defineGet('agenda', 'List scheduled items in order.', AGENDA_VIEW, {
    query: { limit: optional(integerRange(1, LIMITS.agendaEntries)) },
  })(({ sandbox, query }) => presentAgenda(sandbox, query.limit)),
  defineGet('clock', 'Get the clock.', CLOCK_VIEW)(({ sandbox }) => presentClock(sandbox)),
  definePost('clock/advance', 'Advance the clock and run all due items.', ADVANCE_VIEW, {
    body: { byMs: renameField('by', acceptDuration({ example: '1d12h' })) },
    lines: ADVANCE_MESSAGE,
    errors,
  })((request) => {
    const { sandbox, body } = request;
    if (sandbox.clock.now() + body.byMs > LAST_INSTANT_MS) {
      throw createInvalidRequest('Invalid fields', [
        { field: 'by', message: 'Must end before the year 10000.' },
      ]);
    }
    return travel(request, async (options) => {
      const { from, to, ...rest } = await sandbox.travel.advanceBy(body.byMs, options);
      return { from: formatIsoTime(from), to: formatIsoTime(to), ...rest, clock: presentClock(sandbox) };
    });
  }),
  definePost('clock/next', 'Advance to the next scheduled item and run it.', NEXT_VIEW, {
    lines: NEXT_MESSAGE,
    errors,
  })((request) =>
    travel(request, async (options) => {
      const due = await request.sandbox.travel.next(options);
      return { did: due === undefined ? null : presentDueItem(due), clock: presentClock(request.sandbox) };
    }),
  ),
  definePost('clock/freeze', 'Freeze the clock, now or at an instant.', CLOCK_VIEW, {
    body: { instant: renameField('at', nullish(INSTANT_INPUT)) },
    errors,
  })(async ({ sandbox, body: { instant }, withCause }) => {
    if (instant !== undefined) await sandbox.travel.advanceTo(instant);
    return withCause(() => setRate(sandbox, 0));
  }),
  definePost('clock/speed', 'Set the clock speed.', CLOCK_VIEW, {
    body: { rate: createNumberAboveSchema(0, LIMITS.clockRate) },
    errors,
  })(({ sandbox, body: { rate } }) => setRate(sandbox, rate)),
  definePost('clock/reset', 'Return to real time.', CLOCK_VIEW, { errors })(({ sandbox }) =>
    setRate(sandbox, 1),
  ),
  defineGet(
    'idle',
    'Wait until nothing is in flight and nothing is due.',
    { idle: is.BOOLEAN },
    { query: { timeoutMs: renameField('timeout', optional(WAIT_TIMEOUT)) } },
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

/** Allows additional fields, because imports ignore them. */
export const STATE_VIEW = nameSchema('State', {
  ...(anyValue as Schema<StateFile, object>),
  json: {
    type: 'object',
    description: 'The full state as a file, including tokens and secrets.',
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

export const STATE_DIFFERENCE = is.createResourceSchema(
  'StateDifference',
  'An added, removed or changed row.',
  {
    kind: enumOf(DIFFERENT_KINDS),
    id: is.TEXT,
    ...partial({ code: is.TEXT }),
    change: enumOf(['added', 'removed', 'changed']),
    ...partial({
      fields: record(is.createObjectSchema('The value before and after.', { from: anyValue, to: anyValue })),
    }),
  },
);

export const COMPARED_VIEW = is.createResourceSchema(
  'ComparedStates',
  'Differences between two states, without secrets.',
  {
    from: is.TEXT,
    to: withDoc('Null for the current state.', nullable(is.TEXT)),
    count: withDoc(
      'The total number of differences, even if the response contains only the first few.',
      is.COUNT,
    ),
    differences: is.arrayOf(STATE_DIFFERENCE),
  },
);
export type ComparedView = Infer<typeof COMPARED_VIEW>;

const SNAPSHOT_NAME = acceptText(LIMITS.nameLength, SNAPSHOT_NAME_FORM);

const savedState = ({ rate, world }: Snapshot): ComparableState => ({ rate, world: restoreWorld(world) });

/** Pause between import steps to let other requests run. */
const BETWEEN_STEPS_MS = 10;

/** Routes for state export, import, snapshots and reset. */
export const STATE_ROUTES = [
  defineGet(
    'state',
    'Export the full state, including secrets.',
    STATE_VIEW,
  )(({ sandbox: { world, clock } }) => createStateFile({ world, rate: clock.rate })),
  definePut(
    'state',
    'Replace the state with an exported state.',
    { imported: literal(true), clock: CLOCK_VIEW },
    { unparsed: STATE_VIEW },
  )(async ({ sandbox, bytes, withCause }) => {
    // With 100,000 deliveries, each step takes at least half a second; the pauses let other requests run.
    const json = parseJsonRequest(bytes);
    await setTimeout(BETWEEN_STEPS_MS);
    const restored = readStateFile(json);
    await setTimeout(BETWEEN_STEPS_MS);
    withCause(() => sandbox.replaceWorld(restored, describeStateChange('imported')));
    sandbox.calls.clear();
    return { imported: true as const, clock: presentClock(sandbox) };
  }),
  defineGet('state/snapshots', 'List the snapshots, oldest first.', { data: array(SNAPSHOT_VIEW) })(
    ({ sandbox }) => ({
      data: sandbox.snapshots.list().map(presentSnapshot),
    }),
  ),
  definePost('state/snapshots', 'Take a snapshot of the state.', SNAPSHOT_VIEW, {
    body: { name: SNAPSHOT_NAME },
    status: 201,
  })(({ sandbox, body }) => {
    sandbox.dispatch({ type: 'clock.tick' });
    return presentSnapshot(sandbox.saveSnapshot(body.name));
  }),
  definePost(
    'state/compare',
    'Compare a snapshot with another snapshot or the current state; fields use their API names.',
    COMPARED_VIEW,
    { body: { from: SNAPSHOT_NAME, to: nullish(SNAPSHOT_NAME) }, errors: ['NOT_FOUND'] },
  )(({ sandbox: { snapshots, world, clock }, body: { from, to } }) => {
    const after = to === undefined ? { world, rate: clock.rate } : savedState(snapshots.find(to));
    const found = diffWorlds(savedState(snapshots.find(from)), after);
    const shown = found.slice(0, LIMITS.stateDifferences);
    return { from, to: to ?? null, count: found.length, differences: shown };
  }),
  definePost('state/snapshots/:name/restore', 'Restore a snapshot.', {
    restored: is.TEXT,
    clock: CLOCK_VIEW,
  })(({ sandbox, param }) => {
    const snapshot = sandbox.snapshots.find(param('name'));
    sandbox.replaceWorld(savedState(snapshot), describeStateChange('restored', snapshot.name));
    sandbox.calls.clear();
    return { restored: snapshot.name, clock: presentClock(sandbox) };
  }),
  defineDelete('state/snapshots/:name', 'Delete a snapshot.', { dropped: is.TEXT })(({ sandbox, param }) => {
    const name = param('name');
    sandbox.dropSnapshot(name);
    return { dropped: name };
  }),
  definePost('reset', 'Reset the sandbox.', { reset: literal(true), clock: CLOCK_VIEW })(({ sandbox }) => {
    sandbox.reset();
    return { reset: true as const, clock: presentClock(sandbox) };
  }),
];

export const SCENARIO_LINE = is.createResourceSchema('ScenarioLine', 'A scenario available by name.', {
  name: is.TEXT,
  description: is.TEXT,
  file: is.TEXT,
});
type ScenarioLine = Infer<typeof SCENARIO_LINE>;

const STEP = is.createObjectSchema('The result of a step.', {
  number: withDoc('The 1-based step number; 0 is the setup.', is.COUNT),
  title: is.TEXT,
  ...partial({ note: is.TEXT }),
  status: enumOf(['passed', 'failed', 'skipped']),
  reasons: is.arrayOf(is.TEXT),
});

export const SCENARIO_RUN = is.createResourceSchema(
  'ScenarioRun',
  'The result of a run, as `run --json` prints it.',
  {
    passed: is.BOOLEAN,
    sandbox: is.createObjectSchema('The sandbox used for the run.', {
      kind: enumOf(['fresh', 'running']),
      ...partial({ url: is.ADDRESS }),
    }),
    scenarios: is.arrayOf(
      is.createObjectSchema('The result of a scenario.', {
        name: is.TEXT,
        file: withDoc('Null for an inline scenario.', nullable(is.TEXT)),
        passed: is.BOOLEAN,
        duration_ms: number('milliseconds', { min: 0 }),
        notes: is.arrayOf(is.TEXT),
        steps: is.arrayOf(STEP),
      }),
    ),
  },
);
export type ScenarioRun = Infer<typeof SCENARIO_RUN>;

/** A scenario to run, by name or inline. */
export type RunInput = (
  | { readonly name: string; readonly scenario?: undefined }
  | { readonly name?: undefined; readonly scenario: object }
) & { readonly fresh: boolean; readonly signal: AbortSignal };

/** Scenario functions provided by the program that starts the sandbox. */
export interface Scenarios {
  readonly list: () => readonly ScenarioLine[];
  /** Throws NOT_FOUND or INVALID_REQUEST for an unknown or invalid scenario before running anything. */
  readonly run: (input: RunInput) => Promise<ScenarioRun>;
  /** Records the timeline as a scenario. */
  readonly record: (name: string | undefined) => Promise<object>;
}

/** Loads the scenario code on first use. */
export type ScenarioSource = () => Promise<Scenarios>;

const WHICH = bodyOf({
  name: nullish(NAME_INPUT),
  scenario: nullish(record(anyValue)),
  /** Runs the scenario in a new sandbox, without affecting this sandbox. */
  fresh: nullish(boolean, false),
});

/** Creates the routes for listing, running and recording scenarios. Only one scenario runs at a time. */
export function createScenarioRoutes(load: ScenarioSource = unavailable) {
  let isBusy = false;
  const runExclusively = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (isBusy) {
      throw new Refusal('SCENARIO_BUSY', 'Another scenario is running.', {
        hint: 'Wait until that scenario ends, or disconnect its client to stop it.',
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
    defineGet(
      'scenarios',
      'List the built-in scenarios.',
      { data: array(SCENARIO_LINE) },
      { errors: ['NOT_FOUND'] },
    )(async () => ({ data: [...(await load()).list()] })),
    definePost('scenarios/run', 'Run a scenario by name or from JSON.', SCENARIO_RUN, {
      body: WHICH,
      errors,
      description:
        'The scenario runs in this sandbox or, with `fresh`, in a new sandbox. Only one scenario runs at a ' +
        'time; disconnecting stops the scenario.',
    })(({ sandbox, context, body: { fresh, ...body } }) => {
      const which = selectScenario(body);
      const client = context.req.raw.signal;
      return runExclusively(async () => {
        const { run } = await load();
        return withCloseSignal(sandbox, client, (signal) => run({ ...which, fresh, signal }));
      });
    }),
    definePost(
      'scenarios/record',
      'Record the timeline as a scenario that repeats it and expects the same results, like `run --record`.',
      record(anyValue) as Schema<object, unknown>,
      { body: { name: nullish(acceptText(LIMITS.nameLength)) }, errors },
    )(({ body: { name } }) => runExclusively(async () => (await load()).record(name))),
  ];
}

function selectScenario({ name, scenario }: Omit<Infer<typeof WHICH>, 'fresh'>) {
  if (name !== undefined && scenario === undefined) return { name };
  if (name === undefined && scenario !== undefined) return { scenario };
  throw createInvalidRequest('Invalid fields', [{ field: 'name', message: 'Pass either name or scenario.' }]);
}

/** Runs `work` with a signal that aborts when the client disconnects or the sandbox closes. */
async function withCloseSignal<Result>(
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
    throw new Refusal('SCENARIO_BUSY', 'The scenario was interrupted.');
  } finally {
    forget();
  }
}

function unavailable(): Promise<never> {
  const hint = 'Start the sandbox with `npx sandbox start`, or run scenarios with `npx sandbox run`.';
  return Promise.reject(new Refusal('NOT_FOUND', 'This sandbox was started without scenarios.', { hint }));
}
