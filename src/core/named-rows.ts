import type { FieldProblem } from '../contract/refusals.js';
import { Refusal } from '../contract/refusals.js';
import { listenerNameOf } from '../text/listener-name.js';
import { shortSessionId } from './identity/session.js';
import { droppedHint } from './webhooks/deliveries.js';
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

/** Rows of one kind, and what people name them by. */
export interface Named<Row> {
  /** Such as `charge`; with an s it is the plural, unless that is given. */
  readonly what: string;
  readonly plural?: string;
  /** What precedes a text that names none, such as `charge with the id or code`; by default `what`. */
  readonly called?: string;
  /** What precedes the hex digits of an id, such as `evt_`. */
  readonly prefix?: string;
  readonly rows: () => Iterable<Row>;
  readonly idOf: (row: Row) => string;
  readonly byId: (id: string) => Row | undefined;
  /** What `byCode` looks for, when it is not a code. */
  readonly coded?: 'code' | 'name';
  /** The rows that have a code or name. */
  readonly byCode?: (code: string) => readonly Row[];
  /** What tells a row from others, in addition to its id. */
  readonly label: (row: Row) => string;
  /** What to do where there is no such row. */
  readonly hint: string;
  /** Shortens an id for errors, where ids are credentials. */
  readonly shorten?: (id: string) => string;
}

const LEAST_DIGITS = 4;
const MOST_SHOWN = 5;

/**
 * The row of this id, or else of this code, or else the only row whose id begins so; undefined where there is
 * none. Refuses (INVALID_REQUEST) a text that stands for several rows.
 */
export function lookUpIfAny<Row>(named: Named<Row>, text: string): Row | undefined {
  const { what, plural = `${what}s`, prefix, rows, idOf, byCode, coded = 'code', label } = named;
  const { shorten = (id) => id } = named;
  const exact = named.byId(text);
  if (exact !== undefined) return exact;
  const byName = byCode?.(text) ?? [];
  if (byName.length > 1) {
    const message = `${byName.length} applications have a ${what} with the ${coded} ${text}.`;
    throw new Refusal('INVALID_REQUEST', message, { hint: 'Give its id instead.' });
  }
  if (byName[0] !== undefined) return byName[0];
  const { digits, count } = digitsOf(prefix, text);
  if (count < LEAST_DIGITS) return undefined;
  const found = [...rows()].filter((row) => idOf(row).startsWith((prefix ?? '') + digits));
  if (found.length <= 1) return found[0];
  const shown = found.slice(-MOST_SHOWN).reverse();
  const left = found.length - shown.length;
  throw new Refusal('INVALID_REQUEST', `The ids of ${found.length} ${plural} begin with ${shorten(text)}.`, {
    details: shown.map((row): FieldProblem => {
      return { field: 'id', message: `${shorten(idOf(row))} ${label(row)}` };
    }),
    hint: left === 0 ? 'Give more of the id.' : `Give more of the id; ${left} more begin so.`,
  });
}

/** The same; refuses with NOT_FOUND where there is no such row. */
export function lookUpIn<Row>(named: Named<Row>, text: string): Row {
  const found = lookUpIfAny(named, text);
  if (found !== undefined) return found;
  const { what, called = what, prefix, hint, shorten } = named;
  const message = shorten === undefined ? `There is no ${called} ${text}.` : `There is no such ${what}.`;
  throw new Refusal('NOT_FOUND', message, { hint: notFoundHint(prefix, text, hint) });
}

/** The digits with which an id begins, in lower case, and how many; those of a text that begins no id are none. */
function digitsOf(prefix = '', text: string) {
  const bare = text.replace(/…$/, '').toLowerCase();
  const digits = bare.startsWith(prefix) ? bare.slice(prefix.length) : bare;
  if (!/^[0-9a-f][0-9a-f-]*$/.test(digits)) return { digits: '', count: 0 };
  return { digits, count: digits.replaceAll('-', '').length };
}

/** A hint, after saying that a text is too short to begin an id, where it is. */
export function notFoundHint(prefix: string | undefined, text: string, hint: string): string {
  const { count } = digitsOf(prefix, text);
  if (count === 0 || count >= LEAST_DIGITS) return hint;
  return `The beginning of an id takes at least ${LEAST_DIGITS} of its digits; got ${count}. ${hint}`;
}

/** Where deliveries go or went: they outlive their endpoint. */
interface Recipient {
  readonly id: string;
  /** Absent once it is deleted. */
  readonly url?: string;
}

interface Rows {
  app: App;
  account: Account;
  charge: Charge;
  withdrawal: Withdrawal;
  event: AnnouncedEvent;
  delivery: Delivery;
  endpoint: Endpoint;
  recipient: Recipient;
  session: IdentitySession;
  fault: Fault;
}

export type Kind = keyof Rows;

/**
 * The row that a person means: by its id, its code or name, or at least four digits that begin its id alone.
 * `app` leaves out the payments of others. Refuses with NOT_FOUND, and with INVALID_REQUEST where several
 * fit.
 */
