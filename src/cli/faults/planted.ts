import type { FaultFields } from '../../explore/explore.js';
import { faultText } from '../../explore/words.js';
import type { SandboxServer } from '../../http/server/start.js';
import type { Io } from '../program/io.js';
import { oneLine } from '../terminal/text.js';
import { controlOf } from './control-of.js';

/** Faults that were added to a sandbox. */
export interface Planted {
  readonly count: number;
  /** In words, those that have not fired; also after a reset, which removes them all. */
  readonly unfired: () => readonly string[];
}

/** Adds faults to a sandbox, in their order. */
export async function plant(
  server: SandboxServer,
  faults: readonly FaultFields[],
  controlToken?: string,
): Promise<Planted> {
  const control = controlOf(server, controlToken);
  const rows: { readonly fired: number }[] = [];
  for (const body of faults) {
    const { id } = await control.post('faults', { body });
    const row = server.sandbox.world.faults.get(id);
    if (row !== undefined) rows.push(row);
  }
  return {
    count: faults.length,
    unfired: () => faults.filter((_, index) => rows[index]?.fired === 0).map(faultText),
  };
}

/** Says which faults never fired, such as `1 of 2 faults never fired: pix.settled of order-1 comes twice`. */
export function noteUnfired(io: Io, { count, unfired }: Planted): void {
  const left = unfired();
  if (left.length === 0) return;
  const text = `${left.length} of ${count} ${count === 1 ? 'fault' : 'faults'} never fired: ${left.join('; ')}`;
  io.note(`${io.colour.yellow('warning')} ${oneLine(text, 0)}`);
}
