import { performance } from 'node:perf_hooks';
import type { ControlClient } from '../../../client/control.js';
import type { ClockView } from '../../../http/control/schema.js';
import type { BodyOf } from '../../program/declaration.js';
import { EXIT, usageError } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import { durationOf } from '../../program/options.js';
import { present } from '../../sandbox/present.js';
import { withSandbox } from '../../sandbox/find-sandbox.js';
import { atMostEvery } from '../../terminal/progress.js';
import { instantText, roundedSpanText } from '../../terminal/when.js';
import type * as declared from './command.js';
import type { StepTaken } from './journey.js';
import { advanceClock } from './journey.js';
import { attemptOutcome, clockText, dueText } from './text.js';

const PROGRESS_MS = 1_000;

export const show = present((client) => client.get('clock'), clockText);

export const advance: BodyOf<typeof declared.advance> = async (invocation) => {
  const { io, args } = invocation;
  const by = durationOf(args.duration, 'The way to advance').text;
  const isShown = io.columns > 0 && !io.json;
  const progress = atMostEvery<readonly [StepTaken, number]>(
    PROGRESS_MS,
    () => performance.now(),
    ([{ at }, ordinal]) => io.progress(`… ${instantText(at)}, ${stepsText(ordinal)}`),
  );
  const tellStopping = () => io.note('Stopping after the current step; Ctrl-C again exits at once.');
  if (!io.json) io.stopping.addEventListener('abort', tellStopping, { once: true });
  return withSandbox(invocation, async (client) => {
    const done = await advanceClock(client, by, {
      stopping: io.stopping,
      onStep: (step, ordinal) => {
        if (isShown) progress([step, ordinal]);
      },
    });
    io.emit(done);
    const { from, to, steps, finished, clock } = done;
    const span = roundedSpanText(Date.parse(to) - Date.parse(from));
    io.say(`${instantText(from)} → ${instantText(to)} (${span})${finished ? `, ${stepsText(steps)}` : ''}`);
    io.say(clockText(io, clock));
    if (finished) return EXIT.done;
    const why = io.stopping.aborted ? '' : ' because the sandbox was reset or stopped';
    if (!io.json) io.note(`Stopped on the way${why}: the clock is at ${instantText(clock.now)}.`);
    return EXIT.no;
  });
};

function stepsText(steps: number): string {
  return `${steps} ${steps === 1 ? 'step' : 'steps'}`;
}

export const next = present(
  (client, { io }) => client.post('clock/next', { signal: io.stopping }),
  async (io, { did, clock }, { client }) => {
    const head =
      did === null
        ? 'Nothing is due.'
        : `${instantText(did.at)}  ${dueText(did)}${await outcomeOf(io, client, did, clock)}`;
    return `${head}\n${clockText(io, clock)}`;
  },
);

/** How the attempt that was due ended. */
async function outcomeOf(io: Io, client: ControlClient, did: StepTaken, clock: ClockView): Promise<string> {
  if (did.kind !== 'delivery.attempt') return '';
  const delivery = await client.get('deliveries/:id', { id: did.id });
  return `: ${attemptOutcome(io, delivery, Date.parse(clock.now))}`;
}

export const freeze: BodyOf<typeof declared.freeze> = present(
  (client, { io, args }) => client.post('clock/freeze', { body: { at: args.instant }, signal: io.stopping }),
  clockText,
);

export const speed: BodyOf<typeof declared.speed> = async (invocation) => {
  const { rate } = invocation.args;
  if (!/^\d+(?:\.\d+)?$/.test(rate)) {
    throw usageError(`The rate must be a number above 0; got ${rate}.`, 'Such as 60; 1 is real time.');
  }
  const body = { rate: Number(rate) };
  await present((client) => client.post('clock/speed', { body }), clockText)(invocation);
};

export const reset = present((client) => client.post('clock/reset'), clockText);
