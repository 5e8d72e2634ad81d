import type { Infer } from '../../schema/schema.js';
import { listScheduledItems } from '../due.js';
import type { WORLD_HEAD, TABLES } from '../rows.js';
import type { World } from '../world.js';

type Tables = { [Table in keyof typeof TABLES]: Infer<(typeof TABLES)[Table]>[] };
export type WorldExport = Infer<typeof WORLD_HEAD> & Tables;

/**
 * Exports a world as plain JSON that shares no mutable data: rows in creation order, references as ids,
 * balances as text, and the agenda in execution order. Worlds that behave the same have equal exports. The
 * export contains tokens and secrets.
 */
export function exportWorld(world: World): WorldExport {
  const { seed, assumed, autoSettleMs, kycEnabled, kycAuto, keepDeliveries, now, deliveriesPaused } = world;
  const { transactionCount, endpointCount, eventCount, deliveryCount, faultCount } = world;
  return {
    seed,
    assumed,
    autoSettleMs,
    kycEnabled,
    kycAuto,
    origins: [...world.origins],
    keepDeliveries,
    now,
    deliveriesPaused,
    transactionCount,
    endpointCount,
    eventCount,
    deliveryCount,
    faultCount,
    organizations: world.organizations.rows.map(({ sessionsByKey: _sessions, ...row }) => {
      return { ...row, origins: [...row.origins] };
    }),
    apps: world.apps.rows.map(
      ({ chargesByCode: _charges, withdrawalsByCode: _byCode, withdrawals: _rows, ...row }) => {
        return { ...row, nonces: [...row.nonces] };
      },
    ),
    accounts: Array.from(world.accounts.values(), ({ balanceCents, transactions, ...row }) => {
      return { ...row, balanceCents: String(balanceCents), transactions: [...transactions] };
    }),
    charges: copies(world.charges.rows),
    withdrawals: copies(world.withdrawals.rows),
    endpoints: Array.from(world.endpoints.values(), ({ deliveries: _deliveries, ...row }) => row),
    events: copies(world.events.rows),
    deliveries: world.deliveries.rows.map((row) => ({ ...row, event: row.event.id })),
    sessions: copies(world.sessions.rows),
    faults: copies(world.faults.values()),
    agenda: listScheduledItems(world),
  };
}

function copies<Row extends object>(rows: Iterable<Row>): Row[] {
  return Array.from(rows, (row) => ({ ...row }));
}
