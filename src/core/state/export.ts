import type { AgendaItem } from '../agenda.js';
import { AGENDA_KINDS } from '../agenda.js';
import { stillStands } from '../due.js';
import { idFor } from '../ids.js';
import type {
  Account,
  AnnouncedEvent,
  App,
  Delivery,
  Endpoint,
  Organization,
  Transaction,
  World,
} from '../world.js';
import { finished } from './steps.js';
import type { WorldView } from './view.js';
import { asIs } from './view.js';

/** The parts of a world that are derived from its rows, or are none of its state. */
type Derived = 'appsByToken' | 'undelivered' | 'readers';

/** Rows of a table, some at a time, so that each step is short; there may be none in it. */
export type Batches<Row> = Generator<readonly Row[], void>;

/** How many rows a batch looks at. */
const BATCH = 64;

export function* batches<Row, Exported>(
  rows: Iterable<Row>,
  exported: (row: Row) => Exported | undefined,
): Batches<Exported> {
  let seen = 0;
  let batch: Exported[] = [];
  for (const row of rows) {
    const one = exported(row);
    if (one !== undefined) batch.push(one);
    seen += 1;
    if (seen % BATCH > 0) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/**
 * The tables of an export as plain JSON that shares no mutable data with the world: rows in creation order, references as ids,
 * balances as text, and the agenda in execution order, without out-of-date items.
 */
export function exportTables(world: World, was = asIs) {
  const exportAgendaItem = (item: AgendaItem) => {
    const { at, kind, ordinal } = item;
    return stillStands(world, item, was) ? { at, kind: AGENDA_KINDS[kind], ordinal } : undefined;
  };
  return {
    organizations: batches(world.organizations.rows, exportOrganization),
    apps: batches(world.apps.rows, exportApp),
    accounts: batches(world.accounts.values(), exportAccount),
    charges: batches(world.charges.rows, (charge) => ({ ...was(charge) })),
    withdrawals: batches(world.withdrawals.rows, (withdrawal) => ({ ...was(withdrawal) })),
    endpoints: batches(world.endpoints.values(), exportEndpoint),
    events: batches(world.events.rows, exportEvent),
    deliveries: batches(world.deliveries.rows, (delivery) => exportDelivery(was(delivery))),
    sessions: batches(world.sessions.rows, (session) => ({ ...was(session) })),
    faults: batches(world.faults.values(), (fault) => ({ ...fault })),
    agenda: batches(world.agenda.toReversed(), exportAgendaItem),
  } satisfies Record<Exclude<keyof World, Derived | keyof ReturnType<typeof exportHead>>, unknown>;
}

type Tables = ReturnType<typeof exportTables>;
type RowOf<Table> = Table extends Batches<infer Row> ? Row : never;
type AccountExport = Omit<RowOf<Tables['accounts']>, 'transactions'> & {
  readonly transactions: ReturnType<typeof exportLine>[];
};

/** The head and the rows of all tables. It holds tokens and secrets. */
export type WorldExport = ReturnType<typeof exportHead> & {
  [Name in Exclude<keyof Tables, 'accounts'>]: RowOf<Tables[Name]>[];
} & { accounts: AccountExport[] };

/** The whole world as it is. Two worlds that behave alike give the same export. */
export function exportWorld(world: World): WorldExport {
  return finished(exporting({ world, was: asIs }));
}

/** The same in short steps, at the instant of a view. */
export function* exporting({ world, was }: Pick<WorldView, 'world' | 'was'>): Generator<void, WorldExport> {
  const head = exportHead(world);
  const tables: Record<string, unknown[]> = {};
  const found = exportTables(world, was);
  for (const [name, rows] of Object.entries<Batches<unknown>>(found)) {
    tables[name] = yield* name === 'accounts'
      ? exportingAccounts(world, found.accounts)
      : exportingRows(rows);
  }
  return { ...head, ...(tables as Pick<WorldExport, keyof Tables>) };
}

function* exportingRows<Row>(found: Batches<Row>): Generator<void, Row[]> {
  const rows: Row[] = [];
  for (const batch of found) {
    rows.push(...batch);
    yield;
  }
  return rows;
}

function* exportingAccounts(world: World, found: Tables['accounts']): Generator<void, AccountExport[]> {
  const accounts: AccountExport[] = [];
  for (const { transactions, ...account } of yield* exportingRows(found)) {
    const lines = yield* exportingRows(batches(transactions, (line) => exportLine(world, line)));
    accounts.push({ ...account, transactions: lines });
  }
  return accounts;
}

/** One piece of an export: a row of a table, or the head of the world. */
export type StateRow = readonly [table: string, row: unknown];

/** Like `exportWorld`, row by row, so that a large world is not in memory twice. */
export function* exportRows(world: World, was = asIs): Generator<StateRow> {
  yield ['head', exportHead(world)];
  const { organizations, apps, accounts, ...others } = exportTables(world, was);
  yield* named({ organizations, apps });
  for (const batch of accounts) {
    for (const { transactions, ...account } of batch) {
      yield ['accounts', { ...account, transactions: [] }];
      for (const transaction of transactions)
        yield ['transactions', { accountId: account.id, transaction: exportLine(world, transaction) }];
    }
  }
  yield* named(others);
}

function* named(tables: Readonly<Record<string, Batches<unknown>>>): Generator<StateRow> {
  for (const [table, found] of Object.entries(tables))
    for (const batch of found) for (const row of batch) yield [table, row];
}

export function exportHead(world: World) {
  return {
    seed: world.seed,
    assumed: world.assumed,
    autoSettleMs: world.autoSettleMs,
    kycEnabled: world.kycEnabled,
    kycAuto: world.kycAuto,
    origins: [...world.origins],
    keepDeliveries: world.keepDeliveries,
    now: world.now,
    deliveriesPaused: world.deliveriesPaused,
    transactionCount: world.transactionCount,
    endpointCount: world.endpointCount,
    eventCount: world.eventCount,
    deliveryCount: world.deliveryCount,
    faultCount: world.faultCount,
  };
}

function exportOrganization({ sessionsByKey: _sessions, ...organization }: Organization) {
  return { ...organization, origins: [...organization.origins] };
}

function exportApp({ chargesByCode: _charges, withdrawalsByCode: _byCode, withdrawals: _rows, ...app }: App) {
  return { ...app, nonces: [...app.nonces] };
}

/** With the lines of its ledger as they are kept; `exportLine` gives each its id, which takes long for a whole ledger. */
function exportAccount({ id, appId, balanceCents, transactions }: Account) {
  return { id, appId, balanceCents: String(balanceCents), transactions };
}

export function exportLine(world: World, { ordinal, ...line }: Transaction) {
  return { ordinal, id: idFor(world, 'transaction', ordinal), ...line };
}

function exportEndpoint({ deliveries: _deliveries, ...endpoint }: Endpoint) {
  return endpoint;
}

function exportEvent(event: AnnouncedEvent) {
  return { ...event };
}

function exportDelivery(delivery: Delivery) {
  return { ...delivery, event: delivery.event.id, log: [...delivery.log] };
}
