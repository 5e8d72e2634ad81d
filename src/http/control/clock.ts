import { LAST_INSTANT_MS, parseDuration } from '../../core/time.js';
import { Refusal } from '../../core/refusal.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { AdvanceOptions, Due } from '../../sandbox/time-travel.js';
import type { Answer } from '../answer.js';
import { answerFor, newRequestId } from '../answer.js';
import { advancedView, clockView, dueView, nextView } from './clock-view.js';
import { parseInstant } from '../instant.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { noMoreFields, ok } from './control.js';

/** What may wait for a client that reads its steps slowly; the steps beyond are left out. */
const QUEUE_LIMIT_BYTES = 1024 * 1024;
/** Faster than this, the timers of a machine cannot follow. */
const HIGHEST_RATE = 100_000;

function advance(request: ControlRequest): Promise<Answer | Response> {
  const { sandbox, fields } = request;
  const by = fields.take('by');
  const byMs = typeof by === 'string' ? parseDuration(by) : undefined;
  if (byMs === undefined) fields.problem('by', 'Must be a duration such as 90s, 5m, 2h, 1d or 1d12h.');
  const target = sandbox.clock.now() + (byMs ?? 0);
  if (target > LAST_INSTANT_MS) fields.problem('by', 'Must end before the year 10000.');
  noMoreFields(fields);
  return travelAnswer(request, async (options) =>
    advancedView(sandbox, await sandbox.travel.advanceTo(target, options)),
  );
}

function next(request: ControlRequest): Promise<Answer | Response> {
  const { sandbox, fields } = request;
  noMoreFields(fields);
  return travelAnswer(request, async (options) => {
    return nextView(sandbox, await sandbox.travel.next(options));
  });
}

type Journey = (options: AdvanceOptions) => Promise<object>;

/** Answers when the journey is done, or streams its steps to a client that accepts NDJSON; it stops when that goes away. */
async function travelAnswer(
  { context, sandbox }: ControlRequest,
  journey: Journey,
): Promise<Answer | Response> {
  const { signal } = context.req.raw;
  const accepts = context.req.header('accept') ?? '';
  if (!accepts.includes('application/x-ndjson')) return ok(await journey({ signal }));
  refuseWhileTravelling(sandbox);
  return new Response(stepsOf(journey), { headers: { 'content-type': 'application/x-ndjson' } });
}

/** One line of JSON for each step, and a last one that says how the journey ended. */
function stepsOf(journey: Journey): ReadableStream<Uint8Array> {
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
      const { body } = answerFor(error, newRequestId());
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

async function freeze({ sandbox, fields }: ControlRequest): Promise<Answer> {
  const at = fields.optionalText('at', 40);
  const instant = at === undefined ? undefined : parseInstant(at);
  if (at !== undefined && instant === undefined) {
    fields.problem('at', 'Must be an instant such as 2026-01-31T12:00:00Z.');
  }
  noMoreFields(fields);
  if (instant !== undefined) await sandbox.travel.advanceTo(instant);
  refuseWhileTravelling(sandbox);
  sandbox.setRate(0);
  return ok(clockView(sandbox));
}

function speed({ sandbox, fields }: ControlRequest): Answer {
  const rate = fields.take('rate');
  if (typeof rate !== 'number' || !(rate > 0) || rate > HIGHEST_RATE) {
    fields.problem('rate', `Must be a number above 0 and up to ${HIGHEST_RATE}; 1 is real time.`);
  }
  noMoreFields(fields);
  refuseWhileTravelling(sandbox);
  sandbox.setRate(Number(rate));
  return ok(clockView(sandbox));
}

function reset({ sandbox, fields }: ControlRequest): Answer {
  noMoreFields(fields);
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
