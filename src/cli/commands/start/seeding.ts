import type { SandboxServer } from '../../../http/server/start.js';
import type { Invocation } from '../../program/io.js';

/** Runs what `--scenario` names in a sandbox that was just started; their code is loaded only where one is named. */
export async function seedByScenarios(
  server: SandboxServer,
  { io, options }: Pick<Invocation, 'io' | 'options'>,
  controlToken?: string,
): Promise<void> {
  const files = options.list('scenario');
  if (files.length === 0) return;
  if (server.isRestored) {
    io.note(
      `${io.colour.yellow('warning')} The sandbox goes on with what was kept; --scenario is not run again.`,
    );
    return;
  }
  const [{ inProcess }, { seedWith }] = await Promise.all([
    import('../../../scenario/run/target.js'),
    import('./seed-with.js'),
  ]);
  try {
    for (const file of files) await seedWith(inProcess({ ...server, controlToken }), file, io);
  } catch (error) {
    // Where it is kept, nothing may be left that the mended scenario would meet.
    server.sandbox.reset();
    throw error;
  }
}
