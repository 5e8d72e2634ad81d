import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readDataDirectory, replayRecord } from '../../../sandbox/persistence.js';
import type { StateFile } from '../../../sandbox/state-file.js';
import { stateFile } from '../../../sandbox/state-file.js';
import { usageError } from '../../program/errors.js';
import type { Io } from '../../program/io.js';

/** The state that a data directory keeps, read while no sandbox runs on it. */
export async function exportDirectory(io: Io, name: string): Promise<StateFile> {
  const directory = resolve(io.cwd, name);
  const kept = existsSync(directory) ? await readDataDirectory(directory, io.note) : undefined;
  if (kept !== undefined) return stateFile(kept);
  throw usageError(`${name} keeps no sandbox.`, 'Name the directory that `start --data` was given.');
}

/** The state that a recording replays to. */
export async function replayFile(io: Io, name: string): Promise<StateFile> {
  return stateFile(await replayRecord(resolve(io.cwd, name), io.note));
}
