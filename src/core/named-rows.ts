import type { Fault } from './webhooks/faults.js';
import type { IdentitySession } from './identity/session.js';
import { shortSessionId } from './identity/session.js';
import { listenerNameOf } from '../text/listener-name.js';
import { droppedHint } from './webhooks/retention.js';
import type { Named } from './lookup.js';
import { lookUpIfAny, lookUpIn, lookUpWholeIn } from './lookup.js';
import type { Account, AnnouncedEvent, App, Charge, Delivery, Endpoint, Withdrawal, World } from './world.js';

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
