import { formatFaultName } from '../contract/fault-kinds.js';
import { AGENDA_KINDS, type AgendaItem, type AgendaKind, getFirstItem } from './agenda.js';
import type { Effect, ApplyStep } from './effects.js';
import { isUndecided, shortenSessionId } from './identity/session.js';
import { announceReadable, expireSession } from './identity/sessions.js';
import { computeAutoSettlement, movePayment } from './payments/payments.js';
import { getRowAt } from './table.js';
import { runAttempt, isDisconnected } from './webhooks/deliveries.js';
import { endFault } from './webhooks/faults.js';
import type { Charge, Delivery, Fault, IdentitySession, World } from './world.js';

/** Connects a kind of agenda item to the rows of its table. */
interface Rule<Row> {
  readonly rows: (world: World) => readonly Row[];
  /** Due time (sandbox time, ms), or null if never due. */
  readonly dueAt: (row: Row, world: World) => number | null;
  /** Returns true if due items leave the agenda while their rows are still scheduled. */
  readonly leavesOnTime?: (world: World) => boolean;
  readonly act: (step: ApplyStep, row: Row) => void;
  readonly title: (row: Row, world: World) => string;
}

const rule = <Row>(own: Rule<Row>) => own as unknown as Rule<Charge | Delivery | Fault | IdentitySession>;

const listFaults = ({ faults }: World) => [...faults.values()].sort((a, b) => a.ordinal - b.ordinal);

const RULES: Readonly<Record<AgendaKind, ReturnType<typeof rule>>> = {
  'fault.end': rule({
    rows: listFaults,
    dueAt: ({ until }) => until ?? null,
    act: endFault,
    title: (fault) => `fault ${formatFaultName(fault)} ends`,
  }),
  'fault.start': rule({
    rows: listFaults,
    dueAt: ({ from }) => from ?? null,
    leavesOnTime: () => true,
    act: ({ effects }, fault) => effects.push({ type: 'fault', fault, change: 'started' }),
    title: (fault) => `fault ${formatFaultName(fault)} starts`,
  }),
  'charge.settle': rule({
    rows: ({ charges }) => charges.rows,
    dueAt: (charge, world) => (charge.status === 'PENDING' ? computeAutoSettlement(world, charge) : null),
    act: (step, charge) => movePayment(step, 'charge', 'settle', charge),
    title: ({ code }) => `charge ${code} is paid`,
  }),
  'charge.expire': rule({
    rows: ({ charges }) => charges.rows,
    dueAt: ({ status, expiresAt }) => (status === 'PENDING' ? expiresAt : null),
    act: (step, charge) => movePayment(step, 'charge', 'expire', charge),
    title: ({ code }) => `charge ${code} expires`,
  }),
  'session.decide': rule({
    rows: ({ sessions }) => sessions.rows,
    dueAt: ({ readableAt }) => readableAt,
    leavesOnTime: () => true,
    act: announceReadable,
    title: ({ id, status }) => `session ${shortenSessionId(id)} becomes ${status}`,
  }),
  'session.lapse': rule({
    rows: ({ sessions }) => sessions.rows,
    dueAt: (session) => (isUndecided(session) ? session.expiresAt : null),
    act: expireSession,
    title: ({ id }) => `session ${shortenSessionId(id)} expires`,
  }),
  'delivery.attempt': rule({
    rows: ({ deliveries }) => deliveries.rows,
    dueAt: ({ nextAttemptAt, endpointId }, { endpoints }) => {
      const endpoint = endpoints.get(endpointId);
      return endpoint !== undefined && isDisconnected(endpoint) ? null : nextAttemptAt;
    },
    leavesOnTime: ({ deliveriesPaused }) => deliveriesPaused,
    act: runAttempt,
    title: ({ attempts, event, endpointId }, { endpoints }) => {
      const endpoint = endpoints.get(endpointId);
      const target = endpoint?.description ?? endpoint?.url ?? 'a deleted endpoint';
      return `attempt ${attempts + 1} of ${event.type} to ${target}`;
    },
  }),
};

export interface DueItem {
  readonly at: number;
  readonly kind: AgendaKind;
  readonly id: string;
}

/** Returns the row of an agenda item, or undefined if the item is outdated. */
function findDueRow(world: World, { kind, ordinal, at }: AgendaItem) {
  const { rows, dueAt } = RULES[kind];
  const row = getRowAt(rows(world), ordinal);
  return row !== undefined && dueAt(row, world) === at ? row : undefined;
}

export function isStillValid(world: World, item: AgendaItem): boolean {
  return findDueRow(world, item) !== undefined;
}

/** Rebuilds the sorted agenda from a world's rows; valid only between commands. */
export function listScheduledItems(world: World): AgendaItem[] {
  const items = AGENDA_KINDS.flatMap((kind) => {
    const { rows, dueAt, leavesOnTime } = RULES[kind];
    const hasLeft = leavesOnTime?.(world) ?? false;
    return rows(world).flatMap((row) => {
      const at = dueAt(row, world);
      return at === null || (hasLeft && at <= world.now) ? [] : [{ at, kind, ordinal: row.ordinal }];
    });
  });
  return items.sort((a, b) => a.at - b.at);
}

/** Returns the first valid agenda item of these kinds, and drops outdated items before it. */
export function nextAgendaItem(world: World, kinds?: readonly AgendaKind[]): AgendaItem | undefined {
  const { agenda } = world;
  let item = getFirstItem(agenda, kinds);
  while (item !== undefined && !isStillValid(world, item)) {
    agenda[item.kind].shift();
    item = getFirstItem(agenda, kinds);
  }
  return item;
}

const WORK_KINDS = AGENDA_KINDS.filter((kind) => !kind.startsWith('fault.'));

/** Returns the first valid agenda item that is not the start or end of a fault. */
export function nextWorkItem(world: World): AgendaItem | undefined {
  return nextAgendaItem(world, WORK_KINDS);
}

/** Adds the row id and a title to an item; session ids are shortened because they appear in logs. */
export function describeDueItem(world: World, { at, kind, ordinal }: AgendaItem) {
  const { rows, title } = RULES[kind];
  const row = getRowAt(rows(world), ordinal);
  const id = row?.id ?? '';
  return {
    at,
    kind,
    id: kind.startsWith('session.') ? shortenSessionId(id) : id,
    title: row === undefined ? '' : title(row, world),
  };
}

export function peekDue(world: World): DueItem | undefined {
  const item = nextAgendaItem(world);
  if (item === undefined) return undefined;
  const { title: _title, ...due } = describeDueItem(world, item);
  return due;
}

/** Lists up to `limit` scheduled items in execution order, each with a title. */
export function listDueItems(world: World, limit: number): (DueItem & { readonly title: string })[] {
  return listScheduledItems(world)
    .slice(0, limit)
    .map((item) => describeDueItem(world, item));
}

/** Runs all items due by `now`, each at its due time. A `due` effect precedes the effects of each item. */
export function runDue(world: World, now: number, effects: Effect[]): void {
  for (let item = nextAgendaItem(world); item !== undefined && item.at <= now; item = nextAgendaItem(world)) {
    const { at, kind, ordinal } = item;
    const row = findDueRow(world, item);
    world.agenda[kind].shift();
    world.now = Math.max(world.now, at);
    const before = effects.push({ type: 'due', at: world.now, kind, ordinal });
    if (row !== undefined) RULES[kind].act({ world, now: world.now, effects }, row);
    if (effects.length === before) effects.pop();
  }
  world.now = Math.max(world.now, now);
}
