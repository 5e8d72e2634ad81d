import { Refusal } from '../../contract/refusals.js';
import { array } from '../../schema/compound.js';
import { isObject } from '../../schema/object.js';
import { type Issue, formatPath, read, type ReadOptions, type Schema } from '../../schema/schema.js';
import { listScheduledItems } from '../due.js';
import { type IdKind, createId } from '../ids.js';
import { WORLD_HEAD, TABLES } from '../rows.js';
import { insertRow, type Table } from '../table.js';
import {
  type Account,
  type AnnouncedEvent,
  type App,
  type Charge,
  type Delivery,
  createWorld,
  type Withdrawal,
  type World,
} from '../world.js';
import type { WorldExport } from './export.js';

/** Reads a JSON value; throws INVALID_REQUEST with the path of the first issue. */
export function readAtPath<Value>(
  schema: Schema<Value>,
  value: unknown,
  place: string,
  options: ReadOptions = {},
): Value {
  const outcome = read(schema, value, { max: 1, ...options });
  const [mistake] = outcome.issues;
  if (mistake !== undefined) refuseAt(formatPath([place, ...mistake.path]), sentenceOf(mistake));
  return outcome.value as Value;
}

const HINT = 'Import an unmodified file from `npx sandbox state export`.';

function refuseAt(place: string, problem: string, hint?: string): never {
  const field = /^[.[]/.test(problem) ? '' : ': ';
  throw new Refusal('INVALID_REQUEST', `${place}${field}${problem}`, { hint });
}

function sentenceOf(mistake: Issue): string {
  if (mistake.kind === 'unknown') return 'unknown field.';
  if (mistake.kind === 'rule') return mistake.says;
  if (mistake.kind === 'choice') return `expected ${mistake.wanted}.`;
  const got = mistake.kind === 'value' ? mistake.got : undefined;
  return `expected ${mistake.expected}; got ${(JSON.stringify(got) ?? 'nothing').slice(0, 60)}.`;
}

/** Builds a world from an export; throws INVALID_REQUEST with the path of the first issue. */
export function importWorld(exported: unknown): World {
  if (!isObject(exported)) return refuseAt('world', 'expected an object.');
  const fields = new Map(Object.entries(exported));
  const tables = Object.entries(TABLES).map(([table, schema]) => {
    const rows = fields.get(table);
    fields.delete(table);
    return [table, rows, array<unknown, unknown>(schema)] as const;
  });
  const head = readAtPath(WORLD_HEAD, Object.fromEntries(fields), 'head');
  const rows = tables.map(([table, given, schema]) => [table, readAtPath(schema, given, table)]);
  return buildWorld({ ...head, ...Object.fromEntries(rows) } as WorldExport);
}

/** Problem in a row; undefined if the row is valid. */
type Problem = string | undefined;

/** Adds the rows of a table one by one; throws for the first invalid row, with its path. */
function addAll<Row>(table: string, rows: readonly Row[], add: (row: Row) => Problem): void {
  for (let index = 0; index < rows.length; index += 1) {
    const problem = add(rows[index] as Row);
    if (problem !== undefined) refuseAt(`${table}[${index}]`, `${problem}.`, HINT);
  }
}

/** Builds a world from an export made by this process, copying rows without validating their fields. */
export function restoreWorld(exported: WorldExport): World {
  const copies = Object.entries(TABLES).map(([table]) => {
    return [table, exported[table as keyof typeof TABLES].map((row) => ({ ...row }))];
  });
  return buildWorld({ ...exported, ...Object.fromEntries(copies) } as WorldExport);
}

/** Builds a world from rows and takes ownership of the rows. Throws if rows are inconsistent. */
function buildWorld(state: WorldExport): World {
  const { organizations, apps, accounts, charges, withdrawals, endpoints, ...others } = state;
  const { events, deliveries, sessions, faults, agenda, ...head } = others;
  const world: World = { ...createWorld(head.seed, head.assumed, head.now), ...head };
  addAll('organizations', organizations, (row) => {
    for (const other of world.organizations.rows) {
      if (other.name === row.name) return '.name: expected a name not used by another organization';
      for (const key of ['kycToken', 'publishableKey'] as const)
        if (row[key] !== null && other[key] === row[key])
          return `.${key}: expected a value not used by another organization`;
    }
    return append(world, world.organizations, 'organization', {
      ...row,
      origins: [...row.origins],
      sessionsByKey: new Map(),
    });
  });
  addAll('apps', apps, (row) => {
    if (!world.organizations.byId.has(row.organizationId)) return missing('organization', row.organizationId);
    const own = { chargesByCode: new Map(), withdrawalsByCode: new Map(), withdrawals: [] };
    const app: App = { ...row, nonces: new Map(row.nonces), ...own };
    return (
      putOnce(world.appsByToken, app.token, app, '.token', 'application') ??
      append(world, world.apps, 'app', app)
    );
  });
  addAccounts(world, accounts);
  addAll('apps', world.apps.rows, ({ id, accountId }) =>
    world.accounts.get(accountId)?.appId === id
      ? undefined
      : '.accountId: expected an account of the application',
  );
  addAll('charges', charges, (row) => {
    const problem = append(world, world.charges, 'charge', row) ?? ownerProblem(world, row);
    const { chargesByCode = new Map<string, Charge>() } = world.apps.byId.get(row.appId) ?? {};
    return problem ?? putOnce(chargesByCode, row.code, row, '.code', 'charge');
  });
  addAll('withdrawals', withdrawals, (row) => {
    const problem = append(world, world.withdrawals, 'withdrawal', row) ?? ownerProblem(world, row);
    const app = world.apps.byId.get(row.appId);
    if (problem !== undefined || app === undefined) return problem;
    app.withdrawals.push(row);
    return putOnce(app.withdrawalsByCode, row.code, row, '.code', 'withdrawal');
  });
  addAll('endpoints', endpoints, (row) =>
    world.apps.byId.has(row.appId)
      ? put(world, world.endpoints, 'endpoint', { ...row, deliveries: [] })
      : missing('application', row.appId),
  );
  addAll('events', events, (row) => {
    world.undelivered.add(row);
    return resourceProblem(world, row) ?? appendLater(world, world.events, 'event', row);
  });
  addAll('deliveries', deliveries, (row) => addDelivery(world, row));
  addAll('sessions', sessions, (row) => {
    const { organizationId, idempotencyKey } = row;
    const organization = world.organizations.byId.get(organizationId);
    if (organization === undefined) return missing('organization', organizationId);
    const problem = append(world, world.sessions, 'session', row);
    if (problem !== undefined || idempotencyKey === null) return problem;
    return putOnce(organization.sessionsByKey, idempotencyKey, row, '.idempotencyKey', 'session');
  });
  addAll('faults', faults, (row) => put(world, world.faults, 'fault', row));
  addAgenda(world, agenda);
  return world;
}

function missing(what: string, id: string): string {
  return `refers to ${what} ${id.slice(0, 60)}, which does not exist`;
}

function ownerProblem(world: World, { appId, accountId }: Charge | Withdrawal): Problem {
  if (!world.apps.byId.has(appId)) return missing('application', appId);
  const account = world.accounts.get(accountId);
  if (account === undefined) return missing('account', accountId);
  return account.appId === appId ? undefined : '.accountId: expected an account of the application';
}

type Identified = { readonly id: string; readonly ordinal: number };

function idProblem(world: World, kind: IdKind, { ordinal, id }: Identified): Problem {
  const expected = createId(world, kind, ordinal);
  if (id === expected) return undefined;
  return `.id: expected ${expected}, derived from seed and ordinal; got ${id.slice(0, 60)}`;
}

/** Appends a row, checking its ordinal and derived id. Session ids are random, so they are not checked. */
function append<One extends Identified>(world: World, table: Table<One>, kind: IdKind, row: One): Problem {
  const { length } = table.rows;
  if (row.ordinal !== length) return `.ordinal: expected ${length}, its position; got ${row.ordinal}`;
  if (table.byId.has(row.id)) return '.id: expected a unique id';
  const problem = kind === 'session' ? undefined : idProblem(world, kind, row);
  if (problem === undefined) insertRow(table, row);
  return problem;
}

/**
 * Appends a row to a table that drops its oldest rows: ordinals must increase and stay below the count. Ids
 * are checked only for uniqueness, because deriving 100,000 ids takes too long.
 */
function appendLater<One extends AnnouncedEvent | Delivery>(
  world: World,
  table: Table<One>,
  kind: 'event' | 'delivery',
  row: One,
): Problem {
  const last = table.rows.at(-1)?.ordinal ?? -1;
  if (row.ordinal <= last || row.ordinal >= world[`${kind}Count`])
    return `.ordinal: expected a number above ${last} and below ${kind}Count; got ${row.ordinal}`;
  if (table.byId.has(row.id)) return '.id: expected a unique id';
  insertRow<One>(table, row);
  return undefined;
}

function put<One extends Identified>(
  world: World,
  rows: Map<string, One>,
  kind: 'endpoint' | 'fault',
  row: One,
): Problem {
  const count = world[`${kind}Count`];
  if (row.ordinal >= count)
    return `.ordinal: expected a number below ${kind}Count, ${count}; got ${row.ordinal}`;
  return idProblem(world, kind, row) ?? putOnce(rows, row.id, row, '.id', 'row');
}

function putOnce<One>(rows: Map<string, One>, key: string, row: One, field: string, what: string): Problem {
  if (rows.has(key)) return `${field}: expected a value not used by another ${what}`;
  rows.set(key, row);
  return undefined;
}

/**
 * Adds the accounts. Checks that each account's transactions add up to its balance and belong to no other
 * account.
 */
function addAccounts(world: World, accounts: WorldExport['accounts']): void {
  const ordinals = new Set<number>();
  addAll('accounts', accounts, ({ balanceCents, ...row }) => {
    let sum = 0n;
    let last = -1;
    for (const [index, { ordinal, direction, amountCents }] of row.transactions.entries()) {
      if (ordinal <= last || ordinal >= world.transactionCount || ordinals.has(ordinal)) {
        const expected = 'an increasing number, unused by other accounts, below transactionCount';
        return `.transactions[${index}].ordinal: expected ${expected}`;
      }
      ordinals.add(ordinal);
      last = ordinal;
      sum += BigInt(direction === 'CREDIT' ? amountCents : -amountCents);
    }
    if (String(sum) !== balanceCents)
      return `.balanceCents: expected ${sum}, the sum of its transactions; got ${balanceCents}`;
    if (!world.apps.byId.has(row.appId)) return missing('application', row.appId);
    const account: Account = { ...row, transactions: [...row.transactions], balanceCents: sum };
    return putOnce(world.accounts, row.id, account, '.id', 'account');
  });
}

function resourceProblem(world: World, { resource }: AnnouncedEvent): Problem {
  const table: Table<Charge | Withdrawal> = 'pixKey' in resource ? world.withdrawals : world.charges;
  const row = table.byId.get(resource.id);
  const isSame = row?.appId === resource.appId && row.code === resource.code;
  return isSame ? undefined : '.resource: expected an earlier state of the row with the same id';
}

function addDelivery(world: World, row: WorldExport['deliveries'][number]): Problem {
  const event = world.events.byId.get(row.event);
  if (event === undefined) return missing('event', row.event);
  const delivery: Delivery = Object.assign(row, { event });
  const { status, inFlight, nextAttemptAt, endpointId } = delivery;
  const isPending = status === 'PENDING';
  const endpoint = world.endpoints.get(endpointId);
  if (isPending && endpoint?.status !== 'ACTIVE')
    return '.endpointId: expected an active endpoint while the delivery is PENDING';
  if (inFlight && !isPending) return `.inFlight: expected false while the delivery is ${status}`;
  if ((nextAttemptAt !== null) !== (isPending && !inFlight))
    return '.nextAttemptAt: expected an instant while waiting, otherwise null';
  world.undelivered.delete(event);
  endpoint?.deliveries.push(delivery);
  return appendLater<Delivery>(world, world.deliveries, 'delivery', delivery);
}

/** Derives the agenda from the rows, and throws if the exported agenda differs. */
function addAgenda(world: World, agenda: WorldExport['agenda']): void {
  const due = listScheduledItems(world);
  const left = new Map(due.map(({ kind, ordinal, at }) => [`${kind} of row ${ordinal}`, at]));
  addAll('agenda', agenda, ({ at, kind, ordinal }) => {
    const name = `${kind} of row ${ordinal}`;
    const dueAt = left.get(name);
    if (dueAt === undefined) return `expected a scheduled item; ${name} is not scheduled`;
    if (dueAt !== at) return `.at: expected ${dueAt}, as in its row; got ${at}`;
    left.delete(name);
    return undefined;
  });
  for (const name of left.keys()) refuseAt('agenda', `expected ${name}, which is scheduled.`, HINT);
  for (const item of due) world.agenda[item.kind].push(item);
}
