import type { FaultFields } from '../../explore/explore.js';
import { faultText } from '../../explore/kinds.js';
import type { SandboxServer } from '../../http/server/start.js';
import { keepFaults } from '../../sandbox/faults/kept-faults.js';
import { controlOf } from './control-of.js';

/** Faults that were added to a sandbox. */
export interface Planted {
  /** Each in words, with whether it has fired, also before a reset. */
  readonly outcomes: () => readonly { readonly words: string; readonly hasFired: boolean }[];
}

/** Adds faults to a sandbox, in their order, and again after each reset, as suites make one before each test. */
export async function plant(
  server: SandboxServer,
  faults: readonly FaultFields[],
  controlToken?: string,
): Promise<Planted> {
  const control = controlOf(server, controlToken);
  const { sandbox } = server;
  for (const body of faults) await control.post('faults', { body });
  const hasFired = faults.map(() => false);
  let rows = [...sandbox.world.faults.values()];
  const look = () => {
    for (const index of faults.keys()) hasFired[index] ||= (rows[index]?.fired ?? 0) > 0;
  };
  keepFaults(sandbox);
  sandbox.onReset((isFresh) => {
    look();
    if (isFresh) rows = [...sandbox.world.faults.values()];
  });
  return {
    outcomes: () => {
      look();
      return faults.map((fault, index) => ({ words: faultText(fault), hasFired: hasFired[index] === true }));
    },
  };
}
