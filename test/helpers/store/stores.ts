import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalEntry } from '../../../src/core/journal.js';
import type { ProcessTable } from '../../../src/store/process-table.js';
import { openStore } from '../../../src/store/store.js';
import type { Store, StoreOptions } from '../../../src/store/store.js';

/** A world that is nothing but the numbers that were put into it. */
export class Kept {
  readonly numbers: number[] = [];

  get all(): { readonly numbers: readonly number[] } {
    return { numbers: [...this.numbers] };
  }

  state(state: unknown): void {
    this.numbers.push(...(state as Kept['all']).numbers);
  }

  entry({ at }: JournalEntry): void {
    this.numbers.push(at);
  }
}

export function entryOf(at: number): JournalEntry {
  return { at, rate: at % 7 };
}

export interface OpenStore {
  readonly store: Store;
  readonly kept: Kept;
  readonly warnings: string[];
}

export async function opened(directory: string, options: Partial<StoreOptions> = {}): Promise<OpenStore> {
  const kept = new Kept();
  const warnings: string[] = [];
  const onWarning = (message: string) => warnings.push(message);
  const writer = { coreVersion: 1, packageVersion: '0.1.0' };
  const store = await openStore({ directory, ...writer, restorer: kept, onWarning, ...options });
  return { store, kept, warnings };
}

/** Process `pid` of a machine on which these processes run. */
export function processesOf(pid: number, alive: readonly number[] = [pid], host = 'here'): ProcessTable {
  const find = (other: number) => (alive.includes(other) ? { started: `boot/${other}` } : null);
  return { host, pid, id: null, find };
}

/** One life of a sandbox on a directory: it changes things, then stops cleanly or is killed. */
export async function life(
  directory: string,
  numbers: readonly number[],
  end: 'stopped' | 'killed',
): Promise<void> {
  const { store, kept } = await opened(directory);
  const journal = await store.begin(store.isEmpty ? undefined : kept.all);
  for (const number of numbers) {
    kept.entry(entryOf(number));
    journal.append(entryOf(number));
  }
  await journal.flushed();
  await (end === 'stopped' ? store.close(kept.all) : store.abandon());
}

/** The numbers in a directory, opened as a later process does. */
export async function numbersIn(directory: string): Promise<readonly number[]> {
  const { store, kept } = await opened(directory, { processes: processesOf(3) });
  await store.abandon();
  return kept.numbers;
}

/** The content of all files of a directory but the lock. */
export function dataIn(directory: string): Record<string, string> {
  const names = readdirSync(directory).filter((name) => !name.startsWith('lock'));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(directory, name), 'hex')]));
}
