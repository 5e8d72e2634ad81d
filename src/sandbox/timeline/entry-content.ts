import { formatFaultName } from '../../contract/fault-kinds.js';
import { formatIsoTime } from '../../contract/time.js';
import type { ApplyResult, Command, ResultOf } from '../../core/apply.js';
import type { Effect } from '../../core/effects.js';
import type { FiredFault } from '../../core/world.js';
import { describeDueItem } from '../../core/due.js';
import { shortenSessionId } from '../../core/identity/session.js';
import type {
  AnnouncedEvent,
  Attempt,
  Charge,
  Delivery,
  Endpoint,
  Withdrawal,
  World,
} from '../../core/world.js';
import { formatOutcome } from '../../text/exchange/present-exchange.js';
import { formatEndpointLabel } from '../../text/listener-name.js';
import type { Call } from '../call-log.js';
import type { Entry, EntryKind, EntryContent } from './entry.js';
import type { EntryFacts } from './facts.js';
import { createAttemptId } from './entry.js';

function changeTitle(name: string, from: string | null, to: string): string {
  return from === null ? `${name} ${to}` : `${name} ${from} → ${to}`;
}

function describePayment(
  resource: 'charge' | 'withdrawal',
  { id, code }: Charge | Withdrawal,
  from: string | null,
  to: string,
): EntryContent {
  const title = changeTitle(`${resource} ${code}`, from, to);
  return { kind: 'change', id, title, facts: { resource, from, to, code } };
}

/** Returns an endpoint's URL or a listener's forward target. */
export function formatEndpointTarget(endpoint: Endpoint | undefined): string {
  return endpoint === undefined ? 'a deleted endpoint' : formatEndpointLabel(endpoint);
}

/** Returns the current target of a delivery. */
function formatDeliveryTarget({ endpoints }: World, { endpointId }: Delivery): string {
  return formatEndpointTarget(endpoints.get(endpointId));
}

function deliveryFacts({ event, endpointId }: Delivery, target: string) {
  return {
    event_type: event.type,
    event_id: event.id,
    endpoint_id: endpointId,
    target,
    resource_id: event.resource.id,
    code: event.resource.code,
  };
}

/** Describes a finished attempt. */
export function describeAttempt(world: World, delivery: Delivery, attempt: Attempt): EntryContent {
  const target = formatDeliveryTarget(world, delivery);
  const { number, status, error, faults = [] } = attempt;
  const facts: EntryFacts = {
    ...deliveryFacts(delivery, target),
    delivery_id: delivery.id,
    attempt: number,
    status,
    error,
    ...(faults.length === 0 ? {} : { faults: faults.map(({ action }) => action) }),
  };
  const title = `attempt ${number} of ${delivery.event.type} to ${target}: ${formatOutcome(attempt)}`;
  return { kind: 'attempt', id: createAttemptId(delivery.id, number), title, facts };
}

/** Commands without an entry, because they are part of a request or an attempt. */
const SILENT = new Set<Command['type']>([
  'clock.tick',
  'app.rekey',
  'nonce.use',
  'fault.on-call',
  'fault.insert',
  'delivery.attempted',
  'listener.connect',
  'listener.lose',
]);

const KIND_OF_COMMAND: Partial<Record<Command['type'], EntryKind>> = {
  'fault.add': 'fault',
  'fault.remove': 'fault',
  'incident.start': 'fault',
  'incident.stop': 'fault',
};

/** Command fields that identify the subject, most specific first. */
const SUBJECTS = ['chargeId', 'withdrawalId', 'eventId', 'deliveryId', 'endpointId', 'id'] as const;

function subjectOf(command: Command & { readonly [Field in (typeof SUBJECTS)[number]]?: unknown }) {
  for (const field of SUBJECTS) {
    const value = command[field];
    if (typeof value === 'string') return value;
  }
  return undefined;
}

function describeCommandType(command: Command): string {
  if (command.type === 'trigger') return `trigger ${command.event}`;
  const isIncident = command.type === 'incident.start' || command.type === 'incident.stop';
  return isIncident ? `${command.type} ${command.name ?? ''}`.trimEnd() : command.type;
}

