import { resolve } from 'node:path';
import { ControlClient, createFetchTransport } from '../../client/control.js';
import type { PlannedFault } from '../../explore/explore.js';
import { formatFault } from '../../explore/kinds.js';
import type { SandboxServer } from '../../http/server/start.js';
import { FaultFileError, restoreFaultsOnReset, readFaults } from '../../sandbox/faults/fault-file.js';
import { createUsageError } from '../program/errors.js';
import { withFileErrors } from '../program/input-bytes.js';
import type { Io } from '../program/io.js';

export interface NamedFaultFile {
  readonly faults: readonly PlannedFault[];
  readonly seed?: string | undefined;
}

const NO_RESTART = 'The application must be restarted; pass a restart command with --restart.';

/**
 * Reads the file or directory passed with `--faults`. Throws a usage error with the position of the first
 * issue.
 */
export function readFaultFile({ cwd }: Pick<Io, 'cwd'>, file: string, canRestart: boolean): NamedFaultFile {
  const noRestart = canRestart ? undefined : NO_RESTART;
  try {
    return withFileErrors({ verb: 'read', name: file, hint: 'Pass a fault file with --faults.' }, () =>
      readFaults(resolve(cwd, file), file, noRestart),
    );
  } catch (error) {
    throw error instanceof FaultFileError ? createUsageError(error.message, error.hint) : error;
  }
}

export function openFaultControl(
  { url, fetch }: Pick<SandboxServer, 'url' | 'fetch'>,
  token?: string,
): ControlClient {
  return new ControlClient({
    ...createFetchTransport(url, (target, init) => fetch(new Request(url + target, init), {})),
    token,
  });
}

export interface InstalledFaults {
  /** Describes each fault and reports whether the fault has fired, including before a reset. */
  readonly outcomes: () => readonly { readonly words: string; readonly hasFired: boolean }[];
}

/**
 * Adds faults to a sandbox in order. Adds the faults again after each reset, because test suites reset the
 * sandbox before each test.
 */
export async function installFaultFile(
  server: SandboxServer,
  faults: readonly PlannedFault[],
  controlToken?: string,
): Promise<InstalledFaults> {
  const control = openFaultControl(server, controlToken);
  const { sandbox } = server;
  for (const body of faults) await control.post('faults', { body });
  const hasFired = faults.map(() => false);
  let rows = [...sandbox.world.faults.values()];
  const look = () => {
    for (const index of faults.keys()) hasFired[index] ||= (rows[index]?.fired ?? 0) > 0;
  };
  restoreFaultsOnReset(sandbox);
  sandbox.onReset((isFresh) => {
    look();
    if (isFresh) rows = [...sandbox.world.faults.values()];
  });
  return {
    outcomes: () => {
      look();
      return faults.map((fault, index) => ({
        words: formatFault(fault),
        hasFired: hasFired[index] === true,
      }));
    },
  };
}
