import { dueItems } from '../due.js';
import type { IdKind } from '../ids.js';
import { idFor } from '../ids.js';
import { Refusal } from '../../contract/refusals.js';
import { list } from '../../schema/compound.js';
import { isObject, object } from '../../schema/object.js';
import { insert } from '../table.js';
import type { Table } from '../table.js';
import type { Account, AnnouncedEvent, App, Charge, Delivery, Withdrawal, World } from '../world.js';
import { emptyWorld } from '../world.js';
import type { WorldExport } from './export.js';
import { must, readAt } from './forms.js';
import { HEAD, ROWS } from './rows.js';

const HEAD_ROW = object('an object', HEAD);

/**
 * Builds the world of an export that was read from JSON. Anything invalid is refused (INVALID_REQUEST) with
 * its place.
 */
export function importWorld(exported: unknown): World {
  if (!isObject(exported)) return refuse('the world is not an object');
  const fields = new Map(Object.entries(exported));
  const stranger = [...fields.keys()].find(
    (name) => !Object.hasOwn(HEAD, name) && !Object.hasOwn(ROWS, name),
  );
  if (stranger !== undefined) refuse(`there is no table ${stranger.slice(0, 40)}`);
  const given = Object.fromEntries(Object.keys(HEAD).map((name) => [name, fields.get(name)]));
  const head = readAt(HEAD_ROW, given, 'head');
  const tables = Object.entries(ROWS).map(([table, schema]) => {
    return [table, readAt<unknown>(list<unknown>(schema), fields.get(table), table)];
  });
  return buildWorld({ ...head, ...Object.fromEntries(tables) } as WorldExport);
}

/**
 * Builds the world of an export. Checks how rows refer to each other, not their fields, and refuses what does
 * not fit together.
 */
export function buildWorld(state: WorldExport): World {
  const { organizations, apps, accounts, charges, withdrawals, endpoints, ...others } = state;
  const { events, deliveries, sessions, faults, agenda, ...head } = others;
  const world: World = { ...emptyWorld(head.seed, head.assumed, head.now), ...head };
  each('organizations', organizations, (row, place) => {
    for (const other of world.organizations.rows) {
      must(other.name !== row.name, `${place}.name`, 'one that no other organization has');
      for (const key of ['kycToken', 'publishableKey'] as const)
        must(row[key] === null || other[key] !== row[key], `${place}.${key}`, 'one of its own');
    }
    const organization = { ...row, origins: [...row.origins], sessionsByKey: new Map() };
    append(world, world.organizations, 'organization', organization, place);
  });
  each('apps', apps, (row, place) => {
    found(world.organizations.byId.get(row.organizationId), `organization ${row.organizationId}`, place);
    const own = { chargesByCode: new Map(), withdrawalsByCode: new Map(), withdrawals: [] };
    const app: App = { ...row, nonces: new Map(row.nonces), ...own };
    putOnce(world.appsByToken, app.token, app, `${place}.token`, 'application');
    append(world, world.apps, 'app', app, place);
  });
  addAccounts(world, accounts);
  each('apps', world.apps.rows, ({ id, accountId }, place) => {
    must(world.accounts.get(accountId)?.appId === id, `${place}.accountId`, 'an account of its own');
  });
  each('charges', charges, (row, place) => {
    const charge = append(world, world.charges, 'charge', { ...row }, place);
    putOnce(ownerOf(world, charge, place).chargesByCode, charge.code, charge, `${place}.code`, 'charge');
  });
  each('withdrawals', withdrawals, (row, place) => {
    const withdrawal = append(world, world.withdrawals, 'withdrawal', { ...row }, place);
    const app = ownerOf(world, withdrawal, place);
    putOnce(app.withdrawalsByCode, withdrawal.code, withdrawal, `${place}.code`, 'withdrawal');
    app.withdrawals.push(withdrawal);
  });
  each('endpoints', endpoints, (row, place) => {
    appOf(world, row.appId, place);
    put(world, world.endpoints, 'endpoint', { ...row, deliveries: [] }, place);
  });
  each('events', events, (row, place) => {
    checkResource(world, row, `${place}.resource`);
    world.undelivered.add(appendLater(world, world.events, 'event', row, place));
  });
  each('deliveries', deliveries, (row, place) => addDelivery(world, row, place));
  each('sessions', sessions, (row, place) => {
    const session = append(world, world.sessions, 'session', { ...row }, place);
    const { organizationId, idempotencyKey } = session;
    const organization = world.organizations.byId.get(organizationId);
    const { sessionsByKey } = found(organization, `organization ${organizationId}`, place);
    if (idempotencyKey === null) return;
    putOnce(sessionsByKey, idempotencyKey, session, `${place}.idempotencyKey`, 'session');
  });
  each('faults', faults, (row, place) => put(world, world.faults, 'fault', { ...row }, place));
  addAgenda(world, agenda);
  return world;
}

