import { type FieldProblem, Refusal } from '../contract/refusals.js';
import { listenerNameOf } from '../text/listener-name.js';
import { type IdentitySession, shortSessionId } from './identity/session.js';
import type { Fault } from './webhooks/faults.js';
import { droppedHint } from './webhooks/retention.js';
import type { Account, AnnouncedEvent, App, Charge, Delivery, Endpoint, Withdrawal, World } from './world.js';

/** Rows of one kind, and what people name them by. */
export interface Named<Row> {
  /** Such as `charge`; with an s it is the plural, unless that is given. */
  readonly what: string;
  readonly plural?: string;
  /** What precedes a text that names none, such as `charge with the id or code`; by default `what`. */
  readonly called?: string;
  /** What precedes the hex digits of an id, such as `evt_`. */
  readonly prefix: string;
  readonly rows: () => Iterable<Row>;
  readonly idOf: (row: Row) => string;
  readonly byId: (id: string) => Row | undefined;
  /** The rows that have a code or name. */
  /** What `byCode` looks for, when it is not a code. */
  readonly coded?: 'code' | 'name';
  readonly byCode?: (code: string) => readonly Row[];
  /** What tells a row from others, beside its id. */
  readonly label: (row: Row) => string;
  /** What to do where there is no such row. */
  readonly hint: string;
  /** Shortens an id for errors, where ids are credentials. */
  readonly shorten?: (id: string) => string;
}

const LEAST_DIGITS = 4;
const MOST_SHOWN = 5;

/**
 * The row of this id, or else of this code, or else the only row whose id begins so; undefined where there is none. Refuses
 * (INVALID_REQUEST) a text that stands for several rows.
 */
export function lookUpIfAny<Row>(named: Named<Row>, text: string): Row | undefined {
  const exact = named.byId(text) ?? byCode(named, text);
  if (exact !== undefined) return exact;
  const digits = digitsOf(named, text);
  if (digits === undefined || countOf(digits) < LEAST_DIGITS) return undefined;
  const found = beginningWith(named, digits);
  if (found.length > 1) throw ambiguous(named, text, found);
  return found[0];
}

/** The same; refuses with NOT_FOUND where there is no such row. */
export function lookUpIn<Row>(named: Named<Row>, text: string): Row {
  const found = lookUpIfAny(named, text);
  if (found === undefined) throw unknown(named, text);
  return found;
}

/** The row of this whole id, for what cannot be undone. Refuses the beginning of an id with INVALID_REQUEST and names the whole. */
function lookUpWholeIn<Row>(named: Named<Row>, text: string): Row {
  const exact = named.byId(text);
  if (exact !== undefined) return exact;
  const { what, idOf, label } = named;
  const meant = lookUpIn(named, text);
  const id = idOf(meant);
  // A whole id in capitals names the row as well as the id itself.
  if (id === text.toLowerCase()) return meant;
  throw new Refusal(
    'INVALID_REQUEST',
    `This takes the whole id of the ${what} ${label(meant)}; got ${text}.`,
    {
      hint: `Give ${id}.`,
    },
  );
}

function byCode<Row>({ what, byCode, coded = 'code' }: Named<Row>, text: string): Row | undefined {
  const rows = byCode?.(text) ?? [];
  if (rows.length > 1) {
    throw new Refusal(
      'INVALID_REQUEST',
      `${rows.length} applications have a ${what} with the ${coded} ${text}.`,
      {
        hint: 'Give its id instead.',
      },
    );
  }
  return rows[0];
}

/** The digits with which an id begins, in lower case; undefined for a text that begins no id. */
function digitsOf({ prefix }: Pick<Named<unknown>, 'prefix'>, text: string): string | undefined {
  const bare = text.replace(/…$/, '').toLowerCase();
  const digits = bare.startsWith(prefix) ? bare.slice(prefix.length) : bare;
  return /^[0-9a-f][0-9a-f-]*$/.test(digits) ? digits : undefined;
}

function countOf(digits: string): number {
  return digits.replaceAll('-', '').length;
}

function beginningWith<Row>({ prefix, rows, idOf }: Named<Row>, digits: string): Row[] {
  const beginning = prefix + digits;
  const found: Row[] = [];
  for (const row of rows()) if (idOf(row).startsWith(beginning)) found.push(row);
  return found;
}

function ambiguous<Row>(
  { what, plural = `${what}s`, idOf, label, shorten }: Named<Row>,
  text: string,
  found: readonly Row[],
): Refusal {
  const shown = found.slice(-MOST_SHOWN).reverse();
  const details = shown.map((row): FieldProblem => {
    const id = idOf(row);
    return { field: 'id', message: `${shorten?.(id) ?? id} ${label(row)}` };
  });
  const left = found.length - shown.length;
  return new Refusal(
    'INVALID_REQUEST',
    `The ids of ${found.length} ${plural} begin with ${shorten?.(text) ?? text}.`,
    {
      details,
      hint: left === 0 ? 'Give more of the id.' : `Give more of the id; ${left} more begin so.`,
    },
  );
}

