import type { SandboxServer } from '../../../http/server/start.js';
import type { ValuesOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import type { SCENARIO } from './sandbox-options.js';

/** Runs the files of `--scenario` in a sandbox that was just started; the code is loaded only if there are any. */
export async function seedByScenarios(
  server: SandboxServer,
  { io, options }: { readonly io: Io; readonly options: ValuesOf<typeof SCENARIO> },
  controlToken?: string,
): Promise<void> {
  const { scenario: files } = options;
  if (files.length === 0) return;
  if (server.isRestored) {
    io.note(
      `${io.colour.yellow('warning')} The sandbox continues with the kept data; --scenario is not run again.`,
    );
    return;
  }
  const [{ inProcess }, { seedWith }] = await Promise.all([
    import('../../../scenario/doors.js'),
    import('./seed-with.js'),
  ]);
  try {
    for (const file of files) await seedWith(inProcess({ ...server, controlToken }), file, io);
  } catch (error) {
    // With `--data`, the failed run must leave nothing behind for the corrected scenario.
    server.sandbox.reset();
    throw error;
  }
}
