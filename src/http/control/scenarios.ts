import * as is from '../../core/resources/values.js';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { body as bodyOf, invalid } from '../../core/input/bodies.js';
import { NAME, text } from '../../core/input/kinds.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { record } from '../../schema/compound.js';
import { nullable, partial, nullish } from '../../schema/object.js';
import type { Infer } from '../../schema/schema.js';
import { described, number, oneOf, anything, flag } from '../../schema/values.js';
import type { ControlRoute } from './control.js';
import { ok, route } from './control.js';

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

const RUN = bodyOf({
  name: nullish(NAME),
  scenario: nullish(record(anything)),
  /** In a sandbox of its own, which the running one does not notice. */
  fresh: nullish(flag, false),
});
const RECORD = bodyOf({ name: nullish(text(LIMITS.nameLength)) });

/** List, run and record scenarios; one runs at a time. */
export function scenarioRoutes(load: ScenarioSource = unavailable): readonly ControlRoute[] {
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
  return [
    route('GET', 'scenarios', {}, async () => ok({ data: (await load()).list() })),
    route('POST', 'scenarios/run', { body: RUN }, ({ sandbox, context, body }) => {
      const asked = { ...whichOf(body), fresh: body.fresh };
      return alone(async () => {
        const { run } = await load();
        return untilClosed(sandbox, context.req.raw.signal, async (signal) =>
          ok(await run({ ...asked, signal })),
        );
      });
    }),
    route('POST', 'scenarios/record', { body: RECORD }, ({ body: { name } }) =>
      alone(async () => ok(await (await load()).record(name))),
    ),
  ];
}

function whichOf({ name, scenario }: Infer<typeof RUN>) {
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
