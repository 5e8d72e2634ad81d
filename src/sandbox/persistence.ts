import { CORE_VERSION } from '../contract/core-version.js';
import { Replay } from '../core/journal.js';
import type { JournalEntry, WorldEntry } from '../core/journal.js';
import { exportWorld } from '../core/state/export.js';
import { openRecording, readRecording } from '../store/journal.js';
import { openStore } from '../store/store.js';
import type { Store } from '../store/store.js';
import type { JournalPort, RestoredState } from './options.js';
import { SandboxSecrets } from './credentials.js';
import { TimelineReplay } from './timeline/cause.js';
import { Timeline } from './timeline/timeline.js';

export interface PersistenceOptions {
  /** Data directory to restore from and save to. */
  readonly dataDirectory?: string | undefined;
  /** New file for recording this run's journal. */
  readonly recordFile?: string | undefined;
  /** Called with warnings for the user, e.g. about a full disk. */
  readonly onWarning: (message: string) => void;
}

/** Persistence status; `failure` is null while saving works. */
export interface PersistenceState {
  readonly directory: string;
  readonly failure: string | null;
  /** Describes the last failure once all changes are saved again; otherwise null. */
  readonly recovery: string | null;
}

/** Access to the running sandbox, used to save its state after a failure. */
interface SavedSandbox {
  readonly current: () => RestoredState;
  /** Called when the persistence status changes. */
  readonly onChange: (state: PersistenceState) => void;
}

/** Persists a sandbox across process restarts. */
export interface Persistence {
  readonly restored: RestoredState | undefined;
  readonly journal: JournalPort;
  /** Returns the persistence status, or null without a data directory. */
  readonly state: () => PersistenceState | null;
  /** Enables saving the sandbox's complete state after a failure. */
  readonly attach: (sandbox: SavedSandbox) => void;
  /**
   * Saves the complete state to the data directory, if any, and releases the directory. `state` reports
   * failures.
   */
  readonly close: (last: RestoredState) => Promise<void>;
  /** Closes the journals without writing a snapshot. */
  readonly abandon: () => Promise<void>;
}

const WRITER = { coreVersion: CORE_VERSION, packageVersion: __VERSION__ };

/** Converts a state to a journal entry that replaces the world. */
function snapshotOf({ world, rate }: RestoredState): WorldEntry {
  return { at: world.now, rate, world: exportWorld(world) };
}

/** Replays stored data: a snapshot, then the later journal entries. */
class Restoration {
  readonly #replay = new Replay();
  readonly #timeline = new Timeline();
  readonly #timelineReplay = new TimelineReplay(this.#timeline);
  readonly #secrets = new SandboxSecrets();

  constructor() {
    this.#timeline.hide = (text) => this.#secrets.hide(text);
  }

  state(state: unknown): void {
    this.#replay.entry(state as WorldEntry);
    this.#secrets.addAllSecrets(this.#replay.world);
  }

  entry(entry: JournalEntry): void {
    const replayed = this.#replay.entry(entry);
    if (replayed === undefined) this.#secrets.addAllSecrets(this.#replay.world);
    else this.#secrets.addSecretsOf(replayed.command);
    this.#timelineReplay.recordEntry(entry, replayed, this.#replay.world);
  }

  /** Returns undefined if nothing was stored. */
  finish(): RestoredState | undefined {
    const { rate, hasWorld } = this.#replay;
    return hasWorld ? { world: this.#replay.world, rate, timeline: this.#timeline } : undefined;
  }
}

/**
 * Opens the data directory and the recording, if any. Throws StoreError, or Refusal for an inconsistent
 * world, without changing any files.
 */
export async function openPersistence(options: PersistenceOptions): Promise<Persistence> {
  const { dataDirectory, recordFile, onWarning } = options;
  const flushed = dataDirectory === undefined ? undefined : await openDirectory(dataDirectory, onWarning);
  try {
    const recording =
      recordFile === undefined ? undefined : await openRecording({ ...WRITER, path: recordFile, onWarning });
    const restored = flushed?.restored;
    if (restored !== undefined) recording?.append(snapshotOf(restored));
    let journals = [flushed?.store, recording].filter((journal) => journal !== undefined);
    const end = async () => {
      // Ignore entries from connections that close later.
      journals = [];
      await recording?.close();
    };
    return {
      restored,
      journal: {
        append: (entry) => {
          for (const journal of journals) journal.append(entry);
        },
        flushed: async () => {
          for (const journal of journals) await journal.flushed();
        },
      },
      state: () => flushed?.state() ?? null,
      attach: ({ current, onChange }) =>
        flushed?.store.attach({
          state: () => snapshotOf(current()),
          onChange: () => onChange(flushed.state()),
        }),
      close: async (last) => {
        await end();
        await flushed?.store.close(snapshotOf(last));
      },
      abandon: async () => {
        await end();
        await flushed?.store.abandon();
      },
    };
  } catch (error) {
    await flushed?.store.abandon();
    throw error;
  }
}

async function openDirectory(directory: string, onWarning: (message: string) => void) {
  const { store, found } = await readDirectory(directory, onWarning);
  try {
    await store.begin(found && snapshotOf(found));
    // A crash during the first writes leaves a world without applications. Start fresh.
    const restored = found !== undefined && found.world.apps.rows.length > 0 ? found : undefined;
    const state = (): PersistenceState => ({
      directory,
      failure: store.failure?.message ?? null,
      recovery: store.recovery,
    });
    return { store, restored, state };
  } catch (error) {
    await store.abandon();
    throw error;
  }
}

async function readDirectory(
  directory: string,
  onWarning: (message: string) => void,
): Promise<{ readonly store: Store; readonly found: RestoredState | undefined }> {
  const restorer = new Restoration();
  const store = await openStore({ ...WRITER, directory, onWarning, restorer });
  return { store, found: restorer.finish() };
}

/**
 * Reads a data directory without changing it. Returns undefined if the directory is empty. Throws StoreError,
 * including for a directory in use.
 */
export async function readDataDirectory(
  directory: string,
  onWarning: (message: string) => void,
): Promise<RestoredState | undefined> {
  const { store, found } = await readDirectory(directory, onWarning);
  await store.abandon();
  return found;
}

/** Replays a recording or any other journal without sending anything. Throws StoreError and Refusal. */
export async function replayRecord(
  path: string,
  onWarning: (message: string) => void,
): Promise<RestoredState> {
  const replay = new Replay();
  await readRecording(path, { ...WRITER, onWarning, onEntry: (entry) => replay.entry(entry) });
  return { world: replay.world, rate: replay.rate };
}
