import { resolve } from 'node:path';
import type { FaultFields } from '../../explore/explore.js';
import { FaultFileError, readFaults } from '../../sandbox/faults/fault-file.js';
import { usageError } from '../program/errors.js';
import { onFile } from '../program/input-bytes.js';
import type { Io } from '../program/io.js';

/** The faults of a file, and the seed under which they were found. */
export interface FaultFile {
  readonly faults: readonly FaultFields[];
  readonly seed?: string | undefined;
}

const NO_RESTART = 'The application has to be restarted; say how with --restart.';

/** Reads the file or directory of `--faults`. Throws a usage error that names the place of the first mistake. */
export function readFaultFile({ cwd }: Pick<Io, 'cwd'>, file: string, canRestart: boolean): FaultFile {
  const noRestart = canRestart ? undefined : NO_RESTART;
  try {
    return onFile({ verb: 'read', name: file, hint: 'Name a file of faults with --faults.' }, () =>
      readFaults(resolve(cwd, file), file, noRestart),
    );
  } catch (error) {
    throw error instanceof FaultFileError ? usageError(error.message, error.hint) : error;
  }
}
