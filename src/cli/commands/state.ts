import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CORE_VERSION, describeOtherCore } from '../../contract/core-version.js';
import { LIMITS } from '../../contract/limits.js';
import type { ComparedView } from '../../http/control/world.js';
import type { SnapshotView } from '../../http/control/schema.js';
import type { StateFile } from '../../sandbox/state-file.js';
import { completeFiles, completeFolders } from '../completion/sources.js';
import { askSandbox, declareCommand, type InvocationOf } from '../program/declaration.js';
import { REFUSED_MEANING, createUsageError } from '../program/errors.js';
import type { Io } from '../program/io.js';
import { acceptArgument, requireArgument, defineText } from '../program/options.js';
import {
  type TextColumn,
  createColumn,
  formatHanging,
  formatJsonLine,
  toOneLine,
  formatTable,
} from '../terminal/text.js';
import { formatClock } from './clock.js';
import { parseJson } from '../../text/json.js';

const exportState = declareCommand({
  name: 'state export',
  summary: 'write the whole sandbox to a file or stdout; it contains secrets',
  description: 'The file is readable only by you, and nothing is overwritten.',
  args: { file: acceptArgument(completeFiles) },
  options: { data: defineText('dir', 'of a stopped sandbox, kept in this directory', completeFolders) },
  examples: ['state.json', '--data .sandbox > state.json'],
  exits: { 1: REFUSED_MEANING, 3: 'no sandbox is running, and there is no --data' },
});

const ONE = { args: { name: requireArgument() }, examples: ['before-refund', 'clean --json'] };

export default {
  about: 'the whole sandbox: export to a file, import, save under a name',
  related: ['reset', 'start'],
  commands: [
    exportState.runs(async () => writeState),
    declareCommand({
      name: 'state import',
      summary: 'continue with an exported sandbox, or one replayed from a recording',
      description: 'Takes what `state export` wrote, and the file of `start --record`; - is stdin.',
      args: { file: requireArgument(completeFiles) },
      examples: ['state.json', '-'],
    }).shows(
      async (client, { io, args }) => client.put('state', { body: await readState(io, args.file) }),
      (io, { clock }) => `The sandbox continues with the imported state.\n${formatClock(io, clock)}`,
    ),
    declareCommand({
      name: 'state save',
      summary: 'save the current state under a name',
      description: 'It is kept in memory while the sandbox runs.',
      ...ONE,
    }).shows(
      (client, { args }) => client.post('state/snapshots', { body: { name: args.name } }),
      (io, { name, now }) => {
        const back = `\`${io.program} state restore ${name}\` goes back to it.`;
        return formatHanging(`Saved as ${name}, at ${now}. ${back}`, io.columns);
      },
    ),
    declareCommand({ name: 'state restore', summary: 'go back to a saved state', ...ONE }).shows(
      (client, { args }) => client.post('state/snapshots/:name/restore', { name: args.name }),
      (io, { restored, clock }) =>
        `The state is as it was when ${restored} was saved; ids repeat from there on.\nThe call ` +
        `log starts empty.\n${formatClock(io, clock)}`,
    ),
    declareCommand({
      name: 'state compare',
      summary: 'what differs between two saved states, or between one and now',
      args: { from: requireArgument(), to: acceptArgument() },
      examples: ['before-refund', 'clean before-refund --json'],
    }).shows((client, { args }) => client.post('state/compare', { body: args }), comparedText),
    declareCommand({ name: 'state list', summary: 'the saved names, with what each holds' }).shows(
      (client) => client.get('state/snapshots'),
      (io, { data }) =>
        data.length === 0
          ? `Nothing was saved. \`${io.program} state save NAME\` does.`
          : formatTable(io, data, SNAPSHOT_COLUMNS),
    ),
    declareCommand({ name: 'state drop', summary: 'forget what was saved under a name', ...ONE }).shows(
      (client, { args }) => client.delete('state/snapshots/:name', { name: args.name }),
      (_, { dropped }) => `${dropped} is forgotten.`,
    ),
  ],
};

const SNAPSHOT_COLUMNS: readonly TextColumn<SnapshotView>[] = [
  createColumn('name'),
  createColumn('now', { title: 'SANDBOX TIME' }),
  createColumn('charges'),
  createColumn('withdrawals', { optional: true }),
  createColumn('deliveries', { optional: true }),
  createColumn('sessions', { optional: true }),
];

type Difference = ComparedView['differences'][number];

