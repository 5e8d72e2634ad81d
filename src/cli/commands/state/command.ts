import { files, folders } from '../../completion/sources.js';
import { REFUSED } from '../../help/exit-statuses.js';
import { declare, group } from '../../program/declaration.js';
import { optional, required, text } from '../../program/options.js';

export const exportState = declare({
  name: 'state export',
  summary: 'write the whole sandbox into a file, or to stdout; it holds secrets',
  description: 'A file is readable by you alone, and nothing is overwritten.',
  args: { file: optional(files) },
  options: { data: text('dir', 'of a sandbox that does not run, kept in this directory', folders) },
  examples: ['state.json', '--data .sandbox > state.json'],
  exits: { 1: REFUSED, 3: 'no sandbox is running, and there is no --data' },
});

export const importState = declare({
  name: 'state import',
  summary: 'continue with an exported sandbox, or with one replayed from a record',
  description: 'Takes what `state export` wrote, and the file of `start --record`; - is stdin.',
  args: { file: required(files) },
  examples: ['state.json', '-'],
});

const args = { name: required() };
const examples = ['before-refund', 'clean --json'];

export const save = declare({
  name: 'state save',
  summary: 'remember how everything is, under a name',
  description: 'It is kept in memory, as long as the sandbox runs.',
  args,
  examples,
});

export const restore = declare({
  name: 'state restore',
  summary: 'go back to how everything was',
  args,
  examples,
});

const list = declare({
  name: 'state list',
  summary: 'the names that were saved, and what stands under each',
});

export const drop = declare({
  name: 'state drop',
  summary: 'forget what was saved under a name',
  args,
  examples,
});

export default group(
  {
    about: 'the whole sandbox: out to a file, in again, saved under a name',
    related: ['reset', 'start'],
  },
  { exportState, importState, save, restore, list, drop },
  () => import('./state.js'),
);
