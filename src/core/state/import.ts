import { schedule } from '../agenda.js';
import type { IdKind } from '../ids.js';
import { eventIdFor, idFor } from '../ids.js';
import { Refusal } from '../../contract/refusals.js';
import { fieldsAt, must, readAt } from './read.js';
import { text } from './forms.js';
import { list } from '../../schema/compound.js';
import { isObject, object } from '../../schema/object.js';
import { finished } from './steps.js';
import { anything } from '../../schema/values.js';
import {
  checkingAgendaWhole,
  checkCharge,
  checkDelivery,
  checkDue,
  checkEndpoint,
  checkEvent,
  checkingLedger,
  checkSession,
  checkWithdrawal,
} from './checks.js';
import type { Row, TableName } from './rows.js';
import { HEAD, ROWS, transaction } from './rows.js';
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
import { emptyWorld } from '../world.js';

const TABLES = Object.keys(ROWS).filter(isTable);
const HEAD_ROW = object('an object', HEAD);
/** Stands for the count of rows in a state that has none. */
const UNSAID = Infinity;
const TRANSACTION_ROW = object('an object', { accountId: text, transaction });

function isTable(name: string): name is TableName {
  return Object.hasOwn(ROWS, name);
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

/** A world without counts is older than retention, and has all of its rows. */
function count(world: World, kind: 'event' | 'delivery', { rows }: World['events' | 'deliveries']): void {
  if (world[`${kind}Count`] !== UNSAID) return;
  world[`${kind}Count`] = rows.length;
  const last = rows.at(-1)?.ordinal ?? -1;
  must(last === rows.length - 1, `${kind}Count`, 'a number, because rows are missing; got none');
}

function ledgerLine(
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
const ADDERS: { readonly [Name in TableName]: (world: World, row: Row<Name>, place: string) => void } = {
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

/**
 * Builds a world from its rows, in the order in which `exportRows` gives them. Everything is checked: the fields of every
 * row, the order of rows, their references, and the sums of the ledger. A mistake is refused
 * (INVALID_REQUEST) with its place.
 */
export class WorldReader {
  #world: World | undefined;
  readonly #counts = new Map<string, number>();

  row(table: string, value: unknown): void {
    if (table === 'head') return this.#begin(value);
    const place = this.#nextPlace(table);
    if (table === 'transactions') {
      const { accountId, transaction: line } = readAt(TRANSACTION_ROW, value, place);
      const account = found(this.#begun().accounts.get(accountId), `account ${accountId}`, place);
      account.transactions.push(ledgerLine(this.#begun(), line, place));
      return;
    }
    if (!isTable(table)) refuse(`there is no table ${table.slice(0, 40)}`);
    // A table's schema gives the rows that its adder takes.
    const add: (world: World, row: never, place: string) => void = ADDERS[table];
    add(this.#begun(), readAt<unknown>(ROWS[table], value, place) as never, place);
  }

  /** An account with its ledger, in steps. */
  *account(value: { readonly id?: unknown }, lines: readonly unknown[]): Generator<void, void> {
    const place = `accounts[${this.#counts.get('accounts') ?? 0}]`;
    this.row('accounts', { ...value, transactions: [] });
    const account = this.#begun().accounts.get(String(value.id));
    for (const [index, line] of lines.entries()) {
      const at = `${place}.transactions[${index}]`;
      account?.transactions.push(ledgerLine(this.#begun(), readAt(transaction, line, at), at));
      yield;
    }
  }

  #nextPlace(table: string): string {
    const count = this.#counts.get(table) ?? 0;
    this.#counts.set(table, count + 1);
    return `${table}[${count}]`;
  }

  /** The world, once all rows have been added. */
  finish(): World {
    return finished(this.finishing());
  }

  /** The same in steps. */
  *finishing(): Generator<void, World> {
    const world = this.#begun();
    const lines = new Set<number>();
    let lineCount = 0;
    for (const [index, account] of [...world.accounts.values()].entries()) {
      const place = `accounts[${index}]`;
      yield* checkingLedger(world, account, place);
      for (const { ordinal } of account.transactions) {
        lines.add(ordinal);
        yield;
      }
      lineCount += account.transactions.length;
      must(lines.size === lineCount, place, 'transactions that no other account has');
    }
    for (const [index, { id, accountId }] of world.apps.rows.entries()) {
      must(world.accounts.get(accountId)?.appId === id, `apps[${index}].accountId`, 'an account of its own');
    }
    count(world, 'event', world.events);
    count(world, 'delivery', world.deliveries);
    yield* checkingAgendaWhole(world);
    return world;
  }

  #begin(value: unknown): void {
    const { seed, assumed, now, deliveriesPaused = false, ...rest } = readAt(HEAD_ROW, value, 'head');
    const { transactionCount, endpointCount, faultCount, keepDeliveries = null, ...others } = rest;
    const { eventCount = UNSAID, deliveryCount = UNSAID, ...settings } = others;
    const counts = { transactionCount, endpointCount, faultCount, eventCount, deliveryCount };
    const world = emptyWorld(seed, assumed, now, { ...settings, keepDeliveries });
    this.#world = Object.assign(world, { deliveriesPaused, ...counts });
  }

  #begun(): World {
    return this.#world ?? refuse('the head does not come before the rows');
  }
}

/** The world of an export that was read from JSON. Refuses anything else (INVALID_REQUEST). */
export function importWorld(exported: unknown): World {
  return finished(importing(exported));
}

/** The same in short steps. */
export function* importing(exported: unknown): Generator<void, World> {
  if (typeof exported !== 'object' || exported === null) refuse('the world is not an object');
  const fields = new Map<string, unknown>(Object.entries(exported));
  const reader = new WorldReader();
  const head = Object.keys(HEAD).map((field) => [field, fields.get(field)]);
  reader.row('head', Object.fromEntries(head));
  for (const table of TABLES) {
    const rows = readAt(list(anything), fields.get(table), table);
    for (const row of rows) {
      if (table === 'accounts' && isObject(row) && Array.isArray(row['transactions'])) {
        yield* reader.account(row, row['transactions']);
      } else reader.row(table, row);
      yield;
    }
  }
  const stranger = [...fields.keys()].find((field) => !isTable(field) && !Object.hasOwn(HEAD, field));
  if (stranger !== undefined) refuse(`there is no table ${stranger.slice(0, 40)}`);
  return yield* reader.finishing();
}
