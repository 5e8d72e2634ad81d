import type { SandboxServer } from '../../../http/server/start.js';
import type { Restart } from '../../../sandbox/options.js';
import type { FaultFile } from '../../faults/fault-file.js';
import type { FAULTS } from '../../faults/options.js';
import type { ValuesOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';

interface Asked {
  readonly io: Io;
  readonly options: ValuesOf<typeof FAULTS>;
}

/** The file of `--faults`; the code that reads it is loaded only if there is one. */
export async function faultFileOf({
  io,
  options: { faults, restart },
}: Asked): Promise<FaultFile | undefined> {
  if (faults === undefined) return undefined;
  return (await import('../../faults/fault-file.js')).readFaultFile(io, faults, restart !== undefined);
}

/** Adds the faults of a file to a sandbox that was just started, unless it continues with kept data. */
export async function plantAtStart(
  server: SandboxServer,
  { faults }: FaultFile,
  io: Io,
  controlToken: string | undefined,
): Promise<void> {
  if (server.isRestored) {
    io.note(
      `${io.colour.yellow('warning')} The sandbox continues with the kept data, and the faults in it; --faults adds none.`,
    );
    return;
  }
  await (await import('../../faults/planted.js')).plant(server, faults, controlToken);
}

/** What the fault restart does: it runs the command of `--restart`, and leaves the application running that this starts. */
export function restartOf(
  { io, options: { restart } }: Asked,
  server: () => SandboxServer,
): Restart | undefined {
  if (restart === undefined) return undefined;
  return async (signal) => {
    const { restartBy } = await import('../../../check/hooks.js');
    const where = { cwd: io.cwd, env: { ...io.env, ...server().env } };
    await restartBy(restart, where)(signal);
  };
}