/** A line for each difference, with the fields that changed. */
function comparedText(io: Io, { from, to, count, differences }: ComparedView): string {
  const other = to ?? 'now';
  if (count === 0) return `${from} and ${other} are the same.`;
  const lines = differences.map((difference) => formatHanging(lineOf(io, difference), io.columns, '    '));
  const left = count - differences.length;
  return [`From ${from} to ${other}:`, ...lines, ...(left === 0 ? [] : [`… ${left} more`])].join('\n');
}

function lineOf({ colors }: Io, { kind, id, code, change, fields = {} }: Difference): string {
  const mark = { added: colors.green('+'), removed: colors.red('-'), changed: colors.yellow('~') }[change];
  const name = code === undefined ? id : `${toOneLine(code, 0)} (${id})`;
  const changes = Object.entries(fields).map(
    ([field, values]) => `${field} ${valueText(values.from)} → ${valueText(values.to)}`,
  );
  const what = kind === id ? kind : `${kind} ${name}`;
  return `${mark} ${what}${changes.length === 0 ? '' : `: ${changes.join(', ')}`}`;
}

function valueText(value: unknown): string {
  return toOneLine(typeof value === 'string' ? value : JSON.stringify(value), 0);
}

/** Exported state holds secrets. */
const OWNER_ONLY = 0o600;

async function writeState(invocation: InvocationOf<typeof exportState>): Promise<void> {
  const { io, args } = invocation;
  const state = await stateToExport(invocation);
  const name = args.file;
  if (name === undefined) {
    io.emit(state);
    io.say(formatJsonLine(state));
    return;
  }
  const { withFileErrors } = await import('../program/input-bytes.js');
  withFileErrors({ verb: 'write', name, hint: 'Choose another name; nothing is overwritten.' }, () =>
    writeFileSync(resolve(io.cwd, name), `${JSON.stringify(state)}\n`, { mode: OWNER_ONLY, flag: 'wx' }),
  );
  io.emit({ file: name, charges: state.world.charges.length, deliveries: state.world.deliveries.length });
  io.say(
    `${name} contains the whole sandbox, with its secrets. \`${io.program} state import ${name}\` goes on with it.`,
  );
}

/** Reads the state of the running sandbox, or of a data directory without one. */
async function stateToExport(invocation: InvocationOf<typeof exportState>): Promise<StateFile> {
  const { io, options } = invocation;
  if (options.data === undefined) {
    return askSandbox(invocation, (client) => client.get('state'));
  }
  const { readDataDirectory, createStateFile } = await kept();
  const directory = resolve(io.cwd, options.data);
  const state = existsSync(directory) ? await readDataDirectory(directory, io.note) : undefined;
  if (state !== undefined) return createStateFile(state);
  throw createUsageError(
    `${options.data} keeps no sandbox.`,
    'Name the directory that `start --data` was given.',
  );
}

/** The code that reads data directories and recordings, which is most of the service. */
async function kept() {
  const [persistence, state] = await Promise.all([
    import('../../sandbox/persistence.js'),
    import('../../sandbox/state-file.js'),
  ]);
  return { ...persistence, ...state };
}

/** Enough to tell a recording from a state, in bytes. */
const MOST_OF_HEAD = 4_096;

/** Reads an exported state, or the final state of a recording. */
async function readState(io: Io, name: string): Promise<object> {
  const { readBytes } = await import('../program/input-bytes.js');
  const bytes = await readBytes(io, name);
  const [head = ''] = bytes.toString('utf8', 0, MOST_OF_HEAD).split('\n', 1);
  if (head.includes('"pix-sandbox-journal"')) {
    const { replayRecord, createStateFile } = await kept();
    return createStateFile(await replayRecord(resolve(io.cwd, name), io.note));
  }
  if (bytes.length > LIMITS.stateBodyBytes) {
    throw createUsageError(
      `${name} has ${bytes.length} bytes; a state may have ${LIMITS.stateBodyBytes}.`,
      'Export a state with fewer payments, or keep a large one with `start --data`.',
    );
  }
  // A byte order mark is skipped.
  const value = parseJson(bytes.toString('utf8').replace(/^\ufeff/, ''));
  if (typeof value === 'object' && value !== null) {
    // JSON.stringify cannot write back everything that JSON.parse reads.
    const { checkJsonShape } = await import('../../schema/json-text.js');
    checkJsonShape(value);
    if ('core' in value && 'version' in value && value.core !== CORE_VERSION) {
      const { message, hint } = describeOtherCore(value.core, value.version);
      throw createUsageError(message, hint);
    }
    return value;
  }
  throw createUsageError(
    `${name} holds no JSON object.`,
    'Give a file that `npx sandbox state export` or `start --record` wrote.',
  );
}
