import type { Table } from '../table.js';
import type { World } from '../world.js';

/** A row as it is to be read. */
export type Was = <Row extends object>(row: Row) => Row;

/** Reads the world as it is. */
export const asIs: Was = (row) => row;

/** A world as it was when the view was opened, whatever commands do since. */
export interface WorldView {
  /** With the lists and settings of that instant; charges, withdrawals, deliveries and sessions are read through `was`. */
  readonly world: World;
  readonly was: Was;
  /** A view that stays open holds a copy of every row that changes. */
  readonly close: () => void;
}

/** Opens a view in the time that copying its references takes: a row is copied when it changes, and if it does. */
export function openView(world: World): WorldView {
  const copies = new Map<object, object>();
  const keep = (row: object) => {
    if (!copies.has(row)) copies.set(row, { ...row });
  };
  world.readers.add(keep);
  return {
    world: withListsOf(world),
    was: (row) => (copies.get(row) as typeof row | undefined) ?? row,
    close: () => world.readers.delete(keep),
  };
}

/** Rows that change without `writable` are few and copied at once. */
function withListsOf(world: World): World {
  return {
    ...world,
    organizations: copied(world.organizations, (row) => ({ ...row, origins: [...row.origins] })),
    apps: copied(world.apps, (row) => ({ ...row, nonces: new Map(row.nonces) })),
    accounts: copiedMap(world.accounts, (row) => ({ ...row, transactions: row.transactions.slice() })),
    charges: copied(world.charges),
    withdrawals: copied(world.withdrawals),
    endpoints: copiedMap(world.endpoints, (row) => ({ ...row })),
    events: copied(world.events),
    deliveries: copied(world.deliveries),
    sessions: copied(world.sessions),
    faults: copiedMap(world.faults, (row) => ({ ...row })),
    agenda: world.agenda.slice(),
  };
}

function copied<Row>({ rows, ...table }: Table<Row>, copy?: (row: Row) => Row): Table<Row> {
  return { ...table, rows: copy === undefined ? rows.slice() : rows.map(copy) };
}

function copiedMap<Row>(rows: ReadonlyMap<string, Row>, copy: (row: Row) => Row): Map<string, Row> {
  return new Map(Array.from(rows, ([id, row]) => [id, copy(row)]));
}
