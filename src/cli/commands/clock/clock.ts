import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlClient } from '../../../client/control.js';
import { SECOND_MS } from '../../../contract/time.js';
import type {
  AdvancedView,
  AgendaView,
  ClockView,
  DeliveryLine,
  NextView,
} from '../../../http/control/schema.js';
import type { BodiesOf, BodyOf } from '../../program/declaration.js';
import { EXIT, notRunning, passedOn, usageError } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import { durationOf } from '../../program/options.js';
import { withSandbox } from '../../sandbox/find-sandbox.js';
import { present, presentAt } from '../../sandbox/present.js';
import { type Column, type Fact, facts, paintStatus, table } from '../../terminal/text.js';
import {
  atMostEvery,
  instantText,
  relativeText,
  roundedSpanText,
  spanText,
  whenText,
} from '../../terminal/when.js';
import { lastOutcome } from '../webhooks/webhooks.js';
import type { AGENDA, CLOCK } from './command.js';

type StepTaken = NonNullable<NextView['did']>;

const PROGRESS_MS = 1_000;
const POLL_MS = 100;

export const clock: BodiesOf<typeof CLOCK> = {
  show: present((client) => client.get('clock'), clockText),
  advance: (invocation) => {
    const by = durationOf(invocation.args.duration, 'The way to advance').text;
    return withSandbox(invocation, (client) => advance(client, invocation.io, by));
  },
  next: present(
    (client, { io }) => client.post('clock/next', { signal: io.stopping }),
    async (io, { did, clock }, { client }) => {
      const head =
        did === null
          ? 'Nothing is due.'
          : `${instantText(did.at)}  ${dueText(did)}${await outcomeOf(io, client, did, clock)}`;
      return `${head}\n${clockText(io, clock)}`;
    },
  ),
  freeze: present(
    (client, { io, args }) =>
      client.post('clock/freeze', { body: { at: args.instant }, signal: io.stopping }),
    clockText,
  ),
  speed: async (invocation) => {
    const { rate } = invocation.args;
    if (!/^\d+(?:\.\d+)?$/.test(rate)) {
      throw usageError(`The rate must be a number above 0; got ${rate}.`, 'Such as 60; 1 is real time.');
    }
    const body = { rate: Number(rate) };
    await present((client) => client.post('clock/speed', { body }), clockText)(invocation);
  },
  reset: present((client) => client.post('clock/reset'), clockText),
};

async function advance(client: ControlClient, io: Io, by: string): Promise<number> {
  const tellStopping = () => io.note('Stopping after the current step; Ctrl-C again exits at once.');
  if (!io.json) io.stopping.addEventListener('abort', tellStopping, { once: true });
  const done = await advanceClock(client, io, by);
  io.emit(done);
  const { from, to, steps, finished, clock } = done;
  const span = roundedSpanText(Date.parse(to) - Date.parse(from));
  io.say(`${instantText(from)} → ${instantText(to)} (${span})${finished ? `, ${stepsText(steps)}` : ''}`);
  io.say(clockText(io, clock));
  if (finished) return EXIT.done;
  const why = io.stopping.aborted ? '' : ' because the sandbox was reset or stopped';
  if (!io.json) io.note(`Stopped on the way${why}: the clock is at ${instantText(clock.now)}.`);
  return EXIT.no;
}

/**
 * Advances the clock and shows each step. When the command is stopped, the sandbox stops between two steps,
 * and the result has the time it reached.
 */
async function advanceClock(client: ControlClient, io: Io, by: string): Promise<AdvancedView> {
  const { stopping } = io;
  const isShown = io.columns > 0 && !io.json;
  const progress = atMostEvery<string>(PROGRESS_MS, () => performance.now(), io.progress);
  const { now: from } = await client.get('clock');
  let steps = 0;
  try {
    for await (const line of client.stream('POST clock/advance', { body: { by }, signal: stopping })) {
      if (line.type === 'error') {
        throw passedOn(line.error.code === 'INVALID_REQUEST' ? EXIT.usage : EXIT.no, line.error);
      }
      if (line.type === 'done') {
        const { from, to, steps, finished, clock } = line;
        return { from, to, steps, finished, clock };
      }
      steps += 1;
      if (isShown) progress(`… ${instantText(line.at)}, ${stepsText(steps)}`);
    }
  } catch (error) {
    if (!stopping.aborted) throw error;
  }
  if (!stopping.aborted) throw notRunning(`The sandbox at ${client.url} stopped on the way.`);
  // The current step ends, because attempts have a time limit.
  let clock = await client.get('clock');
  while (clock.advancing) {
    await sleep(POLL_MS);
    clock = await client.get('clock');
  }
  return { from, to: clock.now, steps, finished: false, clock };
}

