import type { CommandSpec } from '../program/command-spec.js';

const state = () => import('../commands/state/state.js');

/** The commands that take a sandbox as a whole: out of it, into it, back to what it was. */
export const STATE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'reset',
    summary: 'start over as `start` was called, or a part of it; listeners stay connected',
    options: [
      {
        flags: '--scope <parts>',
        description: 'only these: payments,identity,endpoints,faults,calls (default: everything)',
      },
    ],
    examples: ['', '--scope payments,calls'],
    load: async () => (await state()).reset,
  },
  {
    name: 'state export',
    summary: 'write the whole sandbox into a file, or to stdout; it holds secrets',
    args: ['[file]'],
    options: [
      { flags: '--data <dir>', description: 'of a sandbox that does not run, kept in this directory' },
    ],
    examples: ['state.json', '--data .sandbox > state.json'],
    load: async () => (await state()).exportState,
  },
  {
    name: 'state import',
    summary: 'go on with an exported sandbox, or with one lived again from a record',
    args: ['<file>'],
    examples: ['state.json', '-'],
    load: async () => (await state()).importState,
  },
  {
    name: 'state save',
    summary: 'remember how everything is, under a name',
    args: ['<name>'],
    examples: ['before-refund', 'clean --json'],
    load: async () => (await state()).save,
  },
  {
    name: 'state restore',
    summary: 'go back to how everything was',
    args: ['<name>'],
    examples: ['before-refund', 'clean --json'],
    load: async () => (await state()).restore,
  },
  {
    name: 'state list',
    summary: 'the names that were saved, and what stands under each',
    examples: ['', '--json'],
    load: async () => (await state()).list,
  },
  {
    name: 'state drop',
    summary: 'forget what was saved under a name',
    args: ['<name>'],
    examples: ['before-refund', 'clean --json'],
    load: async () => (await state()).drop,
  },
];
