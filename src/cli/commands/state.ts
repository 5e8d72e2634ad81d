import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CORE_VERSION, describeOtherCore } from '../../contract/core-version.js';
import { LIMITS } from '../../contract/limits.js';
import type { ComparedView } from '../../http/control/world.js';
import type { SnapshotView } from '../../http/control/schema.js';
import type { StateFile } from '../../sandbox/state-file.js';
import { completeFiles, completeFolders } from '../completion/sources.js';
import { querySandbox, declareCommand, type InvocationOf } from '../program/declaration.js';
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
  summary: 'export the entire state, including secrets, to a file or stdout',
  description: 'Only you can read the file; existing files are not overwritten.',
  args: { file: acceptArgument(completeFiles) },
  options: {
    data: defineText('dir', 'export the stopped sandbox stored in this directory', completeFolders),
  },
  examples: ['state.json', '--data .sandbox > state.json'],
  exits: { 1: REFUSED_MEANING, 3: 'no sandbox is running, and --data is not set' },
});

const ONE = { args: { name: requireArgument() }, examples: ['before-refund', 'clean --json'] };

export default {
  about: 'export, import, save and restore the sandbox state',
  related: ['reset', 'start'],
  commands: [
    exportState.runs(async () => writeState),
    declareCommand({
      name: 'state import',
      summary: 'import an exported state, or replay a recording',
      description: 'Accepts a file from `state export` or `start --record`, or - for stdin.',
      args: { file: requireArgument(completeFiles) },
      examples: ['state.json', '-'],
    }).shows(
      async (client, { io, args }) => client.put('state', { body: await readState(io, args.file) }),
      (io, { clock }) => `The sandbox continues with the imported state.\n${formatClock(io, clock)}`,
    ),
    declareCommand({
      name: 'state save',
      summary: 'save the current state under a name',
      description: 'Saved states stay in memory while the sandbox is running.',
      ...ONE,
    }).shows(
      (client, { args }) => client.post('state/snapshots', { body: { name: args.name } }),
      (io, { name, now }) => {
        const back = `\`${io.program} state restore ${name}\` restores it while this sandbox runs.`;
        return formatHanging(`Saved as ${name}, at ${now}. ${back}`, io.columns);
      },
    ),
    declareCommand({ name: 'state restore', summary: 'restore a saved state', ...ONE }).shows(
      (client, { args }) => client.post('state/snapshots/:name/restore', { name: args.name }),
      (io, { restored, clock }) =>
        `Restored the state ${restored}; id generation resumes from that point.\nThe request ` +
        `log is empty.\n${formatClock(io, clock)}`,
    ),
    declareCommand({
      name: 'state compare',
      summary: 'compare two saved states, or one with the current state',
      args: { from: requireArgument(), to: acceptArgument() },
      examples: ['before-refund', 'clean before-refund --json'],
    }).shows((client, { args }) => client.post('state/compare', { body: args }), comparedText),
    declareCommand({ name: 'state list', summary: 'list saved states and their contents' }).shows(
      (client) => client.get('state/snapshots'),
      (io, { data }) =>
        data.length === 0
          ? `No saved states; \`${io.program} state save NAME\` saves one.`
          : formatTable(io, data, SNAPSHOT_COLUMNS),
    ),
    declareCommand({ name: 'state drop', summary: 'delete a saved state', ...ONE }).shows(
      (client, { args }) => client.delete('state/snapshots/:name', { name: args.name }),
      (_, { dropped }) => `${dropped} was deleted.`,
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

/** Formats one line per difference, with the changed fields. */
function comparedText(io: Io, { from, to, count, differences }: ComparedView): string {
  const other = to ?? 'now';
  if (count === 0) return `${from} and ${other} are identical.`;
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

/** Exported state contains secrets. */
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
    `${name} contains the entire sandbox state, including secrets. \`${io.program} state import ${name}\` imports it.`,
  );
}

/** Reads the running sandbox's state, or with `--data` a stopped sandbox's. */
async function stateToExport(invocation: InvocationOf<typeof exportState>): Promise<StateFile> {
  const { io, options } = invocation;
  if (options.data === undefined) {
    return querySandbox(invocation, (client) => client.get('state'));
  }
  const { readDataDirectory, createStateFile } = await loadStateModules();
  const directory = resolve(io.cwd, options.data);
  const state = existsSync(directory) ? await readDataDirectory(directory, io.note) : undefined;
  if (state !== undefined) return createStateFile(state);
  throw createUsageError(
    `${options.data} does not contain a sandbox.`,
    'Pass the directory used with `start --data`.',
  );
}

/** Loads the code for data directories and recordings on demand, because it includes most of the service. */
async function loadStateModules() {
  const [persistence, state] = await Promise.all([
    import('../../sandbox/persistence.js'),
    import('../../sandbox/state-file.js'),
  ]);
  return { ...persistence, ...state };
}

/** Enough bytes to recognize a recording. */
const MOST_OF_HEAD = 4_096;

/** Reads an exported state, or the final state of a recording. */
async function readState(io: Io, name: string): Promise<object> {
  const { readBytes } = await import('../program/input-bytes.js');
  const bytes = await readBytes(io, name);
  const [head = ''] = bytes.toString('utf8', 0, MOST_OF_HEAD).split('\n', 1);
  if (head.includes('"pix-sandbox-journal"')) {
    const { replayRecord, createStateFile } = await loadStateModules();
    return createStateFile(await replayRecord(resolve(io.cwd, name), io.note));
  }
  if (bytes.length > LIMITS.stateBodyBytes) {
    throw createUsageError(
      `${name} has ${bytes.length} bytes; the limit is ${LIMITS.stateBodyBytes}.`,
      'Export a state with fewer payments, or store a large one with `start --data`.',
    );
  }
  // Skips a byte order mark.
  const value = parseJson(bytes.toString('utf8').replace(/^\ufeff/, ''));
  if (typeof value === 'object' && value !== null) {
    // JSON.parse accepts JSON that JSON.stringify cannot write back.
    const { checkJsonShape } = await import('../../schema/json-text.js');
    checkJsonShape(value);
    if ('core' in value && 'version' in value && value.core !== CORE_VERSION) {
      const { message, hint } = describeOtherCore(value.core, value.version);
      throw createUsageError(message, hint);
    }
    return value;
  }
  throw createUsageError(
    `${name} does not contain a JSON object.`,
    'Pass a file written by `npx sandbox state export` or `start --record`.',
  );
}
