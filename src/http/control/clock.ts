import * as is from '../../core/resources/values.js';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { isoTime, LAST_INSTANT_MS } from '../../contract/time.js';
import { AGENDA_KINDS } from '../../core/agenda.js';
import type { Due } from '../../core/due.js';
import { dueInOrder, dueNext } from '../../core/due.js';
import { body as bodyOf } from '../../core/input/bodies.js';
import { duration, INSTANT, numberAbove, wholeNumber } from '../../core/input/kinds.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Advanced, AdvanceOptions } from '../../sandbox/time/time-travel.js';
import { named, nullable, nullish, object, optional } from '../../schema/object.js';
import type { Infer } from '../../schema/schema.js';
import { number, oneOf } from '../../schema/values.js';
import type { Answer } from '../operation/answer.js';
import { answerFor, newRequestId, PRIVATE_HEADERS } from '../operation/answer.js';
import { DEFAULT_TIMEOUT_MS, TIMEOUT_MS, waitFor } from '../operation/until.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { ok, route } from './control.js';

export const RATE = number('a rate', { least: 0 });

export const DUE = is.resource('Due', 'What falls due.', {
  at: is.INSTANT,
  kind: oneOf(AGENDA_KINDS),
  id: is.TEXT,
});
export type DueView = Infer<typeof DUE>;

export const AGENDA = is.resource('Agenda', 'What falls due, in order.', {
  due: is.listOf(is.shape('One thing that falls due.', { ...DUE.fields, title: is.TEXT })),
});
export type AgendaView = Infer<typeof AGENDA>;

export const CLOCK = is.resource('Clock', 'Sandbox time; a rate of 0 stands still and 1 is real time.', {
  now: is.INSTANT,
  real_now: is.INSTANT,
  rate: RATE,
  frozen: is.BOOLEAN,
  advancing: is.BOOLEAN,
  next_due: nullable(DUE),
});
export type ClockView = Infer<typeof CLOCK>;

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

export function clockView({ clock, travel, world, realNow }: Sandbox): ClockView {
  const due = dueNext(world);
  return {
    now: isoTime(clock.now()),
    real_now: isoTime(realNow()),
    rate: clock.rate,
    frozen: clock.rate === 0 && !travel.isUnderWay,
    advancing: travel.isUnderWay,
    next_due: due === undefined ? null : dueView(due),
  };
}

export function dueView({ at, kind, id }: Due): DueView {
  return { at: isoTime(at), kind, id };
}

/** How much of the agenda an answer holds when nothing else was asked for. */
const AGENDA_LENGTH = 20;

/** What is due, in order, without what was overtaken. */
export function agendaView({ world }: Sandbox, limit = AGENDA_LENGTH): AgendaView {
  return {
    due: dueInOrder(world, limit).map((one) => Object.assign(dueView(one), { title: one.title })),
  };
}

export function advancedView(sandbox: Sandbox, { from, to, steps, finished }: Advanced): AdvancedView {
  return { from: isoTime(from), to: isoTime(to), steps, finished, clock: clockView(sandbox) };
}

export function nextView(sandbox: Sandbox, due: Due | undefined): NextView {
  return { did: due === undefined ? null : dueView(due), clock: clockView(sandbox) };
}

/** Bytes buffered for a slow client; further steps are left out. */
const QUEUE_LIMIT_BYTES = 1024 * 1024;

const STEP = bodyOf({ byMs: named('by', duration({ example: '1d12h' })) });

type Journey = (options: AdvanceOptions) => Promise<object>;

/**
 * Answers when the advance is done, or streams its steps to a client that accepts NDJSON; it stops when that
 * client leaves.
 */
async function travelAnswer(
  { context, sandbox }: ControlRequest,
  journey: Journey,
): Promise<Answer | Response> {
  const { signal } = context.req.raw;
  const accepts = context.req.header('accept') ?? '';
  if (!accepts.includes('application/x-ndjson')) return ok(await journey({ signal }));
  refuseWhileTravelling(sandbox);
  const kept = async (options: AdvanceOptions) => {
    const done = await journey(options);
    await sandbox.kept();
    return done;
  };
  return new Response(stepsOf(kept, sandbox.program), {
    headers: { 'content-type': 'application/x-ndjson', ...PRIVATE_HEADERS },
  });
}

