import { AGENDA_KINDS, inOrder } from '../agenda.js';
import { stillStands } from '../due.js';
import type { Account, AnnouncedEvent, App, Delivery, Endpoint, Organization, World } from '../world.js';

/** The parts of a world that are derived from its rows. */
type Derived = 'appsByToken' | 'readers';

/**
 * The whole world as plain JSON that shares no mutable data with it: rows in creation order, references as
 * ids, balances as text, and the agenda in execution order, without out-of-date items. Two worlds that
 * behave alike give the same export. It holds tokens and secrets.
 */
export function exportWorld(world: World) {
  return {
    ...exportHead(world),
    organizations: world.organizations.rows.map(exportOrganization),
    apps: world.apps.rows.map(exportApp),
    accounts: Array.from(world.accounts.values(), exportAccount),
    charges: world.charges.rows.map((charge) => ({ ...charge })),
    withdrawals: world.withdrawals.rows.map((withdrawal) => ({ ...withdrawal })),
    endpoints: Array.from(world.endpoints.values(), exportEndpoint),
    events: world.events.rows.map(exportEvent),
    deliveries: world.deliveries.rows.map(exportDelivery),
    sessions: world.sessions.rows.map((session) => ({ ...session })),
    faults: Array.from(world.faults.values(), (fault) => ({ ...fault })),
    agenda: exportAgenda(world),
  } satisfies Record<Exclude<keyof World, Derived>, unknown>;
}

export type WorldExport = ReturnType<typeof exportWorld>;

/** One piece of an export: a row of a table, or the head of the world. */
export type StateRow = readonly [table: string, row: unknown];

/** Like `exportWorld`, row by row, so that a large world is not in memory twice. */
export function* exportRows(world: World): Generator<StateRow> {
  yield ['head', exportHead(world)];
  for (const row of world.organizations.rows) yield ['organizations', exportOrganization(row)];
  for (const row of world.apps.rows) yield ['apps', exportApp(row)];
  for (const account of world.accounts.values()) {
    yield ['accounts', exportAccount({ ...account, transactions: [] })];
    for (const transaction of account.transactions)
      yield ['transactions', { accountId: account.id, transaction }];
  }
  for (const row of world.charges.rows) yield ['charges', row];
  for (const row of world.withdrawals.rows) yield ['withdrawals', row];
  for (const row of world.endpoints.values()) yield ['endpoints', exportEndpoint(row)];
  for (const row of world.events.rows) yield ['events', row];
  for (const row of world.deliveries.rows) yield ['deliveries', exportDelivery(row)];
  for (const row of world.sessions.rows) yield ['sessions', row];
  for (const row of world.faults.values()) yield ['faults', row];
  for (const row of exportAgenda(world)) yield ['agenda', row];
}

function exportHead(world: World) {
  return {
    seed: world.seed,
    assumed: world.assumed,
    autoSettleMs: world.autoSettleMs,
    kycEnabled: world.kycEnabled,
    kycAuto: world.kycAuto,
    origins: [...world.origins],
    now: world.now,
    deliveriesPaused: world.deliveriesPaused,
    transactionCount: world.transactionCount,
    endpointCount: world.endpointCount,
    faultCount: world.faultCount,
  };
}

function exportOrganization({ sessionsByKey: _sessions, ...organization }: Organization) {
  return { ...organization, origins: [...organization.origins] };
}

function exportApp({ chargesByCode: _charges, withdrawalsByCode: _byCode, withdrawals: _rows, ...app }: App) {
  return { ...app, nonces: [...app.nonces] };
}

function exportAccount(account: Account) {
  return { ...account, balanceCents: String(account.balanceCents), transactions: [...account.transactions] };
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

function exportAgenda(world: World) {
  return inOrder(world.agenda)
    .filter((item) => stillStands(world, item))
    .map(({ at, kind, ordinal }) => ({ at, kind: AGENDA_KINDS[kind], ordinal }));
}
