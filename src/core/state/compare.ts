import { isSameJson } from '../../schema/object.js';
import { formatAmount } from '../../contract/money.js';
import { isoTime } from '../../contract/time.js';
import { shortSessionId } from '../identity/session.js';
import {
  presentCharge,
  presentDelivery,
  presentEndpoint,
  presentWithdrawal,
  resourceType,
} from '../resources/serialize.js';
import type {
  AnnouncedEvent,
  App,
  Charge,
  Delivery,
  Endpoint,
  Fault,
  IdentitySession,
  Withdrawal,
  World,
} from '../world.js';

export const DIFFERENT_KINDS = [
  'clock',
  'assumption',
  'app',
  'account',
  'charge',
  'withdrawal',
  'session',
  'endpoint',
  'event',
  'delivery',
  'fault',
] as const;

/** A world and the rate of its clock. */
export interface Compared {
  readonly world: World;
  readonly rate: number;
}

/** What differs between two states, by the names and in the forms of the API. */
export interface Difference {
  readonly kind: (typeof DIFFERENT_KINDS)[number];
  readonly id: string;
  /** Of a charge or withdrawal, or of the one that it is about. */
  readonly code?: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Of what changed. */
  readonly fields?: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
}

type Fields = Readonly<Record<string, unknown>>;

interface Picture {
  readonly id: string;
  readonly code?: string | undefined;
  /** Equal in both states where nothing changed; comparing it takes less time than presenting its fields. */
  readonly row: unknown;
  readonly fields: () => Fields;
}

type PicturesOf = (state: Compared) => Iterable<readonly [key: string, Picture]>;

/** What was added, removed or changed on the way from one state to another, without tokens and secrets. */
export function differences(from: Compared, to: Compared): Difference[] {
  const found: Difference[] = [];
  for (const kind of DIFFERENT_KINDS) {
    const before = new Map(PICTURES[kind](from));
    const after = new Map(PICTURES[kind](to));
    for (const [key, { id, code }] of before)
      if (!after.has(key)) found.push({ kind, id, ...coded(code), change: 'removed' });
    for (const [key, { id, code, row, fields }] of after) {
      const earlier = before.get(key);
      if (earlier !== undefined && isSameJson(earlier.row, row)) continue;
      const changed = earlier && changesOf(earlier.fields(), fields());
      if (earlier === undefined) found.push({ kind, id, ...coded(code), change: 'added' });
      else if (changed !== undefined)
        found.push({ kind, id, ...coded(code), change: 'changed', fields: changed });
    }
  }
  return found;
}

function coded(code: string | undefined): { readonly code?: string } {
  return code === undefined ? {} : { code };
}

function changesOf(from: Fields, to: Fields): Difference['fields'] {
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  const changed = Array.from(names)
    .filter((name) => !isSameJson(from[name], to[name]))
    .map((name) => [name, { from: from[name] ?? null, to: to[name] ?? null }] as const);
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

const PICTURES: Readonly<Record<Difference['kind'], PicturesOf>> = {
  clock: ({ world, rate }) => {
    const fields = { now: isoTime(world.now), rate, deliveries_paused: world.deliveriesPaused };
    return [['clock', { id: 'clock', row: fields, fields: () => fields }]];
  },
  assumption: ({ world }) =>
    Object.entries(world.assumed).map(
      ([id, value]) => [id, { id, row: value, fields: () => ({ value }) }] as const,
    ),
  app: ({ world }) => pictures(world.apps.rows, appFields),
  account: ({ world }) =>
    pictures(world.accounts.values(), ({ appId, balanceCents, transactions }) => ({
      app_id: appId,
      balance: formatAmount(balanceCents),
      transactions: transactions.length,
    })),
  charge: ({ world }) => pictures(world.charges.rows, chargeFields, ({ code }) => code),
  withdrawal: ({ world }) => pictures(world.withdrawals.rows, withdrawalFields, ({ code }) => code),
  session: ({ world }) =>
    world.sessions.rows.map((row) => {
      return [row.id, { id: shortSessionId(row.id), row, fields: () => sessionFields(row) }] as const;
    }),
  endpoint: ({ world }) => {
    const rows = Array.from(world.endpoints.values(), (row) => ({ ...row, deliveries: [] }));
    return pictures(rows, endpointFields);
  },
  event: ({ world }) => pictures(world.events.rows, eventFields, ({ resource }) => resource.code),
  delivery: ({ world }) =>
    pictures(world.deliveries.rows, deliveryFields, ({ event }) => event.resource.code),
  fault: ({ world }) => pictures(world.faults.values(), faultFields),
};

function* pictures<Row extends { readonly id: string }>(
  rows: Iterable<Row>,
  fieldsOf: (row: Row) => Fields,
  codeOf: (row: Row) => string | undefined = () => undefined,
): Generator<readonly [string, Picture]> {
  for (const row of rows) yield [row.id, { id: row.id, code: codeOf(row), row, fields: () => fieldsOf(row) }];
}

function appFields({ name, scopes, organizationId, accountId }: App): Fields {
  return { name, scopes, organization_id: organizationId, account_id: accountId };
}

function chargeFields(charge: Charge): Fields {
  return { ...presentCharge(charge, null), reason: charge.reason };
}

function withdrawalFields(withdrawal: Withdrawal): Fields {
  return { ...presentWithdrawal(withdrawal), reason: withdrawal.reason };
}

function sessionFields(session: IdentitySession): Fields {
  const { organizationId, customerType, status, name, document, euid, error, decidedAt, readableAt } =
    session;
  return {
    organization_id: organizationId,
    customer_type: customerType,
    status,
    name,
    document,
    euid,
    error,
    decided_at: decidedAt === null ? null : isoTime(decidedAt),
    readable_at: readableAt === null ? null : isoTime(readableAt),
  };
}

function endpointFields(endpoint: Endpoint): Fields {
  const { connected, schedule, timeoutMs } = endpoint;
  return { ...presentEndpoint(endpoint), connected, retries: schedule, timeout_ms: timeoutMs };
}

function eventFields(event: AnnouncedEvent): Fields {
  const { type, at, resource } = event;
  return { type, created_at: isoTime(at), resource: { type: resourceType(event), id: resource.id } };
}

function deliveryFields(delivery: Delivery): Fields {
  return { ...presentDelivery(delivery), attempt_limit: delivery.attemptLimit };
}

function faultFields({ match, delayMs, ordinal: _ordinal, id: _id, ...fault }: Fault): Fields {
  return { ...match, ...fault, delay_ms: delayMs };
}