/** One line of JSON for each step, and a last one with the result of the advance. */
function stepsOf(journey: Journey, program: string | undefined): ReadableStream<Uint8Array> {
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
      write({ type: 'done', ...(await journey({ signal: stopping.signal, onStep })) });
    } catch (error) {
      const { body } = answerFor(error, newRequestId(), program);
      write({ type: 'error', ...body });
    }
    if (!stopping.signal.aborted) controller.close();
  };
  const cancel = () => stopping.abort();
  return new ReadableStream(
    { start, cancel },
    new ByteLengthQueuingStrategy({ highWaterMark: QUEUE_LIMIT_BYTES }),
  );
}

/** The instant to freeze the clock at; by default now. */
const FREEZE = bodyOf({ instant: named('at', nullish(INSTANT)) });
const SPEED = bodyOf({ rate: numberAbove(0, LIMITS.clockRate) });

function setRate(sandbox: Sandbox, rate: number): Answer {
  refuseWhileTravelling(sandbox);
  sandbox.setRate(rate);
  return ok(clockView(sandbox));
}

function refuseWhileTravelling({ travel }: Sandbox): void {
  if (travel.isUnderWay) throw new Refusal('CLOCK_BUSY', 'An advance of the clock is under way.');
}

const AGENDA_QUERY = object('a query', { limit: optional(wholeNumber(1, LIMITS.agendaEntries)) });

const WAIT_QUERY = object('a query', { timeoutMs: optional(TIMEOUT_MS) });

/** The response says whether the sandbox became idle before the real time ran out or the sandbox closed. */
const IDLE_ROUTE = route(
  'GET',
  'idle',
  { query: WAIT_QUERY },
  async ({ sandbox, query: { timeoutMs = DEFAULT_TIMEOUT_MS } }) => {
    if (sandbox.isIdle()) return ok({ idle: true });
    const waiting = new AbortController();
    const { signal } = waiting;
    const onReset = () => undefined;
    const idle = await Promise.race([
      sandbox.idle().then(() => true),
      waitFor(sandbox, { timeoutMs, signal, onReset }, () => undefined),
    ]);
    waiting.abort();
    return ok({ idle });
  },
);

export const CLOCK_ROUTES: readonly ControlRoute[] = [
  route('GET', 'agenda', { query: AGENDA_QUERY }, ({ sandbox, query }) =>
    ok(agendaView(sandbox, query.limit)),
  ),
  route('GET', 'clock', {}, ({ sandbox }) => ok(clockView(sandbox))),
  route('POST', 'clock/advance', { body: STEP }, (request) => {
    const { sandbox, body } = request;
    if (sandbox.clock.now() + body.byMs > LAST_INSTANT_MS) {
      throw new Refusal('INVALID_REQUEST', 'Not valid: by.', {
        details: [{ field: 'by', message: 'Must end before the year 10000.' }],
      });
    }
    return travelAnswer(request, async (options) =>
      advancedView(sandbox, await sandbox.travel.advanceBy(body.byMs, options)),
    );
  }),
  route('POST', 'clock/next', {}, (request) => {
    const { sandbox } = request;
    return travelAnswer(request, async (options) => nextView(sandbox, await sandbox.travel.next(options)));
  }),
  route('POST', 'clock/freeze', { body: FREEZE }, async ({ sandbox, body: { instant }, because }) => {
    if (instant !== undefined) await sandbox.travel.advanceTo(instant);
    return because(() => setRate(sandbox, 0));
  }),
  route('POST', 'clock/speed', { body: SPEED }, ({ sandbox, body: { rate } }) => setRate(sandbox, rate)),
  route('POST', 'clock/reset', {}, ({ sandbox }) => setRate(sandbox, 1)),
  IDLE_ROUTE,
];
