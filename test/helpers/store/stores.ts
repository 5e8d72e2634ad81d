import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalEntry } from '../../../src/core/journal.js';
import type { Machine } from '../../../src/store/machine.js';
import { openStore } from '../../../src/store/open-store.js';
import type { StoreOptions } from '../../../src/store/open-store.js';
import type { Store } from '../../../src/store/store.js';
import type { StateRow } from '../../../src/store/types.js';

/** A world that is nothing but what was put into it. */
export class Kept {
  readonly rows: StateRow[] = [];
  readonly entries: JournalEntry[] = [];

  row(row: StateRow): void {
    this.rows.push(row);
  }

  entry(entry: JournalEntry): void {
    this.entries.push(entry);
  }

  /** As a snapshot has it: the entries have become rows. */
  *all(): Generator<StateRow> {
    yield* this.rows;
    for (const entry of this.entries) yield ['entries', entry];
  }

  /** The numbers of `entryOf`, in order, wherever they are kept. */
  get numbers(): number[] {
    return Array.from(this.all(), ([, row]) => (isEntry(row) ? row.at : Number.NaN));
  }
}

function isEntry(row: unknown): row is JournalEntry {
  return typeof row === 'object' && row !== null && 'at' in row;
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
  const store = await openStore({
    directory,
    coreVersion: 1,
    packageVersion: '0.1.0',
    restorer: kept,
    onWarning: (message) => warnings.push(message),
    ...options,
  });
  return { store, kept, warnings };
}

/** A machine on which these processes run, this one being the first of them; its clock stands, and its timers fire at `beat`. */
export interface TestMachine extends Machine {
  /** Lets every timer fire once. */
  readonly beat: () => void;
}

export function machineOf(pid: number, alive: readonly number[] = [pid], host = 'here'): TestMachine {
  const timers = new Set<() => void>();
  return {
    host,
    pid,
    processTable: null,
    processOf: (other) => (alive.includes(other) ? { started: `boot/${other}` } : null),
    now: () => Date.parse('2026-01-31T12:00:00Z'),
    wait: () => Promise.resolve(),
    every: (_, call) => {
      timers.add(call);
      return () => timers.delete(call);
    },
    beat: () => {
      for (const call of timers) call();
    },
  };
}

/** The content of all files of a directory but the locks. */
export function dataIn(directory: string): Record<string, string> {
  const names = readdirSync(directory).filter((name) => !name.startsWith('lock.'));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(directory, name), 'hex')]));
}