function each<Row>(table: string, rows: readonly Row[], add: (row: Row, place: string) => void): void {
  for (const [index, row] of rows.entries()) add(row, `${table}[${index}]`);
}

function refuse(message: string): never {
  throw new Refusal('INVALID_REQUEST', `The state does not fit together: ${message}.`, {
    hint: 'Import an unchanged file of `npx sandbox state export`.',
  });
}

/** The row that a place refers to. */
function found<One>(row: One | undefined, what: string, place: string): One {
  return row ?? refuse(`${place} refers to ${what.slice(0, 80)}, which does not exist`);
}

function appOf(world: World, id: string, place: string): App {
  return found(world.apps.byId.get(id), `application ${id}`, place);
}

/** The application of a charge or withdrawal, one of whose accounts it moves. */
function ownerOf(world: World, { appId, accountId }: Charge | Withdrawal, place: string): App {
  const app = appOf(world, appId, place);
  const account = found(world.accounts.get(accountId), `account ${accountId}`, place);
  must(account.appId === app.id, `${place}.accountId`, 'an account of the application');
  return app;
}

type Identified = { readonly id: string; readonly ordinal: number };

function checkId(world: World, kind: IdKind, { ordinal, id: given }: Identified, place: string): void {
  const id = idFor(world, kind, ordinal);
  must(given === id, `${place}.id`, `${id}, which follows from seed and ordinal; got ${given.slice(0, 60)}`);
}

/** Adds a row at the place that its ordinal says, with the id that follows from it; ids of sessions are random. */
function append<One extends Identified>(
  world: World,
  table: Table<One>,
  kind: IdKind,
  row: One,
  place: string,
): One {
  const { length } = table.rows;
  must(row.ordinal === length, `${place}.ordinal`, `${length}, its place; got ${row.ordinal}`);
  if (kind === 'session') must(!table.byId.has(row.id), `${place}.id`, 'one that no other row has');
  else checkId(world, kind, row, place);
  return insert(table, row);
}

/**
 * The same for a table of which the oldest rows are dropped: ordinals rise, and stay below their count.
 * Deriving the ids of 100,000 rows takes too long, so these must only differ.
 */
function appendLater<One extends AnnouncedEvent | Delivery>(
  world: World,
  table: Table<One>,
  kind: 'event' | 'delivery',
  row: One,
  place: string,
): One {
  const last = table.rows.at(-1)?.ordinal ?? -1;
  const isNext = row.ordinal > last && row.ordinal < world[`${kind}Count`];
  if (!isNext)
    must(isNext, `${place}.ordinal`, `one above ${last} and below ${kind}Count; got ${row.ordinal}`);
  if (table.byId.has(row.id)) must(false, `${place}.id`, 'one that no other row has');
  return insert<One>(table, row);
}

