import { schedule } from '../agenda.js';
import type { IdKind } from '../ids.js';
import { eventIdFor, idFor } from '../ids.js';
import { Refusal } from '../../contract/refusals.js';
import { must, readAt } from './read.js';
import { text } from './forms.js';
import { list } from '../../schema/compound.js';
import { object } from '../../schema/object.js';
import { anything } from '../../schema/values.js';
import {
  checkAgendaWhole,
  checkCharge,
  checkDelivery,
  checkDue,
  checkEndpoint,
  checkEvent,
  checkLedger,
  checkSession,
  checkWithdrawal,
} from './checks.js';
import { HEAD, ROWS, transaction } from './rows.js';
import type {
  Account,
  AnnouncedEvent,
  App,
  Charge,
  Endpoint,
  Organization,
  Table,
  Withdrawal,
  World,
} from '../world.js';
import { emptyWorld, insert } from '../world.js';

type TableName = keyof typeof ROWS;

const TABLES = Object.keys(ROWS).filter(isTable);
const HEAD_ROW = object('an object', HEAD);
const TRANSACTION_ROW = object('an object', { accountId: text, transaction });

function isTable(name: string): name is TableName {
  return Object.hasOwn(ROWS, name);
}

function refuse(message: string): never {
  throw new Refusal('INVALID_REQUEST', `The state does not fit together: ${message}.`, {
    hint: 'Import an unchanged file of `npx pix-sandbox state export`.',
  });
}

/** The row that a place refers to. */
function found<Row>(row: Row | undefined, what: string, place: string): Row {
  return row ?? refuse(`${place} refers to ${what.slice(0, 80)}, which does not exist`);
}

/**
 * Builds a world from its rows, in the order in which `exportRows` gives them. Everything is checked: the fields of every
 * row, the order of rows, their references, and the sums of the ledger. A mistake is refused
 * (INVALID_REQUEST) with its place.
 */
export class WorldReader {
  #world: World | undefined;
  readonly #counts = new Map<string, number>();
  readonly #balances = new Map<Account, bigint>();

  row(table: string, value: unknown): void {
    if (table === 'head') return this.#begin(value);
    const count = this.#counts.get(table) ?? 0;
    this.#counts.set(table, count + 1);
    const place = `${table}[${count}]`;
    if (table === 'transactions') {
      const { accountId, transaction: line } = readAt(TRANSACTION_ROW, value, place);
      const account = found(this.#begun().accounts.get(accountId), `account ${accountId}`, place);
      account.transactions.push(line);
      return;
    }
    if (!isTable(table)) refuse(`there is no table ${table.slice(0, 40)}`);
    this.#adders[table](value, place);
  }

  /** The world, once all rows have been added. */
  finish(): World {
    const world = this.#begun();
    const lines = new Set<number>();
    let lineCount = 0;
    for (const [index, account] of [...world.accounts.values()].entries()) {
      const place = `accounts[${index}]`;
      account.balanceCents = this.#balances.get(account) ?? 0n;
      checkLedger(world, account, place);
      for (const { ordinal } of account.transactions) lines.add(ordinal);
      lineCount += account.transactions.length;
      must(lines.size === lineCount, place, 'transactions that no other account has');
    }
    for (const [index, { id, accountId }] of world.apps.rows.entries()) {
      must(world.accounts.get(accountId)?.appId === id, `apps[${index}].accountId`, 'an account of its own');
    }
    checkAgendaWhole(world);
    return world;
  }

  #begin(value: unknown): void {
    const {
      seed,
      assumed,
      now,
      deliveriesPaused = false,
      transactionCount,
      endpointCount,
      faultCount,
      ...settings
    } = readAt(HEAD_ROW, value, 'head');
    this.#world = emptyWorld(seed, assumed, now, settings);
    this.#world.deliveriesPaused = deliveriesPaused;
    this.#world.transactionCount = transactionCount;
    this.#world.endpointCount = endpointCount;
    this.#world.faultCount = faultCount;
  }