/** Describes a command. Returns undefined for a command without an entry. */
export function describeCommand(
  command: Command,
  result: unknown,
  scenario: string | undefined,
): EntryContent | undefined {
  if (SILENT.has(command.type)) return undefined;
  const named = subjectOf(command);
  const made = (result ?? {}) as { readonly id?: unknown };
  const id =
    named ?? (command.type.endsWith('.create') || command.type === 'fault.add' ? made.id : undefined);
  const what = describeCommandType(command);
  return {
    kind: KIND_OF_COMMAND[command.type] ?? 'command',
    id: typeof id === 'string' ? id : null,
    title: named === undefined ? what : `${what} ${named}`,
    facts: { command: command.type, ...(scenario === undefined ? {} : { scenario }) },
  };
}

/**
 * Describes an executed agenda item. Returns undefined for an attempt, which gets an entry when it ends, and for
 * the start or end of a fault, described by its effect.
 */
export function describeExecutedItem(
  world: World,
  due: Extract<Effect, { type: 'due' }>,
): EntryContent | undefined {
  if (due.kind === 'delivery.attempt' || due.kind.startsWith('fault.')) return undefined;
  const { id, title } = describeDueItem(world, due);
  return { kind: 'clock', id, title, facts: { due: due.kind } };
}

/** Describes an effect. Returns undefined for an effect without an entry. */
export function describeEffect(world: World, effect: Effect): EntryContent | undefined {
  switch (effect.type) {
    case 'charge': {
      return describePayment('charge', effect.charge, effect.from, effect.to);
    }
    case 'withdrawal': {
      return describePayment('withdrawal', effect.withdrawal, effect.from, effect.to);
    }
    case 'event': {
      const { id, type, resource } = effect.event;
      const facts: EntryFacts = { event_type: type, resource_id: resource.id, code: resource.code };
      return { kind: 'event', id, title: `${type} of ${resource.code}`, facts };
    }
    case 'delivery': {
      const { delivery, from, to } = effect;
      if (from === to) return undefined;
      const target = formatDeliveryTarget(world, delivery);
      const name = `${delivery.event.type} to ${target}`;
      const title = from === null ? name : changeTitle(name, from, to);
      return {
        kind: 'delivery',
        id: delivery.id,
        title,
        facts: { ...deliveryFacts(delivery, target), from, to },
      };
    }
    case 'session': {
      const { from, to } = effect;
      const id = shortenSessionId(effect.session.id);
      const title = changeTitle(`session ${id}`, from, to);
      return { kind: 'change', id, title, facts: { resource: 'session', from, to } };
    }
    case 'endpoint': {
      const { endpoint, change } = effect;
      const isListener = endpoint.transport === 'listener';
      const target = formatEndpointTarget(endpoint);
      const what = isListener ? 'listener ' : 'endpoint ';
      // A `listen` command's description already starts with `listener`.
      const title = `${target.startsWith(what) ? '' : what}${target} ${change}`;
      const facts: EntryFacts = { resource: 'endpoint', to: change, target };
      return { kind: isListener ? 'listener' : 'change', id: endpoint.id, title, facts };
    }
    case 'dropped': {
      return describeDropped(effect);
    }
    case 'fault': {
      return describeWindow(effect);
    }
    case 'due':
    case 'held':
    case 'attempt':
    case 'attempt.ended': {
      return undefined;
    }
  }
}

function describeWindow({ fault, change }: Extract<Effect, { type: 'fault' }>): EntryContent {
  const { id, action, seen, fired } = fault;
  const name = formatFaultName(fault);
  const counts = seen === 0 ? 'nothing matched' : `it fired on ${fired} of ${seen} matches`;
  const title = `fault ${name} ${change}${change === 'ended' ? `; ${counts}` : ''}`;
  return { kind: 'fault', id, title, facts: { to: change, faults: [action] } };
}

/** Describes rows dropped by retention. */
export function describeDropped({ deliveries, events }: Extract<Effect, { type: 'dropped' }>): EntryContent {
  const title = `retention dropped the oldest rows: deliveries ${deliveries.length}, events ${events.length}`;
  return { kind: 'state', id: null, title, facts: { to: 'dropped' } };
}

