import * as is from '../../core/resources/values.js';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { body as bodyOf, invalid } from '../../core/input/bodies.js';
import { NAME, text } from '../../core/input/kinds.js';
import { type Compared, differences, DIFFERENT_KINDS } from '../../core/state/compare.js';
import { importWorld } from '../../core/state/import.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { type Snapshot, SNAPSHOT_NAME_FORM } from '../../sandbox/snapshots.js';
import { readStateFile, type StateFile, stateFile } from '../../sandbox/state-file.js';
import { stateSaid } from '../../sandbox/timeline/said.js';
import { list, record } from '../../schema/compound.js';
import { nullable, nullish, partial } from '../../schema/object.js';
import { component, type Infer, type Schema } from '../../schema/schema.js';
import { always, anything, described, flag, number, oneOf } from '../../schema/values.js';
import { parseJson } from '../operation/read-request.js';
import { del, get, post, put } from './route.js';
import { CLOCK, clockView, RATE, SNAPSHOT, snapshotView } from './schema.js';

/** An import ignores further fields, so the schema leaves them open. */
export const STATE = component('State', {
  ...(anything as Schema<StateFile>),
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

const SNAPSHOT_NAME = text(LIMITS.nameLength, SNAPSHOT_NAME_FORM);

const savedState = ({ rate, world }: Snapshot): Compared => ({ rate, world: importWorld(world) });

/** Routes for the whole state: export, import, snapshots and reset. */
export const STATE_ROUTES = [
  get(
    'state',
    'Export everything, with its secrets.',
    STATE,
  )(({ sandbox: { world, clock } }) => stateFile({ world, rate: clock.rate })),
  put(
    'state',
    'Replace the state with an exported one.',
    { imported: always(true), clock: CLOCK },
    { unparsed: STATE },
  )(({ sandbox, bytes }) => {
    sandbox.place(readStateFile(parseJson(bytes)), stateSaid('imported'));
    sandbox.calls.clear();
    return { imported: true as const, clock: clockView(sandbox) };
  }),
  get('state/snapshots', 'List the snapshots, oldest first.', { data: list(SNAPSHOT) })(({ sandbox }) => ({
    data: sandbox.snapshots.list().map(snapshotView),
  })),
  post('state/snapshots', 'Take a snapshot of the state.', SNAPSHOT, {
    body: { name: SNAPSHOT_NAME },
    status: 201,
  })(({ sandbox, body }) => {
    sandbox.dispatch({ type: 'clock.tick' });
    return snapshotView(sandbox.saveSnapshot(body.name));
  }),
  post(
    'state/compare',
    'Compare a snapshot with another, or with the present; fields are named as the API names them.',
    COMPARED,
    { body: { from: SNAPSHOT_NAME, to: nullish(SNAPSHOT_NAME) }, errors: ['NOT_FOUND'] },
  )(({ sandbox: { snapshots, world, clock }, body: { from, to } }) => {
    const after = to === undefined ? { world, rate: clock.rate } : savedState(snapshots.find(to));
    const found = differences(savedState(snapshots.find(from)), after);
    const shown = found.slice(0, LIMITS.stateDifferences);
    return { from, to: to ?? null, count: found.length, differences: shown };
  }),
  post('state/snapshots/:name/restore', 'Go back to a snapshot.', { restored: is.TEXT, clock: CLOCK })(
    ({ sandbox, param }) => {
      const snapshot = sandbox.snapshots.find(param('name'));
      sandbox.place(savedState(snapshot), stateSaid('restored', snapshot.name));
      sandbox.calls.clear();
      return { restored: snapshot.name, clock: clockView(sandbox) };
    },
  ),
  del('state/snapshots/:name', 'Delete a snapshot.', { dropped: is.TEXT })(({ sandbox, param }) => {
    const name = param('name');
    sandbox.dropSnapshot(name);
    return { dropped: name };
  }),
  post('reset', 'Reset everything.', { reset: always(true), clock: CLOCK })(({ sandbox }) => {
    sandbox.reset();
    return { reset: true as const, clock: clockView(sandbox) };
  }),
];

export const SCENARIO_LINE = is.resource('ScenarioLine', 'A scenario that can be run by its name.', {
  name: is.TEXT,
  description: is.TEXT,
  file: is.TEXT,
});
export type ScenarioLine = Infer<typeof SCENARIO_LINE>;

const STEP = is.shape('How a step went.', {
  number: described('From 1; 0 is the beginning.', is.COUNT),
  title: is.TEXT,
  ...partial({ note: is.TEXT }),
  status: oneOf(['passed', 'failed', 'skipped']),
  reasons: is.listOf(is.TEXT),
});

export const SCENARIO_RUN = is.resource('ScenarioRun', 'The result of a run, as `run --json` prints it.', {
  passed: is.BOOLEAN,
  sandbox: is.shape('Which sandbox it ran against.', {
    kind: oneOf(['fresh', 'running']),
    ...partial({ url: is.ADDRESS }),
  }),
  scenarios: is.listOf(
    is.shape('How a scenario went.', {
      name: is.TEXT,
      file: described('Null for a scenario that came with the request.', nullable(is.TEXT)),
      passed: is.BOOLEAN,
      duration_ms: number('milliseconds', { least: 0 }),
      notes: is.listOf(is.TEXT),
      steps: is.listOf(STEP),
    }),
  ),
});
export type ScenarioRun = Infer<typeof SCENARIO_RUN>;

/** What to run: a scenario by its name, or itself. */
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
  name: nullish(NAME),
  scenario: nullish(record(anything)),
  /** In a sandbox of its own, which the running one does not notice. */
  fresh: nullish(flag, false),
});

/** List, run and record scenarios; one runs at a time. */
export function scenarioRoutes(load: ScenarioSource = unavailable) {
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
      { data: list(SCENARIO_LINE) },
      { errors: ['NOT_FOUND'] },
    )(async () => ({ data: [...(await load()).list()] })),
    post('scenarios/run', 'Run a scenario, by its name or as JSON.', SCENARIO_RUN, {
      body: WHICH,
      errors,
      description:
        'It runs against this sandbox, or with `fresh` in one of its own. One runs at a time; a client ' +
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
      record(anything) as Schema<object>,
      { body: { name: nullish(text(LIMITS.nameLength)) }, errors },
    )(({ body: { name } }) => alone(async () => (await load()).record(name))),
  ];
}

function whichOf({ name, scenario }: Omit<Infer<typeof WHICH>, 'fresh'>) {
  if (name !== undefined && scenario === undefined) return { name };
  if (name === undefined && scenario !== undefined) return { scenario };
  throw invalid('Not valid', [{ field: 'name', message: 'Give either name or scenario.' }]);
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
