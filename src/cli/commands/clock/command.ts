import { declare, group } from '../../program/declaration.js';
import { count, optional, required } from '../../program/options.js';

const show = declare({ name: 'clock show', summary: 'the instant, the rate, and what is due next' });

const advance = declare({
  name: 'clock advance',
  summary: 'move forward, doing everything that falls due on the way',
  description:
    'Goes from one due event to the next and waits for the attempts of each step, so that ' +
    'the whole retry schedule runs. Ctrl-C stops between two steps.',
  args: { duration: required() },
  examples: ['45h', '1d12h'],
  exits: {
    1: 'it ended on the way, because another advance is under way or the sandbox was reset',
    3: '',
  },
});

const next = declare({
  name: 'clock next',
  summary: 'jump to what is due next, and do it',
  description: 'Goes to the instant of what is due next, does it, and prints the result.',
});

const freeze = declare({
  name: 'clock freeze',
  summary: 'stop the clock, now or at a later instant',
  args: { instant: optional() },
  examples: ['', '2030-01-01T00:00:00Z'],
});

const speed = declare({
  name: 'clock speed',
  summary: 'make time pass faster: sandbox seconds per real second',
  description: 'Deadlines such as the 10 s of an attempt stay in real time.',
  args: { rate: required() },
  examples: ['60', '1'],
});

const realSpeed = declare({
  name: 'clock reset',
  summary: 'real speed again; the offset stays',
  description: 'Time never goes back: what was advanced stays advanced.',
});

export const CLOCK = { show, advance, next, freeze, speed, reset: realSpeed };

const load = () => import('./clock.js');

export const clock = group(
  { about: 'sandbox time: show, advance, freeze, speed', related: ['status', 'deliveries'] },
  CLOCK,
  async () => (await load()).clock,
);

export const AGENDA = declare({
  name: 'agenda',
  summary: 'what is due next, in order, and when',
  description: 'Attempts to come, expiries, settlements and decisions, without what was overtaken.',
  options: { limit: count('n', 'how many (default: 20)') },
  examples: ['', '--limit 5 --json'],
  related: ['clock', 'status', 'deliveries'],
});

export const agenda = { commands: [AGENDA.runs(async () => (await load()).showAgenda)] };

const resetAll = declare({
  name: 'reset',
  summary: 'restore the initial state; listeners stay connected',
  description: 'The options of `start` apply again, and the ids begin again.',
  examples: ['', '--json'],
  related: ['state', 'start'],
});

export const reset = { commands: [resetAll.runs(async () => (await load()).resetSandbox)] };
