import { resolve } from 'node:path';
import { checkFile } from './check-file.js';
import { createFile, nodeFiles } from './files.js';
import type { Files } from './files.js';
import { readJournal, writeHeader } from './journal-file.js';
import type { JournalContent, JournalReading } from './journal-file.js';
import { JournalWriter } from './journal-writer.js';
import { recordingSource } from './source.js';
import { asStoreError, StoreError, systemCodeOf, withPath } from './store-error.js';
import type { Journal, Writer } from './types.js';

export interface RecordingOptions extends Writer {
  readonly path: string;
  /** Called once if the recording has to end early. */
  readonly onWarning: (message: string) => void;
  readonly files?: Files;
}

/** A journal in its own file, in the format of a data directory. */
export interface Recording extends Journal {
  /** Resolves when all of it is on the disk, or writing has failed (`failure`). */
  close(): Promise<void>;
}

/** Begins a recording in a new file that only its user may read. Throws a StoreError if the file exists or cannot be created. */
export async function openRecording(options: RecordingOptions): Promise<Recording> {
  const { files = nodeFiles, onWarning } = options;
  const path = resolve(options.path);
  try {
    let size = 0;
    const file = await createFile(files, path, async (file) => {
      size = await writeHeader(file, options, 0);
    });
    return new JournalWriter(
      { file, size },
      {
        check: (size) => checkFile(files, path, file, size),
        onFailure: (error) =>
          onWarning(`${withPath(path, error)}. The recording ends here; the sandbox continues without it.`),
      },
    );
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw asStoreError(error, path, 'to begin a recording');
    const message =
      ': Expected a new file for the recording, got one that exists. Name another, or move it away.';
    throw new StoreError('exists', path, message, error);
  }
}

export interface RecordingReading extends Omit<JournalReading, 'files' | 'source'> {
  readonly path: string;
  readonly files?: Files;
}

/**
 * Passes on the entries of a recording, or of any journal, in order; throws a StoreError at a damaged line, after the entries
 * before it. Resolves to what its header says and the number of entries.
 */
export async function readRecording(reading: RecordingReading): Promise<JournalContent> {
  const { files = nodeFiles, coreVersion, take, onWarning } = reading;
  const path = resolve(reading.path);
  const source = recordingSource(path);
  try {
    return await readJournal({ files, source, coreVersion, take, onWarning });
  } catch (error) {
    throw asStoreError(error, path, 'a journal that can be read');
  }
}
