import { schedule } from '../agenda.js';
import type { IdKind } from '../ids.js';
import { eventIdFor, idFor } from '../ids.js';
import { Refusal } from '../../contract/refusals.js';
import { fieldsAt, must } from './read.js';
import {
  checkCharge,
  checkDelivery,
  checkDue,
  checkEndpoint,
  checkEvent,
  checkSession,
  checkWithdrawal,
} from './checks.js';
import type { Row, TableName } from './rows.js';
import type { Table } from '../table.js';
import type {
  Account,
  AnnouncedEvent,
  App,
  Charge,
  Endpoint,
  Transaction,
  Withdrawal,
  World,
} from '../world.js';
import { insert } from '../table.js';

export function refuse(message: string): never {
  throw new Refusal('INVALID_REQUEST', `The state does not fit together: ${message}.`, {
    hint: 'Import an unchanged file of `npx sandbox state export`.',
  });
}

/** The row that a place refers to. */
export function found<One>(row: One | undefined, what: string, place: string): One {
  return row ?? refuse(`${place} refers to ${what.slice(0, 80)}, which does not exist`);
}

/** The application of a charge or withdrawal, one of whose accounts it moves. */
function ownerOf(world: World, { appId, accountId }: Charge | Withdrawal, place: string): App {
  const app = appOf(world, appId, place);
  const account = found(world.accounts.get(accountId), `account ${accountId}`, place);
  must(account.appId === app.id, `${place}.accountId`, 'an account of the application');
  return app;
}

function appOf(world: World, id: string, place: string): App {
  return found(world.apps.byId.get(id), `application ${id}`, place);
}

type Identified = { readonly id: string; readonly ordinal: number };

function checkId(world: World, kind: IdKind, { ordinal, id: given }: Identified, place: string): void {
  const id = kind === 'event' ? eventIdFor(world, ordinal) : idFor(world, kind, ordinal);
  const expected = `${id}, which follows from seed and ordinal; got ${given.slice(0, 60)}`;
  must(given === id, `${place}.id`, expected);
}

/** Adds a row, checking its order and derived id; ids of sessions are random. */
function append<One extends Identified>(
  world: World,
  table: Table<One>,
  kind: IdKind,
  row: One,
  place: string,
): One {
  const { length } = table.rows;
  const check = fieldsAt(place);
  check('ordinal', row.ordinal === length, `${length}, its place; got ${row.ordinal}`);
  if (kind !== 'session') checkId(world, kind, row, place);
  check('id', !table.byId.has(row.id), 'one that no other row has');
  return insert(table, row);
}

/** The same for a table of which retention drops rows: ordinals rise, and stay below their count. */
function appendKept<One extends Identified>(
  world: World,
  table: Table<One>,
  kind: 'event' | 'delivery',
  row: One,
  place: string,
): One {
  const last = table.rows.at(-1)?.ordinal ?? -1;
  const count = world[`${kind}Count`];
  const isNext = row.ordinal > last && row.ordinal < count;
  must(isNext, `${place}.ordinal`, `one above ${last} and below ${kind}Count; got ${row.ordinal}`);
  checkId(world, kind, row, place);
  return insert(table, row);
}

export function ledgerLine(
  world: World,
  { id, ...line }: Row<'accounts'>['transactions'][number],
  place: string,
): Transaction {
  const isOwn = id === idFor(world, 'transaction', line.ordinal);
  must(isOwn, `${place}.id`, 'what follows from seed and ordinal');
  return line;
}

/** Adds a row that has no table, checking that its ordinal was assigned. */
function put<One extends Identified>(
  world: World,
  rows: Map<string, One>,
  given: number,
  kind: IdKind,
  row: One,
  place: string,
): void {
  must(row.ordinal < given, `${place}.ordinal`, `one below ${kind}Count, ${given}; got ${row.ordinal}`);
  checkId(world, kind, row, place);
  putOnce(rows, row.id, row, `${place}.id`, 'row');
}

function putOnce<One>(rows: Map<string, One>, key: string, row: One, place: string, what: string): void {
  must(!rows.has(key), place, `one that no other ${what} has`);
  rows.set(key, row);
}