export function describeCall(call: Call): EntryContent {
  const { requestId, method, path, status, matched, appId, resourceId, error, faults, details, exchange } =
    call;
  const field = details?.[0]?.field;
  const facts: EntryFacts = {
    method,
    path,
    status,
    matched,
    app_id: appId,
    ...(resourceId === null ? {} : { resource_id: resourceId }),
    ...(error === null ? {} : { error }),
    ...(field === undefined ? {} : { field }),
    ...(exchange === undefined ? {} : { duration_ms: Math.round(exchange.durationMs) }),
    ...(faults.length === 0 ? {} : { faults: faults.map(({ action }) => action) }),
  };
  const title = [method, path, status, error].filter((part) => part !== null).join(' ');
  return { kind: 'call', id: requestId, title, facts };
}

/** Adds the scenario's name to an entry. */
export function withScenario(content: EntryContent, scenario: string | undefined): EntryContent {
  return { ...content, facts: { ...content.facts, ...(scenario === undefined ? {} : { scenario }) } };
}

/** Describes a clock move between two instants of sandbox time. */
export function describeClockMove(from: number, to: number): EntryContent {
  const facts: EntryFacts = { moved_from: formatIsoTime(from), moved_to: formatIsoTime(to) };
  return { kind: 'clock', id: null, title: `clock moved to ${formatIsoTime(to)}`, facts };
}

export function describeRate(rate: number): EntryContent {
  const title =
    rate === 0
      ? 'clock frozen'
      : rate === 1
        ? 'clock runs in real time'
        : `clock runs at ${rate} times real time`;
  return { kind: 'clock', id: null, title, facts: { rate } };
}

/** State changes; true if the change starts a new world. */
const STATE_CHANGES = {
  begun: true,
  started: true,
  reset: true,
  restored: true,
  imported: true,
  'started again': false,
  saved: false,
  dropped: false,
  'not persisted': false,
  'persisted again': false,
} as const;

type StateChange = keyof typeof STATE_CHANGES;

/** Describes a change of the complete state. `id` is a snapshot name, `rest` the end of the title. */
export function describeStateChange(
  to: StateChange,
  id: string | null = null,
  rest = id ?? '',
): EntryContent {
  return { kind: 'state', id, title: `${to} ${rest}`.trimEnd(), facts: { to } };
}

/** Returns true for an entry that starts a new world, in which the same ids can refer to other rows. */
export function isWorldReplacement({ kind, facts: { to = '' } }: Pick<Entry, 'kind' | 'facts'>): boolean {
  return kind === 'state' && Object.hasOwn(STATE_CHANGES, to) && STATE_CHANGES[to as StateChange];
}

/** Describes an extra message sent by a fault, with the receiver's reply. */
export function describeSideEvent(
  world: World,
  event: AnnouncedEvent,
  {
    deliveryId,
    number,
    status,
    error,
  }: Pick<Attempt, 'number' | 'status' | 'error'> & { readonly deliveryId: string },
): EntryContent {
  const delivery = world.deliveries.byId.get(deliveryId);
  const facts: EntryFacts = {
    ...(delivery === undefined ? {} : deliveryFacts(delivery, formatDeliveryTarget(world, delivery))),
    event_type: event.type,
    event_id: event.id,
    delivery_id: deliveryId,
    attempt: number,
    status,
    error,
  };
  const title = `a fault sent ${event.type} to ${facts.target ?? ''}: ${formatOutcome({ status, error })}`;
  return { kind: 'fault', id: event.id, title, facts };
}

export function describeFiredFault(
  { id, action, incident }: Pick<FiredFault, 'id' | 'action' | 'incident'>,
  on: string,
  facts: EntryFacts,
): EntryContent {
  return {
    kind: 'fault',
    id,
    title: `fault ${formatFaultName({ action, incident })} fired on ${on}`,
    facts: { ...facts, faults: [action] },
  };
}

/** Returns the faults that a command fired on an API request. */
export function getFiredFaults({ type }: Command, applied: ApplyResult<unknown>): ResultOf<'fault.on-call'> {
  if (type !== 'fault.on-call' || applied.refusal !== undefined) return [];
  return applied.result as ResultOf<'fault.on-call'>;
}
