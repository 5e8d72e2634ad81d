import { LATEST } from '../contract/enums.js';
import { Refusal } from '../contract/refusals.js';
import { parseListenerName } from '../text/listener-name.js';
import { shortenSessionId } from './identity/session.js';
import { createDroppedHint } from './webhooks/deliveries.js';
import type {
  Account,
  AnnouncedEvent,
  App,
  Charge,
  Delivery,
  Endpoint,
  Fault,
  IdentitySession,
  Withdrawal,
  World,
} from './world.js';

/** Describes how to look up rows of one kind. */
export interface RowLookup<Row> {
  /** Singular noun, e.g. `charge`; `plural` defaults to this noun and an s. */
  readonly what: string;
  readonly plural?: string;
  /** Precedes an unknown name in errors, e.g. `charge with the id or code`; defaults to `what`. */
  readonly notFoundLabel?: string;
  /** Id prefix before the hex digits, e.g. `evt_`. */
  readonly prefix?: string;
  /** Rows in order of creation. */
  readonly rows: () => Iterable<Row>;
  readonly idOf: (row: Row) => string;
  readonly byId: (id: string) => Row | undefined;
  /** Finds rows by code, or by name if `codeLabel` is `name`. */
  readonly byCode?: (code: string) => readonly Row[];
  readonly codeLabel?: 'name';
  /** Returns the payment of a row, whose code stands for the payment's newest row. */
  readonly paymentOf?: (row: Row) => PaymentName;
  /** Rows that `latest` and the code of a payment select before newer ones. */
  readonly prefer?: ((row: Row) => boolean) | undefined;
  /** Describes a row in error details, in addition to its id. */
  readonly label: (row: Row) => string;
  readonly hint: string;
  /** Shortens ids in errors if ids are credentials. */
  readonly shorten?: (id: string) => string;
}

interface PaymentName {
  readonly id: string | null;
  readonly code?: string | undefined;
}

const LEAST_DIGITS = 4;
const MOST_SHOWN = 5;
const APPLICATION = 'application';

/**
 * Finds a row by id, code, `latest` or unique id prefix, in this order; returns undefined if no row matches.
 * Throws INVALID_REQUEST if several rows match.
 */
export function findRowByName<Row>(named: RowLookup<Row>, text: string): Row | undefined {
  const { what, plural = `${what}s`, prefix = '', rows, idOf, byCode, codeLabel = 'code' } = named;
  const { shorten = (id) => id } = named;
  const exact = named.byId(text);
  if (exact !== undefined) return exact;
  const byName = byCode?.(text) ?? [];
  if (byName.length > 1) {
    const having = what === APPLICATION ? '' : `a ${what} with `;
    const message = `${byName.length} applications have ${having}the ${codeLabel} ${text}.`;
    throw new Refusal('INVALID_REQUEST', message, {
      details: listed(named, byName),
      hint: 'Use the id instead.',
    });
  }
  const meant = byName[0] ?? findByPayment(named, text);
  if (meant !== undefined) return meant;
  if (text === LATEST) return newestOf(named, [...rows()]);
  const { digits, count } = digitsOf(prefix, text);
  if (count < LEAST_DIGITS) return undefined;
  const found = [...rows()].filter((row) => idOf(row).startsWith(prefix + digits));
  if (found.length <= 1) return found[0];
  const left = found.length - MOST_SHOWN;
  throw new Refusal('INVALID_REQUEST', `The ids of ${found.length} ${plural} begin with ${shorten(text)}.`, {
    details: listed(named, found),
    hint: left <= 0 ? 'Use a longer prefix of the id.' : `Use a longer prefix of the id; ${left} more match.`,
  });
}

/** Finds the newest row of the payment with this code. Throws INVALID_REQUEST if several payments have the code. */
function findByPayment<Row>(named: RowLookup<Row>, code: string): Row | undefined {
  const { rows, paymentOf } = named;
  if (paymentOf === undefined) return undefined;
  const own = [...rows()].filter((row) => paymentOf(row).code === code);
  const newest = [...new Set(own.map((row) => paymentOf(row).id))].flatMap(
    (id) =>
      newestOf(
        named,
        own.filter((row) => paymentOf(row).id === id),
      ) ?? [],
  );
  if (newest.length <= 1) return newest[0];
  throw new Refusal('INVALID_REQUEST', `${newest.length} payments have the code ${code}.`, {
    details: listed(named, newest),
    hint: 'Use the id instead.',
  });
}

