import { CORE_VERSION } from '../core/journal.js';
import { LIMITS } from '../contract/limits.js';
import { Refusal } from '../contract/refusals.js';
import { finite, text } from '../core/state/forms.js';
import { must, readAt } from '../core/state/read.js';
import { object } from '../schema/object.js';
import { anything, number } from '../schema/values.js';
import type { WorldExport } from '../core/state/export.js';
import { exportWorld } from '../core/state/export.js';
import { importing } from '../core/state/import.js';
import { HEAD as WORLD_HEAD, ROWS } from '../core/state/rows.js';
import { finished } from '../core/state/steps.js';
import { textOfWorld } from '../core/state/text.js';
import { openView } from '../core/state/view.js';
import type { World } from '../core/world.js';
import { JsonPiece } from './json-pieces.js';
import type { Restored } from './options.js';

const FORMAT = 'pix-sandbox-state';

/** A whole sandbox as a file: the world, and its clock rate. */
export interface StateFile {
  readonly format: string;
  readonly core: number;
  /** The package that wrote it. */
  readonly version: string;
  readonly notice: string;
  readonly rate: number;
  readonly world: WorldExport;
}

const HEAD = {
  format: FORMAT,
  core: CORE_VERSION,
  version: __VERSION__,
  notice: 'This file holds tokens and secrets of a sandbox.',
};

export function stateFile({ world, rate }: Restored): StateFile {
  return { ...HEAD, rate, world: exportWorld(world) };
}

/**
 * The text of `stateFile` in short pieces, at the instant at which the first is taken. Commands may run between them; it has to be
 * read to its end or returned.
 */
export function* stateText({ world, rate }: Restored): Generator<string, void> {
  const view = openView(world);
  try {
    yield `${JSON.stringify({ ...HEAD, rate }).slice(0, -1)},"world":`;
    yield* textOfWorld(view);
    yield '}';
  } finally {
    view.close();
  }
}

const FILE = object('an object', {
  format: text,
  core: finite,
  version: text,
  notice: text,
  rate: number(`a number from 0 to ${LIMITS.clockRate}`, { least: 0, most: LIMITS.clockRate }),
  world: anything,
});

/**
 * Reads the output of `stateFile`. Refuses (INVALID_REQUEST) anything else. A file of another core version is accepted if its world
 * is still valid: that version defines the effect of commands, and a state has none.
 */
export function readStateFile(json: unknown): Restored {
  return finished(readingStateFile(json));
}

/** The same in short steps. */
export function* readingStateFile(json: unknown): Generator<void, Restored> {
  const isState = typeof json === 'object' && json !== null && 'format' in json && json.format === FORMAT;
  if (!isState) {
    throw new Refusal('INVALID_REQUEST', 'This file is not a sandbox state.', {
      hint: 'Give a file that `npx sandbox state export` wrote.',
    });
  }
  const { core, version, rate, world } = readAt(FILE, json, 'state');
  const restored = { rate, world: yield* readingWorld(world, core, version) };
  must(restored.world.apps.rows.length > 0, 'apps', 'at least one application');
  return restored;
}

/** The same from the text of a file: its rows are parsed one at a time, so that what is none of a state costs nothing. */
export function* readingStateText(bytes: Buffer): Generator<void, Restored> {
  const file = JsonPiece.whole(bytes);
  // Each look for the end of a long value is a step, the only long ones.
  yield;
  const fields = new Map<string, unknown>();
  for (const [name, piece] of file.isObject ? file.members() : []) {
    const isWorld = name === 'world' && piece.isObject;
    const isKnown = Object.hasOwn(FILE.fields, name);
    fields.set(name, isWorld ? yield* worldIn(piece) : isKnown ? piece.value() : null);
    // Reported as unknown, whatever comes after it.
    if (!isKnown) break;
    yield;
  }
  return yield* readingStateFile(Object.fromEntries(fields));
}

/** The members of an exported world, with its tables as rows that are parsed when they are read. */
function* worldIn(world: JsonPiece): Generator<void, object> {
  const fields = new Map<string, unknown>();
  let stranger: string | undefined;
  for (const [name, piece] of world.members()) {
    if (Object.hasOwn(ROWS, name) && piece.isList) fields.set(name, rowsOf(name, piece));
    else if (Object.hasOwn(ROWS, name) || Object.hasOwn(WORLD_HEAD, name)) fields.set(name, piece.value());
    else stranger ??= name;
    yield;
  }
  if (stranger !== undefined) fields.set(stranger, null);
  return Object.fromEntries(fields);
}

function* rowsOf(table: string, rows: JsonPiece): Generator<unknown, void> {
  for (const row of rows.items()) yield table === 'accounts' && row.isObject ? accountIn(row) : row.value();
}

/** An account, whose transactions may be more than fit in one row. */
function accountIn(account: JsonPiece): object {
  const fields = new Map<string, unknown>();
  for (const [name, piece] of account.members()) {
    fields.set(name, name === 'transactions' && piece.isList ? rowsOf(name, piece) : piece.value());
  }
  return Object.fromEntries(fields);
}

function* readingWorld(world: unknown, core: number, version: string): Generator<void, World> {
  try {
    return yield* importing(world);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { message, hint = 'Import an unchanged file of `npx sandbox state export`.' } = error;
    if (core === CORE_VERSION) throw new Refusal('INVALID_REQUEST', message, { hint });
    throw new Refusal(
      'INVALID_REQUEST',
      `The state was written by pix-sandbox ${version} and is not valid in this version: ${message}`,
      { hint: `Use it with npx pix-sandbox@${version}.` },
    );
  }
}
