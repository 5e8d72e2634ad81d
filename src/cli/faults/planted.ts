import type { FaultFields } from '../../explore/explore.js';
import { faultText } from '../../explore/words.js';
import type { SandboxServer } from '../../http/server/start.js';
import { keepFaults } from '../../sandbox/faults/kept-faults.js';
import type { Io } from '../program/io.js';
import { oneLine } from '../terminal/text.js';
import { controlOf } from './control-of.js';

/** Faults that were added to a sandbox. */
export interface Planted {
  readonly count: number;
  /** In words, those that have not fired, also before a reset. */
  readonly unfired: () => readonly string[];
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
    count: faults.length,
    unfired: () => {
      look();
      return faults.filter((_, index) => hasFired[index] === false).map(faultText);
    },
  };
}

/** Says which faults never fired, such as `1 of 2 faults never fired: pix.settled of order-1 comes twice`. */
export function noteUnfired(io: Io, { count, unfired }: Planted): void {
  const left = unfired();
  if (left.length === 0) return;
  const text = `${left.length} of ${count} ${count === 1 ? 'fault' : 'faults'} never fired: ${left.join('; ')}`;
  io.note(`${io.colour.yellow('warning')} ${oneLine(text, 0)}`);
}
