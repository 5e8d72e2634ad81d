import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlClient } from '../../client/control.js';
import { RETRY_HOURS } from '../../contract/limits.js';
import { parseInstant, SECOND_MS } from '../../contract/time.js';
import type { AdvancedView } from '../../http/control/world.js';
import type { AgendaView, ClockView } from '../../http/control/schema.js';
import type { DeliveryLine } from '../../http/control/exchanges.js';
import {
  type ArgumentSpec,
  querySandbox,
  declareCommand,
  type InvocationOf,
} from '../program/declaration.js';
import { EXIT_CODES, createNotRunningError, wrapRemoteError, createUsageError } from '../program/errors.js';
import type { Io } from '../program/io.js';
import { defineCount, parseDurationOption, parseArgument } from '../program/options.js';
import { type TextFact, formatFacts, colorStatus, formatTable } from '../terminal/text.js';
import {
  throttle,
  formatInstant,
  formatRelativeTime,
  formatRoundedSpan,
  formatSpan,
  formatMoment,
} from '../terminal/time-text.js';
import { formatLastOutcome } from './webhooks.js';

/** Validates an instant without changing its text; a date is its first instant in UTC. */
const INSTANT: ArgumentSpec<string | undefined> = {
  form: 'optional',
  read: ([given]) => {
    const instant = given?.replace(/^\d{4}-\d\d-\d\d$/, '$&T00:00:00Z');
    if (instant === undefined || parseInstant(instant) !== undefined) return instant;
    throw createUsageError(
      `The instant must be a date, or include a time zone, e.g. 2026-01-31T12:00:00Z; got ${given}.`,
    );
  },
};

const advance = declareCommand({
  name: 'clock advance',
  summary: 'advance the clock and run everything that becomes due',
  description:
    'Advances from one due item to the next and waits for each step’s attempts, so that ' +
    'the entire retry schedule runs. Ctrl-C stops between steps.',
  args: { duration: parseArgument((text) => parseDurationOption(text, 'The time to advance')) },
  examples: [`${RETRY_HOURS}h`, '1d12h'],
  exits: {
    1: 'stopped early: another advance is in progress, or the sandbox was reset',
    3: '',
  },
});

export const clock = {
  about: 'show, advance, freeze and speed up sandbox time',
  related: ['status', 'deliveries'],
  commands: [
    declareCommand({
      name: 'clock show',
      summary: 'show the sandbox time, its rate, and the next due item',
    }).shows((client) => client.get('clock'), formatClock),
    advance.runs(async () => advanceAndShow),
    declareCommand({
      name: 'clock next',
      summary: 'jump to the next due item and run it',
      description: 'Moves the clock to the next due item, runs it, and prints the result.',
    }).shows(
      (client, { io }) => client.post('clock/next', { signal: io.stopping }),
      async (io, { did, clock }, _, { client }) => {
        if (did === null) return `Nothing is due.\n${formatClock(io, clock)}`;
        const delivery =
          did.kind === 'delivery.attempt' ? await client.get('deliveries/:id', { id: did.id }) : undefined;
        const outcome = delivery && `: ${formatAttemptOutcome(io, delivery, Date.parse(clock.now))}`;
        return `${formatInstant(did.at)}  ${formatDue(did)}${outcome ?? ''}\n${formatClock(io, clock)}`;
      },
    ),
    declareCommand({
      name: 'clock freeze',
      aliases: { 'clock set': {}, 'clock pause': {}, 'clock stop': {} },
      summary: 'freeze the clock, now or at a later instant',
      description: 'A date is its first instant in UTC.',
      args: { instant: INSTANT },
      examples: ['', '2030-01-31', '2030-01-31T12:00:00-03:00'],
    }).shows(
      (client, { io, args }) =>
        client.post('clock/freeze', { body: { at: args.instant }, signal: io.stopping }),
      formatClock,
    ),
    declareCommand({
      name: 'clock speed',
      summary: 'speed up time: sandbox seconds per real second',
      description: 'Time limits, such as 10 s per attempt, are still measured in real time.',
      args: {
        rate: parseArgument((rate) => {
          if (/^\d+(?:\.\d+)?(?:e\d{1,2})?$/i.test(rate)) return Number(rate);
          throw createUsageError(
            `The rate must be a number above 0; got ${rate}.`,
            'For example: 60. A rate of 1 is real time.',
          );
        }),
      },
      examples: ['60', '1'],
    }).shows((client, { args }) => client.post('clock/speed', { body: args }), formatClock),
    declareCommand({
      name: 'clock reset',
      aliases: { 'clock resume': {}, 'clock unfreeze': {}, 'clock start': {} },
      summary: 'return to real speed, keeping the offset',
      description: 'Sandbox time never moves backward.',
    }).shows((client) => client.post('clock/reset'), formatClock),
  ],
};

export const agenda = declareCommand({
  name: 'agenda',
  summary: 'list due items in order',
  description: 'Lists upcoming attempts, expiries, settlements and decisions, except superseded ones.',
  options: { limit: defineCount('n', 'maximum number of items (default: 20)') },
  examples: ['', '--limit 5 --json'],
  related: ['clock', 'status', 'deliveries'],
}).shows(
  (client, { options: { limit } }) => client.get('agenda', { limit }),
  (io, { due }, nowMs) => {
    if (due.length === 0) return 'Nothing is due.';
    return formatTable<AgendaView['due'][number]>(io, due, [
      { title: 'DUE', value: ({ at }) => formatRelativeTime(at, nowMs) },
      { title: 'AT', value: ({ at }) => formatInstant(at) },
      { title: 'WHAT', value: ({ title }) => title, wraps: true },
    ]);
  },
);

