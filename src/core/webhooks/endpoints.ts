import { findAppOrDefault } from '../identity/applications.js';
import {
  failPendingDeliveries,
  listDeliveriesHeldFor,
  holdPendingDeliveries,
  releaseHeldDeliveries,
} from './deliveries.js';
import type { EndpointChange, ApplyStep } from '../effects.js';
import { getEventScope } from './events.js';
import { omitUndefined, resolveWindow } from './fault-window.js';
import { addFault, checkFaultRoom, removeFaultsOfEndpoint } from './faults.js';
import { createId } from '../ids.js';
import { LIMITS, type RetrySchedule } from '../../contract/limits.js';
import { requireFound, Refusal } from '../../contract/refusals.js';
import type { EventType } from '../../contract/enums.js';
import { isSameJson } from '../../schema/object.js';
import { createListenerUrl } from '../../text/listener-name.js';
import type { App, Delivery, DeliveryFaultInput, Endpoint, FaultInput, World } from '../world.js';

/**
 * Input for an endpoint. `secret` is generated outside the core, and `url` is already normalized and allowed.
 */
export interface EndpointInput {
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly EventType[];
  readonly secret: string;
  readonly schedule?: RetrySchedule | undefined;
  readonly timeoutMs?: number | undefined;
  readonly concurrency?: number | undefined;
}

export interface ListenerInput extends Omit<EndpointInput, 'url'> {
  /** Becomes part of the listener's hostname in the public API. */
  readonly name: string;
  /** Fails held deliveries instead of resuming them. */
  readonly fresh?: boolean | undefined;
  /** Applies to this listener's attempts, including held attempts, until the listener disconnects. */
  readonly faults?: readonly DeliveryFaultInput[] | undefined;
}

export interface ConnectedListener {
  readonly endpoint: Endpoint;
  readonly held: readonly Delivery[];
}

/** Registers a webhook URL (§4.4). Each subscribed event requires its read scope. */
export function createEndpoint(step: ApplyStep, appId: string, input: EndpointInput): Endpoint {
  const { world } = step;
  const app = findAppOrDefault(world, appId);
  checkReadScopes(app, input.events);
  checkUrlFree(world, appId, input.url);
  const registered = httpEndpoints(world, appId).length;
  if (registered >= LIMITS.endpointsPerApp) {
    throw new Refusal(
      'ENDPOINT_LIMIT_REACHED',
      `The application already has the maximum of ${registered} webhook endpoints.`,
      { hint: 'Delete one: `npx sandbox endpoints delete <id>`.' },
    );
  }
  return add(step, appId, input.url, 'http', input);
}

/** Finds an application's listener by name. */
export function findListener(world: World, appId: string, name: string): Endpoint | undefined {
  const url = createListenerUrl(name);
  return [...world.endpoints.values()].find(
    (endpoint) => endpoint.transport === 'listener' && endpoint.appId === appId && endpoint.url === url,
  );
}

export function checkNameFree(world: World, appId: string, name: string): void {
  const other = findListener(world, appId, name);
  if (!other?.connected) return;
  const { description, id, status } = other;
  const what = description === null || description === name ? '' : ` (${description})`;
  const isDisabled = status === 'DISABLED';
  const state = isDisabled ? ', but disabled' : '';
  throw new Refusal('ENDPOINT_ALREADY_EXISTS', `A listener named ${name} is connected${what}${state}.`, {
    hint: isDisabled
      ? `The listener receives nothing until you run \`npx sandbox endpoints enable ${id}\`.`
      : 'That listener already receives its events. Use another --name to receive the events here, too.',
  });
}

/**
 * Connects a new listener, or reconnects the listener with this name, which keeps its id and secret. Held
 * deliveries resume with the new settings, regardless of the current subscriptions, or fail if `fresh` is
 * set.
 */
export function addListener(step: ApplyStep, appId: string, input: ListenerInput): ConnectedListener {
  const { world } = step;
  const app = findAppOrDefault(world, appId);
  checkNameFree(world, app.id, input.name);
  checkFaultRoom(world, input.faults?.length ?? 0);
  for (const fault of input.faults ?? []) resolveWindow(fault, step.now);
  const earlier = findListener(world, app.id, input.name);
  if (earlier === undefined) {
    const endpoint = add(step, app.id, createListenerUrl(input.name), 'listener', input);
    endpoint.connected = true;
    addFaultsFor(step, endpoint.id, input.faults);
    return { endpoint, held: [] };
  }
  const held = listDeliveriesHeldFor(earlier);
  const before = { ...earlier, deliveries: [] };
  const { events, description, schedule, timeoutMs, concurrency, fresh, faults } = input;
  Object.assign(earlier, omitUndefined({ events, description, schedule, timeoutMs, concurrency }));
  // Reconnecting with equal settings is not an update; otherwise a restored state would differ from the saved
  // state.
  if (!isSameJson({ ...earlier, deliveries: [] }, before)) earlier.updatedAt = step.now;
  earlier.connected = true;
  addFaultsFor(step, earlier.id, faults);
  emitChange(step, earlier, 'connected');
  if (fresh) failPendingDeliveries(step, held, 'LISTENER_LEFT');
  else releaseHeldDeliveries(step, earlier, before.schedule);
  return { endpoint: earlier, held };
}

function addFaultsFor(step: ApplyStep, endpointId: string, faults: ListenerInput['faults'] = []): void {
  for (const fault of faults) addFault(step, { ...fault, match: { ...fault.match, endpointId } });
}

