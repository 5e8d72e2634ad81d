import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { RESET_SCOPES } from '../../../contract/reset-scopes.js';
import { pathFor } from '../../program/arguments.js';
import type { ClockView } from '../../../http/control/schema.js';
import type { StateFile } from '../../../sandbox/state-file.js';
import { someOfOrUsage } from '../../program/closest.js';
import { usageError } from '../../program/errors.js';
import { fileError, readBytes } from '../../program/input-bytes.js';
import type { CommandBody, Invocation } from '../../program/io.js';
import { clockFacts } from '../clock/text.js';
import { facts } from '../../terminal/facts.js';
import type { SnapshotLine } from './text.js';
import { snapshotTable } from './text.js';
import { hanging, jsonLine } from '../../terminal/text.js';
import { withSandbox } from '../../sandbox/with-sandbox.js';

/** Exported state holds secrets, so nobody else may read it. */
const OWNER_ONLY = 0o600;

interface Placed {
  readonly clock: ClockView;
}

export const exportState: CommandBody = async (invocation) => {
  const { io, args } = invocation;
  const file = await stateToExport(invocation);
  const [name] = args;
  if (name === undefined) {
    io.emit(file);
    io.say(jsonLine(file));
    return;
  }
  try {
    writeFileSync(resolve(io.cwd, name), `${JSON.stringify(file)}\n`, { mode: OWNER_ONLY, flag: 'wx' });
  } catch (error) {
    throw fileError('write', name, error, 'Choose another name; nothing is overwritten.') ?? error;
  }
  io.emit({ file: name, charges: file.world.charges.length, deliveries: file.world.deliveries.length });
  io.say(
    `${name} holds the whole sandbox, with its secrets. \`npx pix-sandbox state import ${name}\` goes on with it.`,
  );
};

async function stateToExport(invocation: Invocation): Promise<StateFile> {
  const directory = invocation.options.text('data');
  if (directory === undefined) {
    return withSandbox(invocation, (client) => client.get<StateFile>('state'));
  }
  const { exportDirectory } = await import('./data-directory.js');
  return exportDirectory(invocation.io, directory);
}

export const importState: CommandBody = (invocation) => {
  const { io, args } = invocation;
  const [name = ''] = args;
  return withSandbox(invocation, async (client) => {
    const body = await readState(invocation, name);
    const placed = await client.put<Placed>('state', body);
    io.emit(placed);
    io.say('The sandbox goes on with what was imported.');
    io.say(facts(io, clockFacts(placed.clock)));
  });
};

/** An exported state, or the one that a record leads to. */
async function readState({ io }: Invocation, name: string): Promise<object> {
  const text = (await readBytes(io, name)).toString('utf8');
  const [head = ''] = text.split('\n', 1);
  if (head.includes('"pix-sandbox-journal"')) {
    const { replayFile } = await import('./data-directory.js');
    return replayFile(io, name);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // What it is not, the message below says.
  }
  throw usageError(
    `${name} holds no JSON object.`,
    'Give a file that `npx pix-sandbox state export` or `start --record` wrote.',
  );
}

export const save: CommandBody = (invocation) =>
  withSandbox(invocation, async (client) => {
    const { io, args } = invocation;
    const saved = await client.post<SnapshotLine>('state/snapshots', { name: args[0] });
    io.emit(saved);
    const back = `\`npx pix-sandbox state restore ${saved.name}\` goes back to it.`;
    io.say(hanging(`Saved as ${saved.name}, at ${saved.now}. ${back}`, io.columns));
  });

export const restore: CommandBody = (invocation) =>
  withSandbox(invocation, async (client) => {
    const { io, args } = invocation;
    const path = pathFor(['state', 'snapshots', args[0] ?? '', 'restore']);
    const placed = await client.post<Placed & { restored: string }>(path, {});
    io.emit(placed);
    io.say(`Everything is as it was when ${placed.restored} was saved; ids repeat from there on.`);
    io.say(facts(io, clockFacts(placed.clock)));
  });

export const list: CommandBody = (invocation) =>
  withSandbox(invocation, async (client) => {
    const { io } = invocation;
    const view = await client.get<{ data: SnapshotLine[] }>('state/snapshots');
    io.emit(view);
    io.say(
      view.data.length === 0
        ? 'Nothing was saved. `npx pix-sandbox state save NAME` does.'
        : snapshotTable(io, view.data),
    );
  });

export const drop: CommandBody = (invocation) =>
  withSandbox(invocation, async (client) => {
    const { io, args } = invocation;
    const dropped = await client.delete<{ dropped: string }>(pathFor(['state', 'snapshots', args[0] ?? '']));
    io.emit(dropped);
    io.say(`${dropped.dropped} is forgotten.`);
  });

export const reset: CommandBody = (invocation) => {
  const { io, options } = invocation;
  const wanted = options.text('scope');
  const scope = wanted === undefined ? undefined : someOfOrUsage('part', wanted, RESET_SCOPES);
  return withSandbox(invocation, async (client) => {
    const answer = await client.post<Placed>('reset', scope === undefined ? {} : { scope });
    io.emit(answer);
    io.say(
      scope === undefined
        ? 'The sandbox is as it was when it started.'
        : `Started over: ${scope.join(', ')}. The rest stays.`,
    );
    io.say(facts(io, clockFacts(answer.clock)));
  });
};