function newestOf<Row>({ prefer = () => true }: RowLookup<Row>, rows: readonly Row[]): Row | undefined {
  return rows.findLast(prefer) ?? rows.at(-1);
}

/** Formats the newest rows as error details. */
function listed<Row>({ idOf, label, shorten = (id) => id }: RowLookup<Row>, rows: readonly Row[]) {
  const newest = rows.slice(-MOST_SHOWN).reverse();
  return newest.map((row) => ({ field: 'id', message: `${shorten(idOf(row))} ${label(row)}` }));
}

/** Like `findRowByName`, but throws NOT_FOUND if no row matches. */
export function requireRowIn<Row>(named: RowLookup<Row>, text: string): Row {
  const found = findRowByName(named, text);
  if (found !== undefined) return found;
  const { what, notFoundLabel = what, prefix, hint, shorten } = named;
  const unknown =
    shorten === undefined ? `There is no ${notFoundLabel} ${text}.` : `There is no such ${what}.`;
  const message = text === LATEST ? `There is no ${what} yet.` : unknown;
  throw new Refusal('NOT_FOUND', message, { hint: createNotFoundHint(prefix, text, hint) });
}

/** Returns the lowercase hex digits of an id or id prefix and their count; empty for other texts. */
function digitsOf(prefix: string, text: string) {
  const bare = text.replace(/…$/, '').toLowerCase();
  const digits = bare.startsWith(prefix) ? bare.slice(prefix.length) : bare;
  if (!/^[0-9a-f][0-9a-f-]*$/.test(digits)) return { digits: '', count: 0 };
  return { digits, count: digits.replaceAll('-', '').length };
}

/** Returns the hint, preceded by a note if the text is too short for an id prefix. */
export function createNotFoundHint(prefix = '', text: string, hint: string): string {
  const { count } = digitsOf(prefix, text);
  if (count === 0 || count >= LEAST_DIGITS) return hint;
  return `An id prefix must have at least ${LEAST_DIGITS} digits; got ${count}. ${hint}`;
}

export interface NamedRows {
  app: App;
  account: Account;
  charge: Charge;
  withdrawal: Withdrawal;
  event: AnnouncedEvent;
  delivery: Delivery;
  endpoint: Endpoint;
  /** Recipient of deliveries; has no URL once its endpoint is deleted. */
  recipient: { readonly id: string; readonly url?: string };
  session: IdentitySession;
  fault: Fault;
}

export type RowKind = keyof NamedRows;

/**
 * Finds a row by id, code, name, `latest` or unique id prefix of at least four digits. `app` excludes payments of
 * other applications; `latest` and the code of a payment select the newest row that `prefer` accepts, or else the
 * newest row. Throws NOT_FOUND, or INVALID_REQUEST if several rows match.
 */
export function requireRow<Of extends RowKind>(
  world: World,
  kind: Of,
  text: string,
  app?: App,
  prefer?: (row: NamedRows[Of]) => boolean,
): NamedRows[Of] {
  return requireRowIn({ ...createLookup(world, kind, app), prefer }, text);
}

/** Like `requireRow`, but returns undefined if no row matches. */
export function requireRowOfAnyKind<Of extends RowKind>(
  world: World,
  kind: Of,
  text: string,
): NamedRows[Of] | undefined {
  return findRowByName(createLookup(world, kind), text);
}

/**
 * Finds a row by its full id, for irreversible operations. Throws INVALID_REQUEST with the full id if the
 * text is only a prefix.
 */
export function requireRowByFullId<Of extends 'endpoint' | 'fault'>(
  world: World,
  kind: Of,
  text: string,
): NamedRows[Of] {
  const rows = createLookup(world, kind);
  const { what, label } = rows;
  const meant = requireRowIn(rows, text);
  // Full ids are case-insensitive.
  if (meant.id === text.toLowerCase()) return meant;
  const which = 'url' in meant ? meant.url : label(meant);
  const message = `The full id is required for the ${what} ${which}; got ${text}.`;
  throw new Refusal('INVALID_REQUEST', message, { hint: `Use ${meant.id}.` });
}

