import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CORE_VERSION, otherCoreState } from '../../../contract/core-version.js';
import { LIMITS } from '../../../contract/limits.js';
import type { ComparedView, SnapshotView } from '../../../http/control/schema.js';
import type { StateFile } from '../../../sandbox/state-file.js';
import { checkJsonShape } from '../../../text/json-shape.js';
import type { BodyOf, InvocationOf } from '../../program/declaration.js';
import { usageError } from '../../program/errors.js';
import { onFile, readBytes } from '../../program/input-bytes.js';
import type { Io } from '../../program/io.js';
import { withSandbox } from '../../sandbox/find-sandbox.js';
import { present } from '../../sandbox/present.js';
import { hanging, jsonLine, oneLine, table } from '../../terminal/text.js';
import { clockText } from '../clock/clock.js';
import type * as declared from './command.js';

type Difference = ComparedView['differences'][number];

const MARKS = { added: '+', removed: '-', changed: '~' } as const;

/** A line for each difference, with the fields that changed. */
function comparedText(io: Io, { from, to, count, differences }: ComparedView): string {
  const other = to ?? 'now';
  if (count === 0) return `${from} and ${other} are the same.`;
  const lines = differences.map((difference) => hanging(lineOf(io, difference), io.columns, '    '));
  const left = count - differences.length;
  return [`From ${from} to ${other}:`, ...lines, ...(left === 0 ? [] : [`… ${left} more`])].join('\n');
}

function lineOf({ colour }: Io, { kind, id, code, change, fields = {} }: Difference): string {
  const paint = { added: colour.green, removed: colour.red, changed: colour.yellow }[change];
  const name = code === undefined ? id : `${oneLine(code, 0)} (${id})`;
  const changes = Object.entries(fields).map(
    ([field, values]) => `${field} ${valueText(values.from)} → ${valueText(values.to)}`,
  );
  const what = kind === id ? kind : `${kind} ${name}`;
  return `${paint(MARKS[change])} ${what}${changes.length === 0 ? '' : `: ${changes.join(', ')}`}`;
}

function valueText(value: unknown): string {
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value), 0);
}

/** Exported state holds secrets. */
const OWNER_ONLY = 0o600;
/** Enough to tell a recording from a state, in bytes. */
const MOST_OF_HEAD = 4_096;

export const exportState: BodyOf<typeof declared.exportState> = async (invocation) => {
  const { io, args } = invocation;
  const state = await stateToExport(invocation);
  const name = args.file;
  if (name === undefined) {
    io.emit(state);
    io.say(jsonLine(state));
    return;
  }
  onFile({ verb: 'write', name, hint: 'Choose another name; nothing is overwritten.' }, () =>
    writeFileSync(resolve(io.cwd, name), `${JSON.stringify(state)}\n`, { mode: OWNER_ONLY, flag: 'wx' }),
  );
  io.emit({ file: name, charges: state.world.charges.length, deliveries: state.world.deliveries.length });
  io.say(
    `${name} contains the whole sandbox, with its secrets. \`${io.program} state import ${name}\` goes on with it.`,
  );
};

async function stateToExport(invocation: InvocationOf<typeof declared.exportState>): Promise<StateFile> {
  const { data } = invocation.options;
  if (data === undefined) return withSandbox(invocation, (client) => client.get('state'));
  const { exportDirectory } = await import('./data-directory.js');
  return exportDirectory(invocation.io, data);
}

export const importState: BodyOf<typeof declared.importState> = present(
  async (client, { io, args }) => client.put('state', { body: await readState(io, args.file) }),
  (io, { clock }) => `The sandbox continues with the imported state.\n${clockText(io, clock)}`,
);

/** An exported state, or the one that a recording replays to. */
async function readState(io: Io, name: string): Promise<object> {
  const bytes = await readBytes(io, name);
  const [head = ''] = bytes.toString('utf8', 0, MOST_OF_HEAD).split('\n', 1);
  if (head.includes('"pix-sandbox-journal"')) {
    const { replayFile } = await import('./data-directory.js');
    return replayFile(io, name);
  }
  if (bytes.length > LIMITS.stateBodyBytes) {
    throw usageError(
      `${name} has ${bytes.length} bytes; a state may have ${LIMITS.stateBodyBytes}.`,
      'Export a state with fewer payments, or keep a large one with `start --data`.',
    );
  }
  const value = parsed(bytes);
  if (typeof value === 'object' && value !== null) {
    // JSON.stringify cannot write back everything that JSON.parse reads.
    checkJsonShape(value);
    if ('core' in value && 'version' in value && value.core !== CORE_VERSION) {
      const { message, hint } = otherCoreState(value.core, value.version);
      throw usageError(message, hint);
    }
    return value;
  }
  throw usageError(
    `${name} holds no JSON object.`,
    'Give a file that `npx sandbox state export` or `start --record` wrote.',
  );
}

/** Undefined for invalid JSON; a byte order mark is skipped. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

export const save: BodyOf<typeof declared.save> = present(
  (client, { args }) => client.post('state/snapshots', { body: { name: args.name } }),
  (io, { name, now }) => {
    const back = `\`${io.program} state restore ${name}\` goes back to it.`;
    return hanging(`Saved as ${name}, at ${now}. ${back}`, io.columns);
  },
);

export const restore: BodyOf<typeof declared.restore> = present(
  (client, { args }) => client.post('state/snapshots/:name/restore', { name: args.name }),
  (io, { restored, clock }) =>
    `The state is as it was when ${restored} was saved; ids repeat from there on.\nThe call ` +
    `log starts empty.\n${clockText(io, clock)}`,
);

export const compare: BodyOf<typeof declared.compare> = present(
  (client, { args }) => client.post('state/compare', { body: { from: args.from, to: args.to } }),
  (io, compared) => comparedText(io, compared),
);

export const list = present(
  (client) => client.get('state/snapshots'),
  (io, { data }) =>
    data.length === 0
      ? `Nothing was saved. \`${io.program} state save NAME\` does.`
      : snapshotTable(io, data),
);

export const drop: BodyOf<typeof declared.drop> = present(
  (client, { args }) => client.delete('state/snapshots/:name', { name: args.name }),
  (_, { dropped }) => `${dropped} is forgotten.`,
);

function snapshotTable(io: Io, lines: readonly SnapshotView[]): string {
  return table(io, lines, [
    { title: 'NAME', value: ({ name }) => name, leastWidth: 12 },
    { title: 'SANDBOX TIME', value: ({ now }) => now },
    { title: 'CHARGES', value: ({ charges }) => String(charges) },
    { title: 'WITHDRAWALS', value: ({ withdrawals }) => String(withdrawals), optional: true },
    { title: 'DELIVERIES', value: ({ deliveries }) => String(deliveries), optional: true },
    { title: 'SESSIONS', value: ({ sessions }) => String(sessions), optional: true },
  ]);
}
