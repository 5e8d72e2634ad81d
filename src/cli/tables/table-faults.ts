import type { CommandSpec, OptionSpec } from '../program/command-spec.js';
import { EXAMPLE_IDS } from '../program/example-ids.js';

const faults = () => import('../commands/faults/faults.js');

const calls = () => import('../commands/calls/calls.js');

const CALL_FILTERS: readonly OptionSpec[] = [
  { flags: '--method <method>', description: 'only of this method' },
  { flags: '--path <path>', description: 'only to this path, * for anything' },
  { flags: '--status <status>', description: 'only answered so, such as 401 or 4xx' },
  { flags: '--since <duration>', description: 'only the last, such as 5m of real time' },
  { flags: '--door <door>', description: 'only at this door: api, identity or hosted' },
  { flags: '--app <app>', description: 'only of this application, by id or name' },
];

/** The commands that make things go wrong, and those that show what the code under test did. */
export const FAULT_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'faults add',
    summary: 'make something go wrong with calls or deliveries',
    args: ['[fault]'],
    options: [
      { flags: '--on <what>', description: 'call or delivery, where the fault is known to both' },
      { flags: '--method <method>', description: 'calls: of this method' },
      { flags: '--path <path>', description: 'calls: to this path, * for anything' },
      { flags: '--door <door>', description: 'calls: at this door (api, identity)' },
      { flags: '--event <type>', description: 'deliveries: of this event type, * for anything' },
      { flags: '--endpoint <id>', description: 'deliveries: to this endpoint' },
      { flags: '--attempt <n>', description: 'deliveries: on this attempt' },
      { flags: '--status <status>', description: 'what is answered' },
      { flags: '--delay <duration>', description: 'how much later, in real time' },
      { flags: '--copies <n>', description: 'how many more are sent' },
      { flags: '--probability <p>', description: 'how likely, above 0 and up to 1 (default: 1)' },
      { flags: '--count <n>', description: 'how often at most (default: for ever)' },
    ],
    examples: [
      'lose-response --path /api/public/v1/pix --count 1',
      'duplicate --event pix.* --probability 0.2',
    ],
    load: async () => (await faults()).add,
  },
  {
    name: 'faults list',
    summary: 'the faults, and how often each fired',
    examples: ['', '--json'],
    load: async () => (await faults()).list,
  },
  {
    name: 'faults remove',
    summary: 'take one fault away, or all',
    args: ['[id]'],
    options: [{ flags: '--all', description: 'all of them' }],
    examples: ['--all', EXAMPLE_IDS.fault],
    load: async () => (await faults()).remove,
  },
  {
    name: 'calls list',
    summary: 'what your code sent to the sandbox, newest first',
    options: CALL_FILTERS,
    examples: ['', '--status 4xx --since 5m'],
    load: async () => (await calls()).list,
  },
  {
    name: 'calls show',
    summary: 'one call, with the events and deliveries that followed',
    args: ['<id>'],
    examples: ['req_0123', 'req_0123 --json'],
    load: async () => (await calls()).show,
  },
  {
    name: 'calls tail',
    summary: 'calls as they come, until Ctrl-C',
    options: CALL_FILTERS,
    examples: ['', '--path /api/public/v1/pix --json'],
    load: async () => (await calls()).tail,
  },
];
