import { LAST_INSTANT_MS, isoTime, parseDuration } from '../../core/time.js';
import { Refusal } from '../../core/refusal.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { AdvanceOptions, Advanced, Due } from '../../sandbox/time-travel.js';
import { dueNext } from '../../sandbox/time-travel.js';
import type { Answer } from '../answer.js';
import { errorBody, newRequestId } from '../answer.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { ok } from './control.js';

/** Faster than this, the timers of a machine cannot follow. */
const HIGHEST_RATE = 100_000;

export function clockView({ clock, travel, world }: Sandbox) {
  const due = dueNext(world);
  return {
    now: isoTime(clock.now()),
    rate: clock.rate,
    frozen: clock.rate === 0 && !travel.isUnderWay,
    advancing: travel.isUnderWay,
    next_due: due === undefined ? null : dueView(due),
  };
}

function dueView({ at, kind, id }: Due) {
  return { at: isoTime(at), kind, id };
}

function advancedView(sandbox: Sandbox, { from, to, steps, finished }: Advanced) {
  return { from: isoTime(from), to: isoTime(to), steps, finished, clock: clockView(sandbox) };
}

function problem(field: string, message: string): Refusal {
  return new Refusal('INVALID_REQUEST', `Not valid: ${field}.`, { details: [{ field, message }] });
}

/** An instant as ISO 8601 with its zone, in milliseconds. */
export function parseInstant(text: string): number | undefined {
  const isWhole = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/.test(text);
  const ms = isWhole ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) || ms < 0 || ms > LAST_INSTANT_MS ? undefined : ms;
}

function advance(request: ControlRequest): Promise<Answer | Response> {
  const { sandbox, fields } = request;
  const by = fields.take('by');
  const byMs = typeof by === 'string' ? parseDuration(by) : undefined;
  if (byMs === undefined) throw problem('by', 'Must be a duration such as 90s, 5m, 2h, 1d or 1d12h.');
  const target = sandbox.clock.now() + byMs;
  return travelAnswer(request, async (options) =>
    advancedView(sandbox, await sandbox.travel.advanceTo(target, options)),
  );
}

function next(request: ControlRequest): Promise<Answer | Response> {
  const { sandbox } = request;
  return travelAnswer(request, async (options) => {
    const due = await sandbox.travel.next(options);
    return { did: due === undefined ? null : dueView(due), clock: clockView(sandbox) };
  });
}

type Journey = (options: AdvanceOptions) => Promise<object>;

/** Answers when the journey is done, or streams its steps to a client that accepts NDJSON and stops when that goes away. */
async function travelAnswer(
  { context, sandbox }: ControlRequest,
  journey: Journey,
): Promise<Answer | Response> {
  const stopping = new AbortController();
  const accepts = context.req.header('accept') ?? '';
  if (!accepts.includes('application/x-ndjson')) {
    const { incoming, outgoing } = context.env ?? {};
    incoming?.socket.once('close', () => {
      if (outgoing?.writableFinished !== true) stopping.abort();
    });
    return ok(await journey({ signal: stopping.signal }));
  }
  if (sandbox.travel.isUnderWay) await journey({});
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    async start(controller) {
      const write = (line: object) => {
        if (!stopping.signal.aborted) controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
      };
      try {
        const onStep = (due: Due) => write({ type: 'step', ...dueView(due) });
        write({ type: 'done', ...(await journey({ signal: stopping.signal, onStep })) });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        write({ type: 'error', ...errorBody(error, newRequestId()) });
      }
      if (!stopping.signal.aborted) controller.close();
    },
    cancel() {
      stopping.abort();
    },
  });
  return new Response(stream, { headers: { 'content-type': 'application/x-ndjson' } });
}

async function freeze({ sandbox, fields }: ControlRequest): Promise<Answer> {
  const at = fields.optionalText('at', 40);
  const instant = at === undefined ? sandbox.clock.now() : parseInstant(at);
  if (instant === undefined) {
    throw problem('at', 'Must be an instant such as 2026-01-31T12:00:00Z.');
  }
  fields.done();
  if (at !== undefined) await sandbox.travel.advanceTo(instant);
  refuseWhileTravelling(sandbox);
  sandbox.setRate(0);
  return ok(clockView(sandbox));
}

function speed({ sandbox, fields }: ControlRequest): Answer {
  const rate = fields.take('rate');
  if (typeof rate !== 'number' || !(rate > 0) || rate > HIGHEST_RATE) {
    throw problem('rate', `Must be a number above 0 and up to ${HIGHEST_RATE}; 1 is real time.`);
  }
  refuseWhileTravelling(sandbox);
  sandbox.setRate(rate);
  return ok(clockView(sandbox));
}

function reset({ sandbox }: ControlRequest): Answer {
  refuseWhileTravelling(sandbox);
  sandbox.setRate(1);
  return ok(clockView(sandbox));
}

function refuseWhileTravelling({ travel }: Sandbox): void {
  if (travel.isUnderWay) throw new Refusal('CLOCK_BUSY', 'An advance of the clock is under way.');
}

export const CLOCK_ROUTES: readonly ControlRoute[] = [
  { method: 'GET', path: 'clock', handle: ({ sandbox }) => ok(clockView(sandbox)) },
  { method: 'POST', path: 'clock/advance', handle: advance },
  { method: 'POST', path: 'clock/next', handle: next },
  { method: 'POST', path: 'clock/freeze', handle: freeze },
  { method: 'POST', path: 'clock/speed', handle: speed },
  { method: 'POST', path: 'clock/reset', handle: reset },
];
