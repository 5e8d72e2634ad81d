import type { Io } from '../../program/io.js';
import { table } from '../../terminal/text.js';

/** One saved state, as the control API lists it. */
export interface SnapshotLine {
  readonly name: string;
  readonly now: string;
  readonly rate: number;
  readonly charges: number;
  readonly withdrawals: number;
  readonly events: number;
  readonly deliveries: number;
  readonly sessions: number;
}

export function snapshotTable(io: Io, lines: readonly SnapshotLine[]): string {
  return table(
    lines,
    [
      { title: 'NAME', value: ({ name }) => name, leastWidth: 12 },
      { title: 'SANDBOX TIME', value: ({ now }) => now },
      { title: 'CHARGES', value: ({ charges }) => String(charges) },
      { title: 'WITHDRAWALS', value: ({ withdrawals }) => String(withdrawals), optional: true },
      { title: 'DELIVERIES', value: ({ deliveries }) => String(deliveries), optional: true },
      { title: 'SESSIONS', value: ({ sessions }) => String(sessions), optional: true },
    ],
    io.columns,
  );
}