  #begun(): World {
    return this.#world ?? refuse('the head does not come before the rows');
  }

  /** Adds a row, checking its order and derived id; ids of sessions are random. */
  #place<Row extends { readonly id: string; readonly ordinal: number }>(
    table: Table<Row>,
    kind: IdKind,
    row: Row,
    place: string,
  ): Row {
    const { ordinal, id } = row;
    must(
      ordinal === table.rows.length,
      `${place}.ordinal`,
      `${table.rows.length}, its place; got ${ordinal}`,
    );
    if (kind !== 'session') this.#checkId(kind, row, place);
    must(!table.byId.has(id), `${place}.id`, 'one that no other row has');
    return insert(table, row);
  }

  #checkId(kind: IdKind, row: { readonly id: string; readonly ordinal: number }, place: string): void {
    const world = this.#begun();
    const id = kind === 'event' ? eventIdFor(world, row.ordinal) : idFor(world, kind, row.ordinal);
    must(
      row.id === id,
      `${place}.id`,
      `${id}, which follows from seed and ordinal; got ${row.id.slice(0, 60)}`,
    );
  }

  /** Adds a row that has no table, checking that its ordinal was assigned. */
  #put<Row extends { readonly id: string; readonly ordinal: number }>(
    rows: Map<string, Row>,
    given: number,
    kind: IdKind,
    row: Row,
    place: string,
  ): void {
    must(row.ordinal < given, `${place}.ordinal`, `one below ${kind}Count, ${given}; got ${row.ordinal}`);
    this.#checkId(kind, row, place);
    must(!rows.has(row.id), `${place}.id`, 'one that no other row has');
    rows.set(row.id, row);
  }

  /** The application of a charge or withdrawal, whose account it moves. */
  #owner({ appId, accountId }: Charge | Withdrawal, place: string): App {
    const app = this.#app(appId, place);
    must(app.accountId === accountId, `${place}.accountId`, "the application's account");
    found(this.#begun().accounts.get(accountId), `account ${accountId}`, place);
    return app;
  }

  #app(id: string, place: string): App {
    return found(this.#begun().apps.byId.get(id), `application ${id}`, place);
  }

  readonly #adders: { readonly [Name in TableName]: (value: unknown, place: string) => void } = {
    organizations: (value, place) => {
      const row = readAt(ROWS.organizations, value, place);
      const { organizations } = this.#begun();
      const { name, kycToken, publishableKey } = row;
      for (const other of organizations.rows) {
        must(other.name !== name, `${place}.name`, 'one that no other organization has');
        must(kycToken === null || other.kycToken !== kycToken, `${place}.kycToken`, 'one of its own');
        must(
          publishableKey === null || other.publishableKey !== publishableKey,
          `${place}.publishableKey`,
          'one of its own',
        );
      }
      const organization = { ...row, sessionsByKey: new Map() };
      this.#place<Organization>(organizations, 'organization', organization, place);
    },
    apps: (value, place) => {
      const world = this.#begun();
      const { nonces, ...row } = readAt(ROWS.apps, value, place);
      found(world.organizations.byId.get(row.organizationId), `organization ${row.organizationId}`, place);
      must(!world.appsByToken.has(row.token), `${place}.token`, 'one that no other application has');
      const own = { chargesByCode: new Map(), withdrawalsByCode: new Map(), withdrawals: [] };
      const app = this.#place<App>(world.apps, 'app', { ...row, ...own, nonces: new Map(nonces) }, place);
      world.appsByToken.set(app.token, app);
    },
    accounts: (value, place) => {
      const { balanceCents, ...row } = readAt(ROWS.accounts, value, place);
      const { accounts } = this.#begun();
      must(!accounts.has(row.id), `${place}.id`, 'one that no other account has');
      must(this.#app(row.appId, place).accountId === row.id, `${place}.appId`, 'the application that has it');
      const account: Account = { ...row, balanceCents: 0n };
      accounts.set(account.id, account);
      this.#balances.set(account, BigInt(balanceCents));
    },
    charges: (value, place) => {
      const world = this.#begun();
      const charge = this.#place(world.charges, 'charge', readAt(ROWS.charges, value, place), place);
      checkCharge(world, charge, place);
      const { chargesByCode } = this.#owner(charge, place);
      must(!chargesByCode.has(charge.code), `${place}.code`, 'one that no other charge has');
      chargesByCode.set(charge.code, charge);
    },
    withdrawals: (value, place) => {
      const world = this.#begun();
      const row = readAt(ROWS.withdrawals, value, place);
      const withdrawal = this.#place(world.withdrawals, 'withdrawal', row, place);
      checkWithdrawal(world, withdrawal, place);
      const app = this.#owner(withdrawal, place);
      const isFirst = !app.withdrawalsByCode.has(withdrawal.code);
      must(isFirst, `${place}.code`, 'one that no other withdrawal has');
      app.withdrawalsByCode.set(withdrawal.code, withdrawal);
      app.withdrawals.push(withdrawal);
    },
    endpoints: (value, place) => {
      const endpoint: Endpoint = { ...readAt(ROWS.endpoints, value, place), deliveries: [] };
      const world = this.#begun();
      this.#app(endpoint.appId, place);
      checkEndpoint(world, endpoint, place);
      this.#put(world.endpoints, world.endpointCount, 'endpoint', endpoint, place);
    },
    events: (value, place) => {
      const world = this.#begun();
      const event = this.#place<AnnouncedEvent>(
        world.events,
        'event',
        readAt(ROWS.events, value, place),
        place,
      );
      checkEvent(world, event, place);
    },
    deliveries: (value, place) => {
      const world = this.#begun();
      const { event: eventId, ...row } = readAt(ROWS.deliveries, value, place);
      const event = found(world.events.byId.get(eventId), `event ${eventId}`, place);
      const delivery = this.#place(world.deliveries, 'delivery', { ...row, event }, place);
      checkDelivery(world, delivery, place);
      world.endpoints.get(delivery.endpointId)?.deliveries.push(delivery);
    },
    sessions: (value, place) => {
      const world = this.#begun();
      const session = this.#place(world.sessions, 'session', readAt(ROWS.sessions, value, place), place);
      checkSession(world, session, place);
      const { organizationId, idempotencyKey } = session;
      const organization = found(
        world.organizations.byId.get(organizationId),
        `organization ${organizationId}`,
        place,
      );
      if (idempotencyKey === null) return;
      const isFirst = !organization.sessionsByKey.has(idempotencyKey);
      must(isFirst, `${place}.idempotencyKey`, 'one that no other session has');
      organization.sessionsByKey.set(idempotencyKey, session);
    },
    faults: (value, place) => {
      const fault = readAt(ROWS.faults, value, place);
      const { faults, faultCount } = this.#begun();
      this.#put(faults, faultCount, 'fault', fault, place);
    },
    agenda: (value, place) => {
      const { at, kind, ordinal } = readAt(ROWS.agenda, value, place);
      if (kind === undefined) return;
      const world = this.#begun();
      checkDue(world, kind, { at, ordinal }, place);
      schedule(world.agenda, at, kind, ordinal);
    },
  };
}

/** The world of an export that was read from JSON. Refuses anything else (INVALID_REQUEST). */
export function importWorld(exported: unknown): World {
  if (typeof exported !== 'object' || exported === null) refuse('the world is not an object');
  const fields = new Map<string, unknown>(Object.entries(exported));
  const reader = new WorldReader();
  const head = Object.keys(HEAD).map((field) => [field, fields.get(field)]);
  reader.row('head', Object.fromEntries(head));
  for (const table of TABLES) {
    const rows = readAt(list(anything), fields.get(table), table);
    for (const row of rows) reader.row(table, row);
  }
  const stranger = [...fields.keys()].find((field) => !isTable(field) && !Object.hasOwn(HEAD, field));
  if (stranger !== undefined) refuse(`there is no table ${stranger.slice(0, 40)}`);
  return reader.finish();
}