/** Adds a row of each table, checking it against those before. */
export const ADDERS: { readonly [Name in TableName]: (world: World, row: Row<Name>, place: string) => void } =
  {
    organizations: (world, row, place) => {
      const { name, kycToken, publishableKey } = row;
      const check = fieldsAt(place);
      for (const other of world.organizations.rows) {
        check('name', other.name !== name, 'one that no other organization has');
        check('kycToken', kycToken === null || other.kycToken !== kycToken, 'one of its own');
        const isOwn = publishableKey === null || other.publishableKey !== publishableKey;
        check('publishableKey', isOwn, 'one of its own');
      }
      append(world, world.organizations, 'organization', { ...row, sessionsByKey: new Map() }, place);
    },
    apps: (world, { nonces, ...row }, place) => {
      found(world.organizations.byId.get(row.organizationId), `organization ${row.organizationId}`, place);
      const own = { chargesByCode: new Map(), withdrawalsByCode: new Map(), withdrawals: [] };
      const app: App = { ...row, ...own, nonces: new Map(nonces) };
      putOnce(world.appsByToken, app.token, app, `${place}.token`, 'application');
      append(world, world.apps, 'app', app, place);
    },
    accounts: (world, { balanceCents, transactions: lines, ...row }, place) => {
      const transactions = lines.map((line, at) => ledgerLine(world, line, `${place}.transactions[${at}]`));
      const account: Account = { ...row, transactions, balanceCents: BigInt(balanceCents) };
      putOnce(world.accounts, row.id, account, `${place}.id`, 'account');
      appOf(world, row.appId, place);
    },
    charges: (world, row, place) => {
      const charge = append(world, world.charges, 'charge', row, place);
      checkCharge(world, charge, place);
      putOnce(ownerOf(world, charge, place).chargesByCode, charge.code, charge, `${place}.code`, 'charge');
    },
    withdrawals: (world, row, place) => {
      const withdrawal = append(world, world.withdrawals, 'withdrawal', row, place);
      checkWithdrawal(world, withdrawal, place);
      const app = ownerOf(world, withdrawal, place);
      putOnce(app.withdrawalsByCode, withdrawal.code, withdrawal, `${place}.code`, 'withdrawal');
      app.withdrawals.push(withdrawal);
    },
    endpoints: (world, row, place) => {
      const endpoint: Endpoint = { ...row, deliveries: [] };
      appOf(world, endpoint.appId, place);
      checkEndpoint(world, endpoint, place);
      put(world, world.endpoints, world.endpointCount, 'endpoint', endpoint, place);
    },
    events: (world, row, place) => {
      const event = appendKept<AnnouncedEvent>(world, world.events, 'event', row, place);
      checkEvent(world, event, place);
      world.undelivered.add(event);
    },
    deliveries: (world, { event: eventId, ...row }, place) => {
      const event = found(world.events.byId.get(eventId), `event ${eventId}`, place);
      const delivery = appendKept(world, world.deliveries, 'delivery', { ...row, event }, place);
      checkDelivery(world, delivery, place);
      world.undelivered.delete(event);
      world.endpoints.get(delivery.endpointId)?.deliveries.push(delivery);
    },
    sessions: (world, row, place) => {
      const session = append(world, world.sessions, 'session', row, place);
      checkSession(world, session, place);
      const { organizationId, idempotencyKey } = session;
      const named = `organization ${organizationId}`;
      const { sessionsByKey } = found(world.organizations.byId.get(organizationId), named, place);
      if (idempotencyKey === null) return;
      putOnce(sessionsByKey, idempotencyKey, session, `${place}.idempotencyKey`, 'session');
    },
    faults: (world, row, place) => put(world, world.faults, world.faultCount, 'fault', row, place),
    agenda: (world, { at, kind, ordinal }, place) => {
      if (kind === undefined) return;
      checkDue(world, kind, { at, ordinal }, place);
      schedule(world.agenda, at, kind, ordinal);
    },
  };