export function lookUp<Of extends Kind>(world: World, kind: Of, text: string, app?: App): Rows[Of] {
  return lookUpIn(named(world, kind, app), text);
}

/** The same; undefined where there is none. */
export function lookUpAny<Of extends Kind>(world: World, kind: Of, text: string): Rows[Of] | undefined {
  return lookUpIfAny(named(world, kind), text);
}

/**
 * The row of a whole id, for what cannot be undone. Refuses the beginning of an id with INVALID_REQUEST and
 * names the whole.
 */
export function lookUpWhole<Of extends 'endpoint' | 'fault'>(world: World, kind: Of, text: string): Rows[Of] {
  const rows = named(world, kind);
  const { what, label } = rows;
  const meant = lookUpIn(rows, text);
  // A whole id in capitals names the row as well as the id itself.
  if (meant.id === text.toLowerCase()) return meant;
  const message = `This takes the whole id of the ${what} ${label(meant)}; got ${text}.`;
  throw new Refusal('INVALID_REQUEST', message, { hint: `Give ${meant.id}.` });
}

function named<Of extends Kind>(world: World, kind: Of, app?: App): Named<Rows[Of]> {
  const table: (world: World, app?: App) => Named<Rows[Of]> = TABLES[kind];
  return table(world, app);
}

function shownBy(command: string): string {
  return `\`npx sandbox ${command}\` shows those that exist.`;
}

function byId<Row extends { readonly id: string }>(rows: ReadonlyMap<string, Row>) {
  return { rows: () => rows.values(), idOf: ({ id }: Row) => id, byId: (id: string) => rows.get(id) };
}

/** Charges or withdrawals, of one application or of all. */
function payments<Row extends Charge | Withdrawal>(
  what: 'charge' | 'withdrawal',
  all: ReadonlyMap<string, Row>,
  app: App | undefined,
): Named<Row> {
  const isOwn = (row: Row | undefined) => app === undefined || row?.appId === app.id;
  const rows = () => [...all.values()].filter(isOwn);
  return {
    what,
    called: `${what} with the id or code`,
    rows,
    idOf: ({ id }) => id,
    byId: (id) => [all.get(id)].find(isOwn),
    byCode: (code) => rows().filter((row) => row.code === code),
    label: ({ code, status }) => `${code} ${status}`,
    hint: shownBy(`${what}s list`),
  };
}

/** A listener may be called by the name that it was given. */
function byListenerName(endpoints: World['endpoints']) {
  const byCode = (name: string) =>
    [...endpoints.values()].filter(
      ({ transport, url }) => transport === 'listener' && listenerNameOf(url) === name,
    );
  return { what: 'webhook endpoint', coded: 'name' as const, byCode, hint: shownBy('endpoints list') };
}

const TABLES: { readonly [Of in Kind]: (world: World, app?: App) => Named<Rows[Of]> } = {
  app: ({ apps }) => ({
    ...byId(apps.byId),
    what: 'application',
    byCode: (name) => apps.rows.filter((app) => app.name === name).slice(0, 1),
    label: ({ name }) => name,
    hint: shownBy('apps list'),
  }),
  account: ({ accounts }) => ({
    ...byId(accounts),
    what: 'account',
    label: ({ appId }) => `of application ${appId}`,
    hint: shownBy('status'),
  }),
  charge: ({ charges }, app) => payments('charge', charges.byId, app),
  withdrawal: ({ withdrawals }, app) => payments('withdrawal', withdrawals.byId, app),
  event: (world) => ({
    ...byId(world.events.byId),
    what: 'event',
    prefix: 'evt_',
    label: ({ type, resource }) => `${type} of ${resource.code}`,
    hint: droppedHint(world) + shownBy('events list'),
  }),
  delivery: (world) => ({
    ...byId(world.deliveries.byId),
    what: 'delivery',
    plural: 'deliveries',
    label: ({ event, status }) => `${event.type} of ${event.resource.code} ${status}`,
    hint: droppedHint(world) + shownBy('deliveries list'),
  }),
  endpoint: ({ endpoints }) => ({
    ...byId(endpoints),
    ...byListenerName(endpoints),
    label: ({ url, status }) => `${url} ${status}`,
  }),
  recipient: ({ endpoints, deliveries }) => {
    const all = new Map<string, Recipient>(endpoints);
    for (const { endpointId: id } of deliveries.rows) if (!all.has(id)) all.set(id, { id });
    return {
      ...byId(all),
      ...byListenerName(endpoints),
      label: ({ url }) => url ?? '(deleted)',
    };
  },
  session: ({ sessions }) => ({
    ...byId(sessions.byId),
    what: 'session',
    prefix: 'kyc_',
    label: ({ customerType, status }) => `${customerType} ${status}`,
    hint: shownBy('kyc list'),
    shorten: shortSessionId,
  }),
  fault: ({ faults }) => ({
    ...byId(faults),
    what: 'fault',
    label: ({ action, match }) => `${action} on ${match.on === 'call' ? 'calls' : 'deliveries'}`,
    hint: shownBy('faults list'),
  }),
};