/** Adds a row that has no table. */
function put<One extends Identified>(
  world: World,
  rows: Map<string, One>,
  kind: 'endpoint' | 'fault',
  row: One,
  place: string,
): void {
  const count = world[`${kind}Count`];
  must(row.ordinal < count, `${place}.ordinal`, `one below ${kind}Count, ${count}; got ${row.ordinal}`);
  checkId(world, kind, row, place);
  putOnce(rows, row.id, row, `${place}.id`, 'row');
}

function putOnce<One>(rows: Map<string, One>, key: string, row: One, place: string, what: string): void {
  must(!rows.has(key), place, `one that no other ${what} has`);
  rows.set(key, row);
}

/** Adds the accounts, whose transactions add up to their balances, and belong to one of them only. */
function addAccounts(world: World, accounts: WorldExport['accounts']): void {
  const ordinals = new Set<number>();
  each('accounts', accounts, ({ balanceCents, ...row }, place) => {
    let sum = 0n;
    let last = -1;
    each(`${place}.transactions`, row.transactions, ({ ordinal, direction, amountCents }, at) => {
      const isNext = ordinal > last && ordinal < world.transactionCount && !ordinals.has(ordinal);
      must(isNext, `${at}.ordinal`, 'one in order, of no other account, below transactionCount');
      ordinals.add(ordinal);
      last = ordinal;
      sum += BigInt(direction === 'CREDIT' ? amountCents : -amountCents);
    });
    const expected = `${sum}, to which its transactions add up; got ${balanceCents}`;
    must(String(sum) === balanceCents, `${place}.balanceCents`, expected);
    const account: Account = { ...row, transactions: [...row.transactions], balanceCents: sum };
    appOf(world, row.appId, place);
    putOnce(world.accounts, row.id, account, `${place}.id`, 'account');
  });
}

function checkResource(world: World, { resource }: AnnouncedEvent, place: string): void {
  const table = 'pixKey' in resource ? world.withdrawals : world.charges;
  const row = table.byId.get(resource.id);
  const isSame = row?.appId === resource.appId && row.code === resource.code;
  must(isSame, place, 'what the row of its id was');
}

function addDelivery(world: World, row: WorldExport['deliveries'][number], place: string): void {
  const event = found(world.events.byId.get(row.event), `event ${row.event}`, place);
  const delivery = appendLater<Delivery>(world, world.deliveries, 'delivery', { ...row, event }, place);
  const { status, inFlight, nextAttemptAt, endpointId } = delivery;
  const isPending = status === 'PENDING';
  const endpoint = world.endpoints.get(endpointId);
  const isServed = isPending ? endpoint?.status === 'ACTIVE' : true;
  if (!isServed) must(isServed, `${place}.endpointId`, 'an active endpoint while it is PENDING');
  if (inFlight && !isPending) must(isPending, `${place}.inFlight`, `false while it is ${status}`);
  const isTimed = (nextAttemptAt !== null) === (isPending && !inFlight);
  if (!isTimed) must(isTimed, `${place}.nextAttemptAt`, 'one while it waits, else null');
  world.undelivered.delete(event);
  endpoint?.deliveries.push(delivery);
}

/** Fills the agenda with what falls due by the rows, and refuses an exported one that differs. */
function addAgenda(world: World, agenda: WorldExport['agenda']): void {
  const due = dueItems(world);
  const left = new Map(due.map(({ kind, ordinal, at }) => [`${kind} of row ${ordinal}`, at]));
  each('agenda', agenda, ({ at, kind, ordinal }, place) => {
    const name = `${kind} of row ${ordinal}`;
    const dueAt = left.get(name);
    must(dueAt !== undefined, place, `something that falls due; ${name} does not`);
    must(dueAt === at, `${place}.at`, `${dueAt}, as its row says; got ${at}`);
    left.delete(name);
  });
  for (const missing of left.keys()) must(false, 'agenda', `${missing}, which falls due`);
  for (const item of due) world.agenda[item.kind].push(item);
}
