import { join } from 'node:path';
import type { Low } from 'lowdb';
import { regardless } from './files.js';
import type { Files } from './files.js';
import { readJournal } from './journal-file.js';
import type { Mark } from './lock-holder.js';
import type { Snapshot } from './snapshot.js';
import { damaged, dataSource } from './source.js';
import type { Source } from './source.js';
import { systemCodeOf, textOf } from './store-error.js';
import { draftKindOf } from './temporary-files.js';
import type { Restorer } from './types.js';

export const SNAPSHOT_NAME = 'snapshot.ndjson';
const JOURNAL_NAME = /^journal\.(0|[1-9]\d{0,14})\.ndjson$/;

export interface RestoreOptions {
  readonly coreVersion: number;
  /** Receives the stored data. */
  readonly restorer: Restorer;
  /** Called with what the user has to know: a dropped torn line, a full disk. */
  readonly onWarning: (message: string) => void;
}

/** Passes on the snapshot and its journal; resolves to whether there was nothing. */
export async function restore(
  files: Files,
  directory: string,
  snapshots: Low<Snapshot>,
  mark: Mark | null,
  { restorer, coreVersion, onWarning }: RestoreOptions,
): Promise<boolean> {
  const names = await files.list(directory).catch((error: unknown): string[] => {
    // It could not even be created.
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw error;
  });
  const sourceOf = (name: string) => dataSource(directory, join(directory, name));
  await snapshots.read();
  const { generation, rows } = snapshots.data;
  const came = generation === 0 ? 'none' : `one of generation ${generation}`;
  const orphan = names.find((name) => (generationOf(name) ?? 0) > generation);
  if (orphan !== undefined)
    throw damaged(sourceOf(orphan), {}, `a snapshot of generation ${generationOf(orphan)} beside it`, came);
  if (mark !== null && generation < mark.generation)
    throw damaged(
      sourceOf(SNAPSHOT_NAME),
      {},
      `the snapshot of generation ${mark.generation} that was written here`,
      came,
    );
  const isMissed = mark !== null && mark.hasJournal && generation === mark.generation;
  if (isMissed && !names.includes(journalName(generation)))
    throw damaged(sourceOf(journalName(generation)), {}, 'the journal that was written here', 'none');
  await restoreRows(rows, restorer, sourceOf(SNAPSHOT_NAME));
  if (!names.includes(journalName(generation))) return generation === 0;
  const source = sourceOf(journalName(generation));
  const take = restorer.entry.bind(restorer);
  const { header, entries } = await readJournal({ files, source, coreVersion, take, onWarning });
  if (header.generation !== generation)
    throw damaged(source, { line: 1 }, `generation ${generation}`, String(header.generation));
  return generation === 0 && entries === 0;
}

async function restoreRows(rows: Snapshot['rows'], restorer: Restorer, source: Source): Promise<void> {
  let line = 1;
  for await (const row of rows) {
    line += 1;
    try {
      restorer.row(row);
    } catch (error) {
      throw damaged(source, { line }, 'a row that can be restored', textOf(error), error);
    }
  }
}

export function journalName(generation: number): string {
  return `journal.${generation}.ndjson`;
}

function generationOf(name: string): number | undefined {
  const digits = JOURNAL_NAME.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Leftover files are never read again, so failing to remove them does no harm. */
export async function removeLeftovers(
  { files, directory }: { readonly files: Files; readonly directory: string },
  generation: number,
): Promise<void> {
  const names = await files.list(directory).catch(() => []);
  for (const name of names) {
    const draft = draftKindOf(name);
    const isOld = (generationOf(name) ?? Infinity) < generation;
    if (isOld || draft === 'snapshot' || draft === 'journal')
      await regardless(files.remove(join(directory, name)));
  }
}