function unknown<Row>(named: Named<Row>, text: string): Refusal {
  const { what, called = what, prefix, hint, shorten } = named;
  const message = shorten === undefined ? `There is no ${called} ${text}.` : `There is no such ${what}.`;
  return new Refusal('NOT_FOUND', message, { hint: notFoundHint(prefix, text, hint) });
}

/** A hint, after saying that a text is too short to begin an id, where it is. */
export function notFoundHint(prefix: string, text: string, hint: string): string {
  const digits = digitsOf({ prefix }, text);
  const count = digits === undefined ? LEAST_DIGITS : countOf(digits);
  if (count >= LEAST_DIGITS) return hint;
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
 * The row that a person means: by its id, its code or name, or at least four digits that begin its id alone. `app` leaves out the
 * payments of others. Refuses with NOT_FOUND, and with INVALID_REQUEST where several fit.
 */
export function lookUp<Of extends Kind>(world: World, kind: Of, text: string, app?: App): Rows[Of] {
  return lookUpIn(named(world, kind, app), text);
}

/** The same; undefined where there is none. */
export function lookUpAny<Of extends Kind>(world: World, kind: Of, text: string): Rows[Of] | undefined {
  return lookUpIfAny(named(world, kind), text);
}

/** The row of a whole id, for what cannot be undone. Refuses the beginning of an id with INVALID_REQUEST. */
export function lookUpWhole<Of extends 'endpoint' | 'fault'>(world: World, kind: Of, text: string): Rows[Of] {
  return lookUpWholeIn(named(world, kind), text);
}

function named<Of extends Kind>(world: World, kind: Of, app?: App): Named<Rows[Of]> {
  const table: (world: World, app?: App) => Named<Rows[Of]> = TABLES[kind];
  return table(world, app);
}

function shownBy(command: string): string {
  return `\`npx sandbox ${command}\` shows those that exist.`;
}

interface Rowed<Row> {
  get: (id: string) => Row | undefined;
  values: () => Iterable<Row>;
}

function byId<Row extends { readonly id: string }>(rows: Rowed<Row>) {
  return {
    prefix: '',
    rows: () => rows.values(),
    idOf: ({ id }: Row) => id,
    byId: (id: string) => rows.get(id),
  };
}

/** Charges or withdrawals, of one application or of all. */
function payments<Row extends Charge | Withdrawal>(
  what: 'charge' | 'withdrawal',
  rows: Rowed<Row>,
  { apps }: World,
  app: App | undefined,
  byCode: (app: App, code: string) => Row | undefined,
): Named<Row> {
  const isOwn = (row: Row | undefined) => app === undefined || row?.appId === app.id;
  const owners = app === undefined ? apps.rows : [app];
  return {
    what,
    called: `${what} with the id or code`,
    prefix: '',
    rows: () => (app === undefined ? rows.values() : [...rows.values()].filter(isOwn)),
    idOf: ({ id }) => id,
    byId: (id) => [rows.get(id)].find(isOwn),
    byCode: (code) => owners.map((owner) => byCode(owner, code)).filter((row) => row !== undefined),
    label: ({ code, status }) => `${code} ${status}`,
    hint: shownBy(`${what}s list`),
  };
}

/** A listener may be called by the name that it was given. */
function byListenerName(endpoints: World['endpoints']) {
  const byCode = (name: string) =>
    Array.from(endpoints.values()).filter(
      ({ transport, url }) => transport === 'listener' && listenerNameOf(url) === name,
    );
  return { coded: 'name' as const, byCode };
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
  charge: (world, app) =>
    payments('charge', world.charges.byId, world, app, ({ chargesByCode }, code) => chargesByCode.get(code)),
  withdrawal: (world, app) =>
    payments('withdrawal', world.withdrawals.byId, world, app, ({ withdrawalsByCode }, code) =>
      withdrawalsByCode.get(code),
    ),
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
    what: 'webhook endpoint',
    label: ({ url, status }) => `${url} ${status}`,
    hint: shownBy('endpoints list'),
  }),
  recipient: (world) => {
    const rows = () => recipients(world);
    return {
      ...byId<Recipient>({
        get: (id) => world.endpoints.get(id) ?? rows().get(id),
        values: () => rows().values(),
      }),
      ...byListenerName(world.endpoints),
      what: 'webhook endpoint',
      label: ({ url }) => url ?? '(deleted)',
      hint: shownBy('endpoints list'),
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

function recipients({ endpoints, deliveries }: World): Map<string, Recipient> {
  const found = new Map<string, Recipient>(endpoints);
  for (const { endpointId: id } of deliveries.rows) if (!found.has(id)) found.set(id, { id });
  return found;
}
