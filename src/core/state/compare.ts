import { formatIsoTime } from '../../contract/time.js';
import { isSameJson } from '../../schema/object.js';
import { shortenSessionId } from '../identity/session.js';
import {
  presentCharge,
  presentDelivery,
  presentEndpoint,
  presentWithdrawal,
  getResourceType,
  presentField,
} from '../resources/serialize.js';
import type { World } from '../world.js';

export interface ComparableState {
  readonly world: World;
  readonly rate: number;
}

type Fields = Readonly<Record<string, unknown>>;

interface ComparableRow {
  readonly id: string;
  /** Shortened id for display, if the id is a credential. */
  readonly shownId?: string;
  readonly code?: string;
  /** Compared first, because serializing the fields takes longer. */
  readonly row: unknown;
  readonly fields: () => Fields;
}

type PicturesOf = (state: ComparableState) => ComparableRow[];

function pictures<Row extends { readonly id: string }>(
  rows: Iterable<Row>,
  fieldsOf: (row: Row) => Fields,
  more: (row: Row) => Pick<ComparableRow, 'code' | 'shownId'> = () => ({}),
): ComparableRow[] {
  return Array.from(rows, (row) => ({ id: row.id, row, fields: () => fieldsOf(row), ...more(row) }));
}

/** Picks fields of a row, with API names and formats. */
const pick =
  <Row extends object>(...names: (keyof Row & string)[]) =>
  (row: Row): Fields =>
    Object.fromEntries(names.map((name) => presentField(name, row[name])));

const PICTURES = {
  clock: ({ world, rate }) => {
    const row = {
      id: 'clock',
      now: formatIsoTime(world.now),
      rate,
      deliveries_paused: world.deliveriesPaused,
    };
    return pictures([row], ({ id: _id, ...fields }) => fields);
  },
  assumption: ({ world }) =>
    pictures(
      Object.entries(world.assumed).map(([id, value]) => ({ id, value })),
      ({ value }) => ({ value }),
    ),
  app: ({ world }) => pictures(world.apps.rows, pick('name', 'scopes', 'organizationId', 'accountId')),
  account: ({ world }) =>
    pictures(world.accounts.values(), (row) => ({
      ...pick<typeof row>('appId', 'balanceCents')(row),
      transactions: row.transactions.length,
    })),
  charge: ({ world }) =>
    pictures(
      world.charges.rows,
      (row) => ({ ...presentCharge(row, null), reason: row.reason }),
      ({ code }) => ({ code }),
    ),
  withdrawal: ({ world }) =>
    pictures(
      world.withdrawals.rows,
      (row) => ({ ...presentWithdrawal(row), reason: row.reason }),
      ({ code }) => ({ code }),
    ),
  session: ({ world }) =>
    pictures(
      world.sessions.rows,
      pick(
        'organizationId',
        'customerType',
        'status',
        'name',
        'document',
        'euid',
        'error',
        'decidedAt',
        'readableAt',
      ),
      ({ id }) => ({ shownId: shortenSessionId(id) }),
    ),
  endpoint: ({ world }) =>
    pictures(
      Array.from(world.endpoints.values(), (row) => ({ ...row, deliveries: [] })),
      (row) => ({
        ...presentEndpoint(row),
        ...pick<typeof row>('connected', 'timeoutMs')(row),
        retries: row.schedule,
      }),
    ),
  event: ({ world }) =>
    pictures(
      world.events.rows,
      (event) => {
        const { type, at, resource } = event;
        return {
          type,
          created_at: formatIsoTime(at),
          resource: { type: getResourceType(event), id: resource.id },
        };
      },
      ({ resource: { code } }) => ({ code }),
    ),
  delivery: ({ world }) =>
    pictures(
      world.deliveries.rows,
      (row) => ({ ...presentDelivery(row), attempt_limit: row.attemptLimit }),
      ({ event }) => ({ code: event.resource.code }),
    ),
  fault: ({ world }) =>
    pictures(world.faults.values(), ({ match, delayMs, ordinal: _ordinal, id: _id, ...fault }) => {
      return { ...match, ...fault, delay_ms: delayMs };
    }),
} satisfies Readonly<Record<string, PicturesOf>>;

type DifferentKind = keyof typeof PICTURES;
export const DIFFERENT_KINDS = Object.keys(PICTURES) as DifferentKind[];

/** Difference between two states, with API names and formats. */
interface StateDifference {
  readonly kind: DifferentKind;
  readonly id: string;
  /** Code of the affected charge or withdrawal. */
  readonly code?: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly fields?: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
}

/** Lists added, removed and changed rows between two states, excluding tokens and secrets. */
export function diffWorlds(from: ComparableState, to: ComparableState): StateDifference[] {
  return DIFFERENT_KINDS.flatMap((kind) => {
    const [before, after] = [from, to].map((state) => {
      return new Map(PICTURES[kind](state).map((picture) => [picture.id, picture]));
    });
    const createDifference = (
      { id, shownId = id, code }: ComparableRow,
      change: Pick<StateDifference, 'change' | 'fields'>,
    ): StateDifference => ({ kind, id: shownId, ...(code === undefined ? {} : { code }), ...change });
    const found: StateDifference[] = [];
    for (const [id, picture] of before ?? []) {
      if (!after?.has(id)) found.push(createDifference(picture, { change: 'removed' }));
    }
    for (const [id, picture] of after ?? []) {
      const earlier = before?.get(id);
      if (earlier === undefined) found.push(createDifference(picture, { change: 'added' }));
      else if (!isSameJson(earlier.row, picture.row)) {
        const fields = changesOf(earlier.fields(), picture.fields());
        if (Object.keys(fields).length > 0)
          found.push(createDifference(picture, { change: 'changed', fields }));
      }
    }
    return found;
  });
}

function changesOf(from: Fields, to: Fields): NonNullable<StateDifference['fields']> {
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  const changed = Array.from(names)
    .filter((name) => !isSameJson(from[name], to[name]))
    .map((name) => [name, { from: from[name] ?? null, to: to[name] ?? null }] as const);
  return Object.fromEntries(changed);
}