/**
 * Disconnects a listener and holds its pending deliveries until it reconnects. Returns the held deliveries.
 */
export function markListenerDisconnected(step: ApplyStep, endpoint: Endpoint): Delivery[] {
  if (endpoint.connected) {
    endpoint.connected = false;
    // Faults belong to one connection and must not affect the next.
    removeFaultsOfEndpoint(step, endpoint.id);
    holdPendingDeliveries(step, endpoint);
    emitChange(step, endpoint, 'away');
  }
  return listDeliveriesHeldFor(endpoint);
}

function add(
  step: ApplyStep,
  appId: string,
  url: string,
  transport: Endpoint['transport'],
  input: Omit<EndpointInput, 'url'>,
): Endpoint {
  const { world, now } = step;
  const ordinal = world.endpointCount;
  world.endpointCount += 1;
  const endpoint: Endpoint = {
    ordinal,
    id: createId(world, 'endpoint', ordinal),
    appId,
    url,
    description: input.description,
    events: input.events,
    transport,
    schedule: input.schedule ?? 'real',
    timeoutMs: input.timeoutMs ?? LIMITS.attemptTimeoutMs,
    concurrency: input.concurrency ?? LIMITS.attemptsInFlightPerEndpoint,
    createdAt: now,
    updatedAt: now,
    status: 'ACTIVE',
    secret: input.secret,
    previousSecret: null,
    previousSecretUntil: 0,
    connected: false,
    deliveries: [],
  };
  world.endpoints.set(endpoint.id, endpoint);
  emitChange(step, endpoint, 'created');
  return endpoint;
}

/**
 * Replaces the secret. The previous secret stays valid for 24 hours, and a second rotation drops the oldest
 * secret (§8).
 */
export function rotateSecret(step: ApplyStep, endpoint: Endpoint, secret: string): void {
  endpoint.previousSecret = endpoint.secret;
  endpoint.previousSecretUntil = step.now + LIMITS.previousSecretMs;
  endpoint.secret = secret;
  touch(step, endpoint, 'rotated');
}

/** Lists the secrets for signing a delivery at this instant, newest first. */
export function listValidSecrets(endpoint: Endpoint, now: number): string[] {
  return endpoint.previousSecret !== null && now < endpoint.previousSecretUntil
    ? [endpoint.secret, endpoint.previousSecret]
    : [endpoint.secret];
}

export function disableEndpoint(step: ApplyStep, endpoint: Endpoint): void {
  if (endpoint.status === 'DISABLED') return;
  endpoint.status = 'DISABLED';
  failPendingDeliveries(step, endpoint.deliveries, 'ENDPOINT_DISABLED');
  touch(step, endpoint, 'disabled');
}

export function enableEndpoint(step: ApplyStep, endpoint: Endpoint): void {
  if (endpoint.status === 'ACTIVE') return;
  checkUrlFree(step.world, endpoint.appId, endpoint.url);
  endpoint.status = 'ACTIVE';
  touch(step, endpoint, 'enabled');
}

export function deleteEndpoint(step: ApplyStep, endpoint: Endpoint): void {
  const error = endpoint.transport === 'listener' ? 'LISTENER_LEFT' : 'ENDPOINT_DISABLED';
  failPendingDeliveries(step, endpoint.deliveries, error);
  removeFaultsOfEndpoint(step, endpoint.id);
  step.world.endpoints.delete(endpoint.id);
  emitChange(step, endpoint, 'deleted');
}

function touch(step: ApplyStep, endpoint: Endpoint, change: EndpointChange): void {
  endpoint.updatedAt = step.now;
  emitChange(step, endpoint, change);
}

function emitChange(step: ApplyStep, endpoint: Endpoint, change: EndpointChange): void {
  step.effects.push({ type: 'endpoint', endpoint, change });
}

function checkReadScopes(app: App, events: readonly EventType[]): void {
  const missing = new Set(events.map(getEventScope).filter((scope) => !app.scopes.includes(scope)));
  if (missing.size === 0) return;
  throw new Refusal(
    'INSUFFICIENT_SCOPE',
    `Subscribing to these events requires the scope ${[...missing].join(' and ')}.`,
    {
      hint: 'Use an application with the scope, or subscribe to fewer events.',
    },
  );
}

function checkUrlFree(world: World, appId: string, url: string): void {
  const taken = httpEndpoints(world, appId).find((other) => other.status === 'ACTIVE' && other.url === url);
  if (taken === undefined) return;
  throw new Refusal(
    'ENDPOINT_ALREADY_EXISTS',
    `The active endpoint ${taken.id} already has the URL ${url}.`,
    {
      hint: 'List the endpoints to find the existing endpoint; rotate its secret if you no longer have it.',
    },
  );
}

function httpEndpoints(world: World, appId: string): Endpoint[] {
  return [...world.endpoints.values()].filter(
    (endpoint) => endpoint.transport === 'http' && endpoint.appId === appId,
  );
}

/** Throws NOT_FOUND for a fault that targets an unknown endpoint id. */
export function checkFaultEndpoint(world: World, { match }: FaultInput): void {
  if (match.on === 'delivery' && match.endpointId !== null) findEndpoint(world, match.endpointId);
}

export function findEndpoint(world: World, id: string, appId?: string): Endpoint {
  const endpoint = world.endpoints.get(id);
  const own = appId === undefined || endpoint?.appId === appId ? endpoint : undefined;
  return requireFound(own, `webhook endpoint ${id}`, 'List the endpoints to see their ids.');
}
