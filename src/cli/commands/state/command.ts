import { files, folders } from '../../completion/sources.js';
import { REFUSED } from '../../program/errors.js';
import { declare, group } from '../../program/declaration.js';
import { optional, required, text } from '../../program/options.js';

export const exportState = declare({
  name: 'state export',
  summary: 'write the whole sandbox to a file or stdout; it contains secrets',
  description: 'The file is readable only by you, and nothing is overwritten.',
  args: { file: optional(files) },
  options: { data: text('dir', 'of a stopped sandbox, kept in this directory', folders) },
  examples: ['state.json', '--data .sandbox > state.json'],
  exits: { 1: REFUSED, 3: 'no sandbox is running, and there is no --data' },
});

export const importState = declare({
  name: 'state import',
  summary: 'continue with an exported sandbox, or one replayed from a recording',
  description: 'Takes what `state export` wrote, and the file of `start --record`; - is stdin.',
  args: { file: required(files) },
  examples: ['state.json', '-'],
});

const args = { name: required() };
const examples = ['before-refund', 'clean --json'];

export const save = declare({
  name: 'state save',
  summary: 'save the current state under a name',
  description: 'It is kept in memory while the sandbox runs.',
  args,
  examples,
});

export const restore = declare({
  name: 'state restore',
  summary: 'go back to a saved state',
  args,
  examples,
});

export const compare = declare({
  name: 'state compare',
  summary: 'what differs between two saved states, or between one and now',
  args: { from: required(), to: optional() },
  examples: ['before-refund', 'clean before-refund --json'],
});

const list = declare({
  name: 'state list',
  summary: 'the saved names, with what each holds',
});

export const drop = declare({
  name: 'state drop',
  summary: 'forget what was saved under a name',
  args,
  examples,
});

export default group(
  {
    about: 'the whole sandbox: export to a file, import, save under a name',
    related: ['reset', 'start'],
  },
  { exportState, importState, save, restore, compare, list, drop },
  () => import('./state.js'),
);
