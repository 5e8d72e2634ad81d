import { performance } from 'node:perf_hooks';
import type { ClockView, DeliveryLine } from '../../../http/control/schema.js';
import type { ControlClient } from '../../../client/control-client.js';
import { durationOrUsage } from '../../program/arguments.js';
import type { StepTaken } from './journey.js';
import { advanceClock } from './journey.js';
import { EXIT, usageError } from '../../program/errors.js';
import type { CommandBody, Io } from '../../program/io.js';
import { clockFacts, dueText } from './text.js';
import { lastOutcome } from '../deliveries/text.js';
import { facts } from '../../terminal/facts.js';
import { paintStatus } from '../../terminal/status.js';
import { instantText, relativeText, spanText } from '../../terminal/when.js';
import { atMostEvery } from '../../terminal/progress.js';
import { withSandbox } from '../../sandbox/with-sandbox.js';

const PROGRESS_MS = 1_000;

function tellClock(io: Io, clock: ClockView): void {
  io.emit(clock);
  io.say(facts(io, clockFacts(clock)));
}

export const show: CommandBody = (invocation) =>
  withSandbox(invocation, async (client) => tellClock(invocation.io, await client.get<ClockView>('clock')));

export const advance: CommandBody = async (invocation) => {
  const { io, args } = invocation;
  const by = durationOrUsage('The way to advance', args[0] ?? '');
  const isShown = io.columns > 0 && !io.json;
  const progress = atMostEvery<readonly [StepTaken, number]>(
    PROGRESS_MS,
    () => performance.now(),
    ([{ at }, ordinal]) => io.progress(`… ${instantText(at)}, ${stepsText(ordinal)}`),
  );
  const tellStopping = () => io.note('Stopping after the step under way; Ctrl-C again leaves at once.');
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
    const span = spanText(Date.parse(to) - Date.parse(from));
    io.say(`${instantText(from)} → ${instantText(to)} (${span})${finished ? `, ${stepsText(steps)}` : ''}`);
    io.say(facts(io, clockFacts(clock)));
    if (finished) return EXIT.done;
    const why = io.stopping.aborted ? '' : ' because the sandbox was reset or stopped';
    if (!io.json) io.note(`Stopped on the way${why}: the clock stands at ${instantText(clock.now)}.`);
    return EXIT.no;
  });
};

function stepsText(steps: number): string {
  return `${steps} ${steps === 1 ? 'step' : 'steps'}`;
}

export const next: CommandBody = (invocation) =>
  withSandbox(invocation, async (client) => {
    const { io } = invocation;
    const answer = await client.post<{ did: StepTaken | null; clock: ClockView }>(
      'clock/next',
      {},
      io.stopping,
    );
    io.emit(answer);
    if (io.json) return;
    const { did, clock } = answer;
    if (did === null) io.say('Nothing is due.');
    else io.say(`${instantText(did.at)}  ${dueText(did)}${await outcomeOf(io, client, did, clock)}`);
    io.say(facts(io, clockFacts(clock)));
  });

/** What became of the delivery whose attempt was due. */
async function outcomeOf(io: Io, client: ControlClient, did: StepTaken, clock: ClockView): Promise<string> {
  if (did.kind !== 'delivery.attempt') return '';
  const delivery = await client.get<DeliveryLine>(`deliveries/${did.id}`);
  const { status, next_attempt_at } = delivery;
  const again =
    next_attempt_at === null ? '' : `, next ${relativeText(next_attempt_at, Date.parse(clock.now))}`;
  return `: ${lastOutcome(delivery)}, ${paintStatus(io, status)}${again}`;
}

export const freeze: CommandBody = (invocation) =>
  withSandbox(invocation, async (client) => {
    const { io, args } = invocation;
    tellClock(io, await client.post<ClockView>('clock/freeze', { at: args[0] }, io.stopping));
  });

export const speed: CommandBody = async (invocation) => {
  const { io, args } = invocation;
  const text = args[0] ?? '';
  if (!/^\d+(?:\.\d+)?$/.test(text)) {
    throw usageError(`The rate must be a number above 0; got ${text}.`, 'Such as 60; 1 is real time.');
  }
  await withSandbox(invocation, async (client) =>
    tellClock(io, await client.post<ClockView>('clock/speed', { rate: Number(text) })),
  );
};

export const reset: CommandBody = (invocation) =>
  withSandbox(invocation, async (client) =>
    tellClock(invocation.io, await client.post<ClockView>('clock/reset', {})),
  );
