import { must, readAt } from './read.js';
import { text } from './forms.js';
import { list } from '../../schema/compound.js';
import { isObject, object } from '../../schema/object.js';
import { finished } from './steps.js';
import { anything } from '../../schema/values.js';
import { checkingAgendaWhole, checkingLedger } from './checks.js';
import type { TableName } from './rows.js';
import { HEAD, ROWS, transaction } from './rows.js';
import type { World } from '../world.js';
import { emptyWorld } from '../world.js';
import { ADDERS, found, ledgerLine, refuse } from './adding.js';

const TABLES = Object.keys(ROWS).filter(isTable);
const HEAD_ROW = object('an object', HEAD);
const TRANSACTION_ROW = object('an object', { accountId: text, transaction });

function isTable(name: string): name is TableName {
  return Object.hasOwn(ROWS, name);
}

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
  *account(value: { readonly id?: unknown }, lines: Iterable<unknown>): Generator<void, void> {
    const place = `accounts[${this.#counts.get('accounts') ?? 0}]`;
    this.row('accounts', { ...value, transactions: [] });
    const account = this.#begun().accounts.get(String(value.id));
    let index = 0;
    for (const line of lines) {
      const at = `${place}.transactions[${index}]`;
      account?.transactions.push(ledgerLine(this.#begun(), readAt(transaction, line, at), at));
      index += 1;
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
    yield* checkingAgendaWhole(world);
    return world;
  }

  #begin(value: unknown): void {
    const { seed, assumed, now, ...rest } = readAt(HEAD_ROW, value, 'head');
    this.#world = { ...emptyWorld(seed, assumed, now), ...rest };
  }

  #begun(): World {
    return this.#world ?? refuse('the head does not come before the rows');
  }
}

/** The world of an export that was read from JSON. Refuses anything else (INVALID_REQUEST). */
export function importWorld(exported: unknown): World {
  return finished(importing(exported));
}

/** A list, or anything else that gives its rows one at a time. */
function isRows(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

/** The same in short steps. The tables and the transactions of accounts may be any iterables of rows. */
export function* importing(exported: unknown): Generator<void, World> {
  if (typeof exported !== 'object' || exported === null) refuse('the world is not an object');
  const fields = new Map<string, unknown>(Object.entries(exported));
  const reader = new WorldReader();
  const head = Object.keys(HEAD).map((field) => [field, fields.get(field)]);
  reader.row('head', Object.fromEntries(head));
  for (const table of TABLES) {
    const given = fields.get(table);
    const rows = isRows(given) ? given : readAt(list(anything), given, table);
    for (const row of rows) {
      if (table === 'accounts' && isObject(row) && isRows(row['transactions'])) {
        yield* reader.account(row, row['transactions']);
      } else reader.row(table, row);
      yield;
    }
  }
  const stranger = [...fields.keys()].find((field) => !isTable(field) && !Object.hasOwn(HEAD, field));
  if (stranger !== undefined) refuse(`there is no table ${stranger.slice(0, 40)}`);
  return yield* reader.finishing();
}
