import type { CommandSpec } from './command-spec.js';

const faults = () => import('./commands/faults.js');

/** The commands that make things go wrong. */
export const FAULT_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'faults add',
    summary: 'make something go wrong with calls or deliveries',
    args: ['<fault>'],
    options: [
      { flags: '--on <what>', description: 'call or delivery, where the fault is known to both' },
      { flags: '--method <method>', description: 'calls: of this method' },
      { flags: '--path <path>', description: 'calls: to this path, * for anything' },
      { flags: '--door <door>', description: 'calls: at this door (api)' },
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
    examples: ['--all', '849e0378-bb69-4963-9fcd-10e97bbc2ef9'],
    load: async () => (await faults()).remove,
  },
];