export const reset = declareCommand({
  name: 'reset',
  summary: 'reset the sandbox to its initial state; listeners stay connected',
  description: 'The `start` options apply again, and ids restart from the beginning.',
  related: ['state', 'start'],
}).shows(
  (client) => client.post('reset'),
  (io, { clock }) => `The sandbox was reset to its initial state.\n${formatClock(io, clock)}`,
);

const PROGRESS_MS = 1_000;
const POLL_MS = 100;

async function advanceAndShow(invocation: InvocationOf<typeof advance>): Promise<number> {
  const { io, args } = invocation;
  const tellStopping = () =>
    io.note('Stopping after the current step; press Ctrl-C again to exit immediately.');
  if (!io.json) io.stopping.addEventListener('abort', tellStopping, { once: true });
  const done = await querySandbox(invocation, (client) => advanceClock(client, io, args.duration.text));
  io.emit(done);
  const { from, to, steps, finished, clock } = done;
  const span = formatRoundedSpan(Date.parse(to) - Date.parse(from));
  io.say(`${formatInstant(from)} → ${formatInstant(to)} (${span})${finished ? `, ${stepsText(steps)}` : ''}`);
  io.say(formatClock(io, clock));
  if (finished) return EXIT_CODES.done;
  const why = io.stopping.aborted ? '' : ' because the sandbox was reset or stopped';
  if (!io.json) io.note(`Stopped early${why}: the clock is at ${formatInstant(clock.now)}.`);
  return EXIT_CODES.no;
}

/**
 * Advances the clock and prints each step. On Ctrl-C, the sandbox finishes the current step, and the result
 * contains the time reached.
 */
async function advanceClock(client: ControlClient, io: Io, by: string): Promise<AdvancedView> {
  const { stopping } = io;
  const isShown = io.columns > 0 && !io.json;
  const progress = throttle<string>(PROGRESS_MS, () => performance.now(), io.progress);
  const { now: from } = await client.get('clock');
  let steps = 0;
  try {
    for await (const line of client.stream('POST clock/advance', { body: { by }, signal: stopping })) {
      if (line.type === 'error') {
        throw wrapRemoteError(
          line.error.code === 'INVALID_REQUEST' ? EXIT_CODES.usage : EXIT_CODES.no,
          line.error,
        );
      }
      if (line.type === 'done') {
        const { type: _type, ...done } = line;
        return done;
      }
      steps += 1;
      if (isShown) progress(`… ${formatInstant(line.at)}, ${stepsText(steps)}`);
    }
  } catch (error) {
    if (!stopping.aborted) throw error;
  }
  if (!stopping.aborted)
    throw createNotRunningError(`The sandbox at ${client.url} stopped during the advance.`);
  // The current step always ends, because attempts have a time limit.
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

/** Describes a due item, e.g. `attempt of delivery 9f…`. */
export function formatDue({ kind, id }: Pick<DueView, 'kind' | 'id'>): string {
  if (kind === 'delivery.attempt') return `attempt of delivery ${id}`;
  if (kind.startsWith('fault.')) return `${kind.slice('fault.'.length)} of fault ${id}`;
  return kind === 'charge.expire' ? `expiry of charge ${id}` : `${kind} ${id}`;
}

/** Formats the last attempt's outcome and the next due time, e.g. `401, PENDING, next in 5m`. */
export function formatAttemptOutcome(io: Io, delivery: DeliveryLine, nowMs: number): string {
  const { status, next_attempt_at } = delivery;
  const again = next_attempt_at === null ? '' : `, next ${formatRelativeTime(next_attempt_at, nowMs)}`;
  return `${formatLastOutcome(delivery)}, ${colorStatus(io, status)}${again}`;
}

function paceText(clock: ClockView): string {
  const { rate, frozen, advancing } = clock;
  const offset = formatOffset(clock);
  const rest = offset === '' ? '' : `, ${offset}`;
  if (advancing) return `an advance is in progress${rest}`;
  if (frozen) return `frozen${rest}`;
  if (rate !== 1) return `${formatSpan(rate * 1000)} per real second${rest}`;
  return offset === '' ? 'real time' : `at real speed${rest}`;
}

/**
 * Formats the offset from real time. Returns an empty string for an offset below one second, and for a frozen
 * clock behind real time, which is normal.
 */
export function formatOffset({ now, real_now, frozen }: ClockView): string {
  const aheadMs = Date.parse(now) - Date.parse(real_now);
  if (!(Math.abs(aheadMs) >= SECOND_MS) || (frozen && aheadMs < 0)) return '';
  return `${formatRoundedSpan(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} real time`;
}

export function listClockFacts(clock: ClockView): TextFact[] {
  const { now, next_due: due } = clock;
  const next = due === null ? 'nothing' : `${formatDue(due)} ${formatMoment(due.at, Date.parse(now))}`;
  return [
    ['clock', `${formatInstant(now)}, ${paceText(clock)}`],
    ['due next', next],
  ];
}

export function formatClock(io: Io, clock: ClockView): string {
  return formatFacts(io, listClockFacts(clock));
}