function stepsText(steps: number): string {
  return `${steps} ${steps === 1 ? 'step' : 'steps'}`;
}

/** How the attempt that was due ended. */
async function outcomeOf(io: Io, client: ControlClient, did: StepTaken, clock: ClockView): Promise<string> {
  if (did.kind !== 'delivery.attempt') return '';
  const delivery = await client.get('deliveries/:id', { id: did.id });
  return `: ${attemptOutcome(io, delivery, Date.parse(clock.now))}`;
}

type DueView = NonNullable<ClockView['next_due']>;

/** Something due in words, such as `attempt of delivery 9f…`. */
export function dueText({ kind, id }: Pick<DueView, 'kind' | 'id'>): string {
  if (kind === 'delivery.attempt') return `attempt of delivery ${id}`;
  if (kind === 'charge.expire') return `expiry of charge ${id}`;
  return `${kind} ${id}`;
}

/** How the last attempt of a delivery ended, and when the next one is due: `401, PENDING, next in 5m`. */
export function attemptOutcome(io: Io, delivery: DeliveryLine, nowMs: number): string {
  const { status, next_attempt_at } = delivery;
  const again = next_attempt_at === null ? '' : `, next ${relativeText(next_attempt_at, nowMs)}`;
  return `${lastOutcome(delivery)}, ${paintStatus(io, status)}${again}`;
}

function paceText(clock: ClockView): string {
  const { rate, frozen, advancing } = clock;
  const offset = offsetText(clock);
  const rest = offset === '' ? '' : `, ${offset}`;
  if (advancing) return `an advance is under way${rest}`;
  if (frozen) return `frozen${rest}`;
  if (rate !== 1) return `${spanText(rate * 1000)} per real second${rest}`;
  return offset === '' ? 'real time' : `at real speed${rest}`;
}

/** How far sandbox time is from real time; empty below a second, and while a frozen clock is behind, as it soon is. */
export function offsetText({ now, real_now, frozen }: ClockView): string {
  const aheadMs = Date.parse(now) - Date.parse(real_now);
  if (!(Math.abs(aheadMs) >= SECOND_MS) || (frozen && aheadMs < 0)) return '';
  return `${roundedSpanText(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} real time`;
}

export function clockFacts(clock: ClockView): Fact[] {
  const { now, next_due } = clock;
  const due =
    next_due === null ? 'nothing' : `${dueText(next_due)} ${whenText(next_due.at, Date.parse(now))}`;
  return [
    ['clock', `${instantText(now)}, ${paceText(clock)}`],
    ['due next', due],
  ];
}

export function clockText(io: Io, clock: ClockView): string {
  return facts(io, clockFacts(clock));
}

export const showAgenda: BodyOf<typeof AGENDA> = presentAt(
  (client, { options: { limit } }) => client.get('agenda', { limit }),
  (io, { due }, nowMs) => {
    if (due.length === 0) return 'Nothing is due.';
    const columns: readonly Column<AgendaView['due'][number]>[] = [
      { title: 'DUE', value: ({ at }) => relativeText(at, nowMs) },
      { title: 'AT', value: ({ at }) => instantText(at) },
      { title: 'WHAT', value: ({ title }) => title, leastWidth: 20 },
    ];
    return table(io, due, columns);
  },
);

export const resetSandbox = present(
  (client) => client.post('reset'),
  (io, { clock }) => `The sandbox is as it was when it started.\n${clockText(io, clock)}`,
);
