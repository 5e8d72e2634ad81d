import type { AgendaItem, AgendaKind } from './agenda.js';
import { AGENDA_KINDS, firstItem } from './agenda.js';
import type { Effect, Step } from './effects.js';
import { isUndecided, shortSessionId } from './identity/session.js';
import { announceReadable, lapseSession } from './identity/sessions.js';
import { move } from './payments/payments.js';
import { attemptDue, isAway } from './webhooks/deliveries.js';
import type { World } from './world.js';
import { rowAt } from './table.js';

type TableName = 'charges' | 'deliveries' | 'sessions';
type RowOf<Name extends TableName> = World[Name]['rows'][number];

/** How a kind of agenda item relates to the rows of its table. */
interface KindOf<Row> {
  /** When it falls due (sandbox time, ms); null when it never does. */
  readonly dueAt: (row: Row, world: World) => number | null;
  /** Whether it leaves the agenda at that instant although its row still names it. */
  readonly leavesOnTime?: (world: World) => boolean;
  readonly act: (step: Step, row: Row) => void;
  /** What happens then, in words. */
  readonly title: (row: Row, world: World) => string;
}

function kind<Name extends TableName>(table: Name, { dueAt, leavesOnTime, act, title }: KindOf<RowOf<Name>>) {
  const rowOf = (world: World, ordinal: number): RowOf<Name> | undefined =>
    rowAt<RowOf<Name>>(world[table].rows, ordinal);
  const dueOf = (world: World, row: RowOf<Name> | undefined) =>
    row === undefined ? null : dueAt(row, world);
  return {
    table,
    stillStands: (world: World, { ordinal, at }: AgendaItem) => dueOf(world, rowOf(world, ordinal)) === at,
    /** The rows on the agenda of a world at rest, and when they fall due. */
    due: (world: World): { readonly at: number; readonly ordinal: number }[] =>
      (world[table].rows as readonly RowOf<Name>[]).flatMap((row) => {
        const at = dueOf(world, row);
        return at === null || (at <= world.now && leavesOnTime?.(world))
          ? []
          : [{ at, ordinal: row.ordinal }];
      }),
    act: (step: Step, ordinal: number) => {
      const row = rowOf(step.world, ordinal);
      if (row !== undefined) act(step, row);
    },
    /** The id of its row; a session's is shortened, because it ends up in logs. */
    idOf: (world: World, ordinal: number): string => {
      const id = rowOf(world, ordinal)?.id ?? '';
      return table === 'sessions' ? shortSessionId(id) : id;
    },
    titleOf: (world: World, ordinal: number): string => {
      const row = rowOf(world, ordinal);
      return row === undefined ? '' : title(row, world);
    },
  };
}

/** For each kind of agenda item: its row, when it falls due, and what is done then. */
export const AGENDA = {
  'charge.settle': kind('charges', {
    dueAt: ({ status, createdAt }, { autoSettleMs }) =>
      status === 'PENDING' && autoSettleMs !== null ? createdAt + autoSettleMs : null,
    act: (step, charge) => move(step, 'charge', 'settle', charge),
    title: ({ code }) => `charge ${code} is paid`,
  }),
  'charge.expire': kind('charges', {
    dueAt: ({ status, expiresAt }) => (status === 'PENDING' ? expiresAt : null),
    act: (step, charge) => move(step, 'charge', 'expire', charge),
    title: ({ code }) => `charge ${code} expires`,
  }),
  'session.decide': kind('sessions', {
    dueAt: ({ readableAt }) => readableAt,
    leavesOnTime: () => true,
    act: announceReadable,
    title: ({ id, status }) => `session ${shortSessionId(id)} shows ${status}`,
  }),
  'session.lapse': kind('sessions', {
    dueAt: (session) => (isUndecided(session) ? session.expiresAt : null),
    act: lapseSession,
    title: ({ id }) => `session ${shortSessionId(id)} expires`,
  }),
  'delivery.attempt': kind('deliveries', {
    dueAt: ({ nextAttemptAt, endpointId }, { endpoints }) => {
      const endpoint = endpoints.get(endpointId);
      return endpoint !== undefined && isAway(endpoint) ? null : nextAttemptAt;
    },
    leavesOnTime: ({ deliveriesPaused }) => deliveriesPaused,
    act: attemptDue,
    title: ({ attempts, event, endpointId }, { endpoints }) => {
      const endpoint = endpoints.get(endpointId);
      const target = endpoint?.description ?? endpoint?.url ?? 'a deleted endpoint';
      return `attempt ${attempts + 1} of ${event.type} to ${target}`;
    },
  }),
} satisfies Record<AgendaKind, ReturnType<typeof kind>>;

/** One thing that is due, and the id of what it concerns. */
export interface Due {
  readonly at: number;
  readonly kind: AgendaKind;
  readonly id: string;
}

/** Whether an agenda item is still to be done, and not out of date. */
export function stillStands(world: World, item: AgendaItem): boolean {
  return AGENDA[item.kind].stillStands(world, item);
}

/** The agenda of a world at rest, in order, as its rows say. */
export function dueItems(world: World): { at: number; kind: AgendaKind; ordinal: number }[] {
  const items = AGENDA_KINDS.flatMap((kind) =>
    AGENDA[kind].due(world).map(({ at, ordinal }) => ({ at, kind, ordinal })),
  );
  return items.sort((a, b) => a.at - b.at);
}

/** The first agenda item that is still valid; out-of-date ones are dropped on the way. */
export function nextDue(world: World): AgendaItem | undefined {
  const { agenda } = world;
  let item = firstItem(agenda);
  while (item !== undefined && !stillStands(world, item)) {
    agenda[item.kind].shift();
    item = firstItem(agenda);
  }
  return item;
}

/** What is due next; undefined when the agenda is empty. */
export function dueNext(world: World): Due | undefined {
  const item = nextDue(world);
  if (item === undefined) return undefined;
  const { at, kind, ordinal } = item;
  return { at, kind, id: AGENDA[kind].idOf(world, ordinal) };
}

/**
 * What is due, in the order in which it will be done, without what was overtaken: at most `limit`, each with
 * a title.
 */
export function dueInOrder(world: World, limit: number): (Due & { readonly title: string })[] {
  return dueItems(world)
    .slice(0, limit)
    .map(({ at, kind, ordinal }) => {
      const { idOf, titleOf } = AGENDA[kind];
      return { at, kind, id: idOf(world, ordinal), title: titleOf(world, ordinal) };
    });
}

/**
 * Does everything that is due at or before `now`, each at its instant. What has an effect is announced by a
 * `due` before it.
 */
export function doDue(world: World, now: number, effects: Effect[]): void {
  for (let item = nextDue(world); item !== undefined && item.at <= now; item = nextDue(world)) {
    const { at, kind, ordinal } = item;
    world.agenda[kind].shift();
    world.now = Math.max(world.now, at);
    const before = effects.push({ type: 'due', at: world.now, kind, ordinal });
    AGENDA[kind].act({ world, now: world.now, effects }, ordinal);
    if (effects.length === before) effects.pop();
  }
  world.now = Math.max(world.now, now);
}