function createLookup<Of extends RowKind>(world: World, kind: Of, app?: App): RowLookup<NamedRows[Of]> {
  const table: (world: World, app?: App) => RowLookup<NamedRows[Of]> = TABLES[kind];
  return table(world, app);
}

/** Creates a lookup by id; `npx sandbox <command>` lists all rows. */
function rowsOf<Row extends { readonly id: string }>(
  what: string,
  rows: ReadonlyMap<string, Row>,
  label: (row: Row) => string,
  command = `${what}s list`,
): RowLookup<Row> {
  return {
    what,
    rows: () => rows.values(),
    idOf: ({ id }) => id,
    byId: (id) => rows.get(id),
    label,
    hint: `Find the id with \`npx sandbox ${command}\`.`,
  };
}

/** Creates a lookup for the charges or withdrawals of one or all applications. */
function payments<Row extends Charge | Withdrawal>(what: string, all: ReadonlyMap<string, Row>, app?: App) {
  const isOwn = (row: Row | undefined) => app === undefined || row?.appId === app.id;
  const rows = () => [...all.values()].filter(isOwn);
  return {
    ...rowsOf<Row>(what, all, ({ code, status }) => `${code} ${status}`),
    notFoundLabel: `${what} with the id or code`,
    rows,
    byId: (id: string) => [all.get(id)].find(isOwn),
    byCode: (code: string) => rows().filter((row) => row.code === code),
  };
}

/** Finds listeners by name. */
function byListenerName(endpoints: World['endpoints']) {
  const byCode = (name: string) =>
    [...endpoints.values()].filter(
      ({ transport, url }) => transport === 'listener' && parseListenerName(url) === name,
    );
  return { codeLabel: 'name', byCode } as const;
}

const ENDPOINT = 'webhook endpoint';

const TABLES: { readonly [Of in RowKind]: (world: World, app?: App) => RowLookup<NamedRows[Of]> } = {
  app: ({ apps }) => ({
    ...rowsOf(APPLICATION, apps.byId, ({ name }) => name, 'apps list'),
    codeLabel: 'name',
    byCode: (name) => apps.rows.filter((app) => app.name === name),
  }),
  account: ({ accounts }) => rowsOf('account', accounts, ({ appId }) => `of application ${appId}`, 'status'),
  charge: ({ charges }, app) => payments('charge', charges.byId, app),
  withdrawal: ({ withdrawals }, app) => payments('withdrawal', withdrawals.byId, app),
  event: (world) => {
    const rows = rowsOf('event', world.events.byId, ({ type, resource }) => `${type} of ${resource.code}`);
    return {
      ...rows,
      paymentOf: ({ resource }) => resource,
      prefix: 'evt_',
      hint: createDroppedHint(world) + rows.hint,
    };
  },
  delivery: (world) => {
    const label = ({ event, status }: Delivery) => `${event.type} of ${event.resource.code} ${status}`;
    const rows = rowsOf('delivery', world.deliveries.byId, label, 'deliveries list');
    const paymentOf = ({ event }: Delivery) => event.resource;
    return { ...rows, paymentOf, plural: 'deliveries', hint: createDroppedHint(world) + rows.hint };
  },
  endpoint: ({ endpoints }) => ({
    ...rowsOf(ENDPOINT, endpoints, ({ url, status }) => `${url} ${status}`, 'endpoints list'),
    ...byListenerName(endpoints),
  }),
  recipient: ({ endpoints, deliveries }) => {
    const all = new Map<string, NamedRows['recipient']>();
    for (const { endpointId: id } of deliveries.rows) if (!endpoints.has(id)) all.set(id, { id });
    for (const [id, endpoint] of endpoints) all.set(id, endpoint);
    const rows = rowsOf(ENDPOINT, all, ({ url }) => url ?? '(deleted)', 'endpoints list');
    return { ...rows, ...byListenerName(endpoints) };
  },
  session: ({ sessions }) => ({
    ...rowsOf(
      'session',
      sessions.byId,
      ({ customerType, status }) => `${customerType} ${status}`,
      'kyc list',
    ),
    prefix: 'kyc_',
    shorten: shortenSessionId,
  }),
  fault: ({ faults }) =>
    rowsOf(
      'fault',
      faults,
      ({ action, match }) => `${action} on ${match.on === 'call' ? 'calls' : 'deliveries'}`,
    ),
};
