import * as is from '../../core/resources/values.js';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { isoTime, LAST_INSTANT_MS } from '../../contract/time.js';
import type { Due } from '../../core/due.js';
import { invalid } from '../../core/input/bodies.js';
import { duration, INSTANT, numberAbove, wholeNumber } from '../../core/input/kinds.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { AdvanceOptions } from '../../sandbox/time/time-travel.js';
import { variant } from '../../schema/compound.js';
import {
  type Fields,
  named,
  nullable,
  nullish,
  object,
  type ObjectSchema,
  optional,
} from '../../schema/object.js';
import { component, type Infer } from '../../schema/schema.js';
import { always } from '../../schema/values.js';
import { answerFor, newRequestId, PRIVATE_HEADERS } from '../operation/answer.js';
import { ERROR } from '../operation/error-body.js';
import { DEFAULT_TIMEOUT_MS, TIMEOUT_MS, waitFor } from '../operation/until.js';
import { type ControlRequest, get, post } from './route.js';
import { AGENDA, agendaView, CLOCK, type ClockView, clockView, DUE, dueView } from './schema.js';

export const ADVANCED = is.resource('Advanced', 'How far the clock went.', {
  from: is.INSTANT,
  to: is.INSTANT,
  steps: is.COUNT,
  finished: is.BOOLEAN,
  clock: CLOCK,
});
export type AdvancedView = Infer<typeof ADVANCED>;

export const NEXT = is.resource('Next', 'What was done; null where nothing falls due.', {
  did: nullable(DUE),
  clock: CLOCK,
});
export type NextView = Infer<typeof NEXT>;

/** The lines of an advance: its steps, and its end or an error. */
function journeyOf<Of extends Fields>(name: string, end: ObjectSchema<Of>) {
  return component(
    name,
    variant('a message', 'type', [
      object('a step', { type: always('step'), ...DUE.fields }),
      object('the end', { type: always('done'), ...end.fields }),
      object('an error', { type: always('error'), ...ERROR.fields }),
    ]),
  );
}

const ADVANCE_MESSAGE = journeyOf('AdvanceMessage', ADVANCED);
const NEXT_MESSAGE = journeyOf('NextMessage', NEXT);

/** Bytes buffered for a slow client; further steps are left out. */
const QUEUE_LIMIT_BYTES = 1024 * 1024;

/**
 * Answers when the advance is done, or streams its steps to a client that accepts NDJSON; it stops when that
 * client leaves.
 */
async function travel<View extends object>(
  { context, sandbox }: ControlRequest,
  journey: (options: AdvanceOptions) => Promise<View>,
): Promise<View | Response> {
  const { signal } = context.req.raw;
  const accepts = context.req.header('accept') ?? '';
  if (!accepts.includes('application/x-ndjson')) return journey({ signal });
  refuseWhileTravelling(sandbox);
  const encoder = new TextEncoder();
  const stopping = new AbortController();
  const start = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const write = (line: object) => {
      if (!stopping.signal.aborted) controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
    };
    const onStep = (due: Due) => {
      if ((controller.desiredSize ?? 0) > 0) write({ type: 'step', ...dueView(due) });
    };
    try {
      const done = await journey({ signal: stopping.signal, onStep });
      await sandbox.kept();
      write({ type: 'done', ...done });
    } catch (error) {
      write({ type: 'error', ...answerFor(error, newRequestId(), sandbox.program).body });
    }
    if (!stopping.signal.aborted) controller.close();
  };
  const queue = new ByteLengthQueuingStrategy({ highWaterMark: QUEUE_LIMIT_BYTES });
  return new Response(new ReadableStream({ start, cancel: () => stopping.abort() }, queue), {
    headers: { 'content-type': 'application/x-ndjson', ...PRIVATE_HEADERS },
  });
}

function setRate(sandbox: Sandbox, rate: number): ClockView {
  refuseWhileTravelling(sandbox);
  sandbox.setRate(rate);
  return clockView(sandbox);
}

function refuseWhileTravelling({ travel: { isUnderWay } }: Sandbox): void {
  if (isUnderWay) throw new Refusal('CLOCK_BUSY', 'An advance of the clock is under way.');
}

const errors = ['CLOCK_BUSY'] as const;

export const CLOCK_ROUTES = [
  get('agenda', 'List what is due, in order.', AGENDA, {
    query: { limit: optional(wholeNumber(1, LIMITS.agendaEntries)) },
  })(({ sandbox, query }) => agendaView(sandbox, query.limit)),
  get('clock', 'Get the clock.', CLOCK)(({ sandbox }) => clockView(sandbox)),
  post('clock/advance', 'Advance the clock, doing everything that falls due.', ADVANCED, {
    body: { byMs: named('by', duration({ example: '1d12h' })) },
    lines: ADVANCE_MESSAGE,
    errors,
  })((request) => {
    const { sandbox, body } = request;
    if (sandbox.clock.now() + body.byMs > LAST_INSTANT_MS) {
      throw invalid('Not valid', [{ field: 'by', message: 'Must end before the year 10000.' }]);
    }
    return travel(request, async (options) => {
      const { from, to, ...rest } = await sandbox.travel.advanceBy(body.byMs, options);
      return { from: isoTime(from), to: isoTime(to), ...rest, clock: clockView(sandbox) };
    });
  }),
  post('clock/next', 'Go to the next thing that falls due, and do it.', NEXT, {
    lines: NEXT_MESSAGE,
    errors,
  })((request) =>
    travel(request, async (options) => {
      const due = await request.sandbox.travel.next(options);
      return { did: due === undefined ? null : dueView(due), clock: clockView(request.sandbox) };
    }),
  ),
  post('clock/freeze', 'Freeze the clock, now or at an instant.', CLOCK, {
    body: { instant: named('at', nullish(INSTANT)) },
    errors,
  })(async ({ sandbox, body: { instant }, because }) => {
    if (instant !== undefined) await sandbox.travel.advanceTo(instant);
    return because(() => setRate(sandbox, 0));
  }),
  post('clock/speed', 'Set the speed of the clock.', CLOCK, {
    body: { rate: numberAbove(0, LIMITS.clockRate) },
    errors,
  })(({ sandbox, body: { rate } }) => setRate(sandbox, rate)),
  post('clock/reset', 'Return to real time.', CLOCK, { errors })(({ sandbox }) => setRate(sandbox, 1)),
  get(
    'idle',
    'Wait until nothing is in flight and nothing is due.',
    { idle: is.BOOLEAN },
    { query: { timeoutMs: named('timeout', optional(TIMEOUT_MS)) } },
  )(async ({ sandbox, query: { timeoutMs = DEFAULT_TIMEOUT_MS } }) => {
    if (sandbox.isIdle()) return { idle: true };
    const waiting = new AbortController();
    const { signal } = waiting;
    const idle = await Promise.race([
      sandbox.idle().then(() => true),
      waitFor(sandbox, { timeoutMs, signal, onReset: () => undefined }, () => undefined),
    ]);
    waiting.abort();
    return { idle };
  }),
];
