import type { SnapshotView } from '../../../http/control/schema.js';
import type { Io } from '../../program/io.js';
import { table } from '../../terminal/text.js';

export function snapshotTable(io: Io, lines: readonly SnapshotView[]): string {
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
