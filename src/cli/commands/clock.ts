import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlClient } from '../../client/control.js';
import { RETRY_HOURS } from '../../contract/limits.js';
import { parseInstant, SECOND_MS } from '../../contract/time.js';
import type { AdvancedView } from '../../http/control/world.js';
import type { AgendaView, ClockView } from '../../http/control/schema.js';
import type { DeliveryLine } from '../../http/control/exchanges.js';
import { type ArgumentSpec, askSandbox, declare, type InvocationOf } from '../program/declaration.js';
import { EXIT, notRunning, passedOn, usageError } from '../program/errors.js';
import type { Io } from '../program/io.js';
import { count, durationOf, parsed } from '../program/options.js';
import { type Fact, facts, paintStatus, table } from '../terminal/text.js';
import {
  atMostEvery,
  instantText,
  relativeText,
  roundedSpanText,
  spanText,
  whenText,
} from '../terminal/when.js';
import { lastOutcome } from './webhooks.js';

/** Passed on as typed. */
const INSTANT: ArgumentSpec<string | undefined> = {
  form: 'optional',
  read: ([given]) => {
    if (given === undefined || parseInstant(given) !== undefined) return given;
    throw usageError(`The instant must have its zone, such as 2026-01-31T12:00:00Z; got ${given}.`);
  },
};

const advance = declare({
  name: 'clock advance',
  summary: 'move forward, doing everything that falls due on the way',
  description:
    'Goes from one due event to the next and waits for the attempts of each step, so that ' +
    'the whole retry schedule runs. Ctrl-C stops between two steps.',
  args: { duration: parsed((text) => durationOf(text, 'The way to advance')) },
  examples: [`${RETRY_HOURS}h`, '1d12h'],
  exits: {
    1: 'it ended on the way, because another advance is under way or the sandbox was reset',
    3: '',
  },
});

export const clock = {
  about: 'sandbox time: show, advance, freeze, speed',
  related: ['status', 'deliveries'],
  commands: [
    declare({ name: 'clock show', summary: 'the instant, the rate, and what is due next' }).shows(
      (client) => client.get('clock'),
      clockText,
    ),
    advance.runs(async () => advanceAndShow),
    declare({
      name: 'clock next',
      summary: 'jump to what is due next, and do it',
      description: 'Goes to the instant of what is due next, does it, and prints the result.',
    }).shows(
      (client, { io }) => client.post('clock/next', { signal: io.stopping }),
      async (io, { did, clock }, _, { client }) => {
        if (did === null) return `Nothing is due.\n${clockText(io, clock)}`;
        const delivery =
          did.kind === 'delivery.attempt' ? await client.get('deliveries/:id', { id: did.id }) : undefined;
        const outcome = delivery && `: ${attemptOutcome(io, delivery, Date.parse(clock.now))}`;
        return `${instantText(did.at)}  ${dueText(did)}${outcome ?? ''}\n${clockText(io, clock)}`;
      },
    ),
    declare({
      name: 'clock freeze',
      summary: 'stop the clock, now or at a later instant',
      args: { instant: INSTANT },
      examples: ['', '2030-01-01T00:00:00Z'],
    }).shows(
      (client, { io, args }) =>
        client.post('clock/freeze', { body: { at: args.instant }, signal: io.stopping }),
      clockText,
    ),
    declare({
      name: 'clock speed',
      summary: 'make time pass faster: sandbox seconds per real second',
      description: 'Deadlines such as the 10 s of an attempt stay in real time.',
      args: {
        rate: parsed((rate) => {
          if (/^\d+(?:\.\d+)?(?:e\d{1,2})?$/i.test(rate)) return Number(rate);
          throw usageError(`The rate must be a number above 0; got ${rate}.`, 'Such as 60; 1 is real time.');
        }),
      },
      examples: ['60', '1'],
    }).shows((client, { args }) => client.post('clock/speed', { body: args }), clockText),
    declare({
      name: 'clock reset',
      summary: 'real speed again; the offset stays',
      description: 'Time never goes back: what was advanced stays advanced.',
    }).shows((client) => client.post('clock/reset'), clockText),
  ],
};

export const agenda = declare({
  name: 'agenda',
  summary: 'what is due next, in order, and when',
  description: 'Attempts to come, expiries, settlements and decisions, without what was overtaken.',
  options: { limit: count('n', 'how many (default: 20)') },
  examples: ['', '--limit 5 --json'],
  related: ['clock', 'status', 'deliveries'],
}).shows(
  (client, { options: { limit } }) => client.get('agenda', { limit }),
  (io, { due }, nowMs) => {
    if (due.length === 0) return 'Nothing is due.';
    return table<AgendaView['due'][number]>(io, due, [
      { title: 'DUE', value: ({ at }) => relativeText(at, nowMs) },
      { title: 'AT', value: ({ at }) => instantText(at) },
      { title: 'WHAT', value: ({ title }) => title, wraps: true },
    ]);
  },
);

export const reset = declare({
  name: 'reset',
  summary: 'restore the initial state; listeners stay connected',
  description: 'The options of `start` apply again, and the ids begin again.',
  related: ['state', 'start'],
}).shows(
  (client) => client.post('reset'),
  (io, { clock }) => `The sandbox is as it was when it started.\n${clockText(io, clock)}`,
);

const PROGRESS_MS = 1_000;
const POLL_MS = 100;

async function advanceAndShow(invocation: InvocationOf<typeof advance>): Promise<number> {
  const { io, args } = invocation;
  const tellStopping = () => io.note('Stopping after the current step; Ctrl-C again exits at once.');
  if (!io.json) io.stopping.addEventListener('abort', tellStopping, { once: true });
  const done = await askSandbox(invocation, (client) => advanceClock(client, io, args.duration.text));
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
        const { type: _type, ...done } = line;
        return done;
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

type DueView = NonNullable<ClockView['next_due']>;

/** Something due in words, such as `attempt of delivery 9f…`. */
export function dueText({ kind, id }: Pick<DueView, 'kind' | 'id'>): string {
  if (kind === 'delivery.attempt') return `attempt of delivery ${id}`;
  return kind === 'charge.expire' ? `expiry of charge ${id}` : `${kind} ${id}`;
}

/** Formats the last attempt's outcome and the next due time: `401, PENDING, next in 5m`. */
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

/**
 * Formats the offset from real time; empty below a second, and for a frozen clock behind real time, its usual
 * state.
 */
export function offsetText({ now, real_now, frozen }: ClockView): string {
  const aheadMs = Date.parse(now) - Date.parse(real_now);
  if (!(Math.abs(aheadMs) >= SECOND_MS) || (frozen && aheadMs < 0)) return '';
  return `${roundedSpanText(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} real time`;
}

export function clockFacts(clock: ClockView): Fact[] {
  const { now, next_due: due } = clock;
  const next = due === null ? 'nothing' : `${dueText(due)} ${whenText(due.at, Date.parse(now))}`;
  return [
    ['clock', `${instantText(now)}, ${paceText(clock)}`],
    ['due next', next],
  ];
}

export function clockText(io: Io, clock: ClockView): string {
  return facts(io, clockFacts(clock));
}
