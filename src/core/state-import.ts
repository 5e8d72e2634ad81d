import { schedule } from './agenda.js';
import { Refusal } from './refusal.js';
import { list, object, text } from './shapes.js';
import type { WorldExport } from './state.js';
import { HEAD, ROWS, transaction } from './state-shapes.js';
import type { Account, App, Endpoint, Organization, Table, World } from './world.js';
import { emptyWorld, insert } from './world.js';

type TableName = keyof typeof ROWS;

const TABLES = Object.keys(ROWS).filter(isTable);
const HEAD_SHAPE = object<Pick<WorldExport, keyof typeof HEAD>>(HEAD);
const TRANSACTION_ROW = object<{ accountId: string; transaction: ReturnType<typeof transaction> }>({
  accountId: text,
  transaction,
});

function isTable(name: string): name is TableName {
  return Object.hasOwn(ROWS, name);
}

function refuse(message: string): never {
  throw new Refusal('INVALID_REQUEST', `The state does not fit together: ${message}.`, {
    hint: 'Import a file as `npx pix-sandbox state export` wrote it.',
  });
}

function found<Row>(row: Row | undefined, what: string): Row {
  return row ?? refuse(`there is no ${what}`);
}

/**
 * Builds a world from its rows, in the order in which `exportRows` gives them. Everything is checked: the fields of every
 * row, that rows stand in their places, that they refer to what is there, and that the ledger adds up. What is wrong is
 * refused (INVALID_REQUEST) with its place.
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
      const { accountId, transaction: line } = TRANSACTION_ROW(value, place);
      const account = found(this.#begun().accounts.get(accountId), `account ${accountId}`);
      account.transactions.push(line);
      return;
    }
    if (!isTable(table)) refuse(`there is no table ${table.slice(0, 40)}`);
    this.#adders[table](value, place);
  }

  /** The world, when all rows are in. */
  finish(): World {
    const world = this.#begun();
    for (const [account, balanceCents] of this.#balances) {
      const sum = account.transactions.reduce(
        (total, { direction, amountCents }) =>
          total + BigInt(direction === 'CREDIT' ? amountCents : -amountCents),
        0n,
      );
      if (sum !== balanceCents)
        refuse(`the ledger of account ${account.id} adds up to ${sum}, not ${balanceCents}`);
      account.balanceCents = balanceCents;
      for (const { ordinal } of account.transactions) {
        if (ordinal >= world.transactionCount) refuse(`transaction ${ordinal} lies above transactionCount`);
      }
    }
    for (const { ordinal } of world.endpoints.values()) {
      if (ordinal >= world.endpointCount) refuse(`endpoint ${ordinal} lies above endpointCount`);
    }
    for (const { ordinal } of world.faults.values()) {
      if (ordinal >= world.faultCount) refuse(`fault ${ordinal} lies above faultCount`);
    }
    return world;
  }

  #begin(value: unknown): void {
    const { seed, assumed, now, deliveriesPaused, transactionCount, endpointCount, faultCount, ...settings } =
      HEAD_SHAPE(value, 'head');
    this.#world = emptyWorld(seed, assumed, now, settings);
    this.#world.deliveriesPaused = deliveriesPaused;
    this.#world.transactionCount = transactionCount;
    this.#world.endpointCount = endpointCount;
    this.#world.faultCount = faultCount;
  }

  #begun(): World {
    return found(this.#world, 'head before the rows');
  }

  #place<Row extends { readonly id: string; readonly ordinal: number }>(table: Table<Row>, row: Row): Row {
    if (row.ordinal !== table.rows.length)
      refuse(`row ${row.id} stands at ${table.rows.length}, not at its ordinal`);
    if (table.byId.has(row.id)) refuse(`there are two of ${row.id}`);
    return insert(table, row);
  }

  #app(id: string): App {
    return found(this.#begun().apps.byId.get(id), `application ${id}`);
  }

  readonly #adders: { readonly [Name in TableName]: (value: unknown, place: string) => void } = {
    organizations: (value, place) => {
      const row = ROWS.organizations(value, place);
      this.#place<Organization>(this.#begun().organizations, { ...row, sessionsByKey: new Map() });
    },
    apps: (value, place) => {
      const world = this.#begun();
      const { nonces, ...row } = ROWS.apps(value, place);
      found(world.organizations.byId.get(row.organizationId), `organization ${row.organizationId}`);
      if (world.appsByToken.has(row.token)) refuse(`two applications have the token of ${row.id}`);
      const app = this.#place<App>(world.apps, {
        ...row,
        chargesByCode: new Map(),
        withdrawalsByCode: new Map(),
        withdrawals: [],
        nonces: new Map(nonces),
      });
      world.appsByToken.set(app.token, app);
    },
    accounts: (value, place) => {
      const { balanceCents, ...row } = ROWS.accounts(value, place);
      this.#app(row.appId);
      const account: Account = { ...row, balanceCents: 0n };
      this.#begun().accounts.set(account.id, account);
      this.#balances.set(account, BigInt(balanceCents));
    },
    charges: (value, place) => {
      const world = this.#begun();
      const charge = this.#place(world.charges, ROWS.charges(value, place));
      found(world.accounts.get(charge.accountId), `account ${charge.accountId}`);
      this.#app(charge.appId).chargesByCode.set(charge.code, charge);
    },
    withdrawals: (value, place) => {
      const world = this.#begun();
      const withdrawal = this.#place(world.withdrawals, ROWS.withdrawals(value, place));
      found(world.accounts.get(withdrawal.accountId), `account ${withdrawal.accountId}`);
      const app = this.#app(withdrawal.appId);
      app.withdrawalsByCode.set(withdrawal.code, withdrawal);
      app.withdrawals.push(withdrawal);
    },
    endpoints: (value, place) => {
      const endpoint: Endpoint = { ...ROWS.endpoints(value, place), deliveries: [] };
      this.#app(endpoint.appId);
      this.#begun().endpoints.set(endpoint.id, endpoint);
    },
    events: (value, place) => {
      this.#place(this.#begun().events, ROWS.events(value, place));
    },
    deliveries: (value, place) => {
      const world = this.#begun();
      const { event: eventId, ...row } = ROWS.deliveries(value, place);
      const event = found(world.events.byId.get(eventId), `event ${eventId}`);
      const delivery = this.#place(world.deliveries, { ...row, event });
      world.endpoints.get(delivery.endpointId)?.deliveries.push(delivery);
    },
    sessions: (value, place) => {
      const world = this.#begun();
      const session = this.#place(world.sessions, ROWS.sessions(value, place));
      const { organizationId, idempotencyKey } = session;
      const organization = found(
        world.organizations.byId.get(organizationId),
        `organization ${organizationId}`,
      );
      if (idempotencyKey !== null) organization.sessionsByKey.set(idempotencyKey, session);
    },
    faults: (value, place) => {
      const fault = ROWS.faults(value, place);
      this.#begun().faults.set(fault.id, fault);
    },
    agenda: (value, place) => {
      const { at, kind, ordinal } = ROWS.agenda(value, place);
      if (kind === undefined) return;
      const { charges, deliveries, sessions, agenda } = this.#begun();
      const { rows } = kind.startsWith('charge.')
        ? charges
        : kind === 'delivery.attempt'
          ? deliveries
          : sessions;
      found(rows[ordinal], `row ${ordinal} for what is due of ${kind}`);
      schedule(agenda, at, kind, ordinal);
    },
  };
}

/** The world of an export, after any way through JSON. Refuses what is no such export (INVALID_REQUEST). */
export function importWorld(exported: unknown): World {
  if (typeof exported !== 'object' || exported === null) refuse('the world is no object');
  const fields = new Map<string, unknown>(Object.entries(exported));
  const reader = new WorldReader();
  const head = Object.keys(HEAD).map((field) => [field, fields.get(field)]);
  reader.row('head', Object.fromEntries(head));
  for (const table of TABLES) {
    const rows = list((row) => row)(fields.get(table), table);
    for (const row of rows) reader.row(table, row);
  }
  const stranger = [...fields.keys()].find((field) => !isTable(field) && !Object.hasOwn(HEAD, field));
  if (stranger !== undefined) refuse(`there is no table ${stranger.slice(0, 40)}`);
  return reader.finish();
}
