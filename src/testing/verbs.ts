import { AssertionError } from 'node:assert';
import type { ControlClient } from '../client/control.js';
import { SandboxError } from '../client/sandbox-error.js';
import { EVENT_TYPES } from '../contract/enums.js';
import { REFUSAL_STATUSES } from '../contract/refusals.js';
import { listMoveNames, type MovePath, type PaymentKind } from '../contract/transitions.js';
import { TRIGGER_NAMES } from '../contract/trigger-options.js';
import { isUnmatched } from '../http/control/call-tests.js';
import { NEW_ACCOUNT, NEW_APP } from '../http/control/payments.js';
import { FaultFileError, readFaults } from '../sandbox/faults/fault-file.js';
import type { FieldSchemas, InputsOf, ObjectSchema } from '../schema/object.js';
import type { DeliveryLine, EnvironmentBlock, FaultFields } from '../public-types.js';
import { getErrorMessage } from '../text/errors.js';
import type {
  ClockApi,
  DeliveryFilter,
  ListLimit,
  AppSelector,
  SandboxVerbs,
  FailureOptions,
} from './api.js';
import { filterCalls, judgeCalls } from './reports.js';
import { checkVerb } from './check.js';
import { checkNamedOptions, TIMEOUT_DEFAULT_MS, resolveTimeout } from './options.js';

/** Methods that require only the control API. @internal */
export type ControlMethods = Omit<
  SandboxVerbs,
  'clock' | 'ledger' | 'forwardTo' | 'close' | typeof Symbol.asyncDispose
>;

/** @internal */
export function createSandboxApi(control: ControlClient, env: EnvironmentBlock): ControlMethods {
  return {
    url: control.url,
    env,
    charges: paymentVerbs(control, 'charge') as SandboxVerbs['charges'],
    withdrawals: paymentVerbs(control, 'withdrawal') as SandboxVerbs['withdrawals'],
    ...tenantVerbs(control),
    ...webhookVerbs(control),
    deliveries: deliveryVerbs(control),
    faults: createFaultsApi(control),
    incidents: {
      start: (incident, duration) => {
        const body = typeof incident === 'string' ? { name: incident } : incident;
        return control.post('incidents', { body: duration === undefined ? body : { ...body, duration } });
      },
      list: async () => (await control.get('incidents')).data,
      stop: async (name) => {
        const stopped =
          name === undefined ? control.delete('incidents') : control.delete('incidents/:name', { name });
        return (await stopped).stopped;
      },
    },
    calls: callVerbs(control),
    check: checkVerb(control, env),
    reset: () => discardResult(control.post('reset')),
    snapshot: () => control.get('state'),
    restore: (state) => discardResult(control.put('state', { body: state })),
    idle: async (wait = {}) => {
      const timeoutMs = resolveTimeout('idle', wait);
      const { idle } = await control.get('idle', { timeout: `${timeoutMs}ms` });
      if (idle) return;
      const { attempts_in_flight: open } = await control.get('status');
      throw new Error(`Not idle within ${timeoutMs} ms: ${open} attempts are in flight.`);
    },
  };
}

async function discardResult(response: Promise<unknown>): Promise<void> {
  await response;
}

type PaymentOptions = AppSelector & ListLimit & FailureOptions & { readonly status?: string };

/** Creates the methods for charges or withdrawals, including the contract's transitions. */
function paymentVerbs(control: ControlClient, kind: PaymentKind) {
  const path = `${kind}s` as const;
  const moves = listMoveNames(kind).map((name) => [
    name,
    async (id: string, options: PaymentOptions = {}) => {
      const body = checkNamedOptions(`${path}.${name}`, options, 'reason');
      return control.post(`${path}/:id/${name}` as MovePath, { id, body });
    },
  ]);
  const verbs = {
    create: async (fields = {}, options: PaymentOptions = {}) =>
      control.post(path, { ...checkNamedOptions(`${path}.create`, options, 'app'), body: fields }),
    get: (id: string) => control.get(`${path}/:id`, { id }),
    list: async (options: PaymentOptions = {}) =>
      control.list(path, checkNamedOptions(`${path}.list`, options, 'status', 'app', 'limit')),
  };
  return Object.assign(verbs, Object.fromEntries(moves));
}

function namesOf<Of extends FieldSchemas>({ fields }: ObjectSchema<Of>) {
  const names = Object.entries(fields).map(([name, { key = name }]) => key);
  return names as (keyof InputsOf<Of> & string)[];
}

function tenantVerbs(control: ControlClient): Pick<SandboxVerbs, 'apps' | 'kyc'> {
  return {
    apps: {
      create: async (fields = {}) =>
        control.post('apps', { body: checkNamedOptions('apps.create', fields, ...namesOf(NEW_APP)) }),
      list: async () => (await control.get('apps')).data,
      addAccount: async (id, fields = {}) =>
        control.post('apps/:id/accounts', {
          id,
          body: checkNamedOptions('apps.addAccount', fields, ...namesOf(NEW_ACCOUNT)),
        }),
    },
    kyc: {
      create: async (options = {}) => {
        const { app, ...body } = checkNamedOptions('kyc.create', options, 'customer_type', 'app');
        return control.post('kyc/sessions', { app, body });
      },
      get: (id) => control.get('kyc/sessions/:id', { id }),
      list: async (options = {}) =>
        control.list('kyc/sessions', checkNamedOptions('kyc.list', options, 'status', 'app', 'limit')),
      decide: (id, decision) =>
        control.post('kyc/sessions/:id/decide', {
          id,
          body: typeof decision === 'string' ? { status: decision } : decision,
        }),
      result: (id) => control.get('kyc/sessions/:id/result', { id }),
    },
  };
}

function webhookVerbs(
  control: ControlClient,
): Pick<SandboxVerbs, 'trigger' | 'events' | 'endpoints' | 'testReceiver'> {
  return {
    trigger: async (type, options = {}) => {
      const names = ['timeoutMs', 'app', 'with', 'until', ...TRIGGER_NAMES] as const;
      const { timeoutMs = TIMEOUT_DEFAULT_MS, ...rest } = checkNamedOptions('trigger', options, ...names);
      return control.post('trigger', { body: { type, timeout: `${timeoutMs}ms`, ...rest } });
    },
    events: {
      list: async (options = {}) =>
        control.list('events', checkNamedOptions('events.list', options, 'type', 'app', 'limit')),
      get: (id) => control.get('events/:id', { id }),
      resend: async (id, options = {}) => {
        const body = checkNamedOptions('events.resend', options, 'endpoint');
        return (await control.post('events/:id/resend', { id, body })).deliveries;
      },
    },
    endpoints: {
      create: async (fields, options = {}) => {
        const body = checkNamedOptions('endpoints.create', fields, 'url', 'events', 'description');
        return control.post('endpoints', {
          ...checkNamedOptions('endpoints.create', options, 'app'),
          body: { ...body, events: body.events ?? EVENT_TYPES },
        });
      },
      list: async (options = {}) =>
        (await control.get('endpoints', checkNamedOptions('endpoints.list', options, 'app'))).data,
      disable: (id) => control.post('endpoints/:id/disable', { id }),
      enable: (id) => control.post('endpoints/:id/enable', { id }),
      delete: (id) => discardResult(control.delete('endpoints/:id', { id })),
    },
    testReceiver: {
      turnOn: (reply) => control.post('receiver', { body: { answer: reply } }),
      get: () => control.get('receiver'),
      turnOff: () => discardResult(control.delete('receiver')),
    },
  };
}

function deliveryVerbs(control: ControlClient): SandboxVerbs['deliveries'] {
  const FILTER = ['type', 'status', 'endpoint', 'event', 'app'] as const;
  const queryOf = ({ type, ...filter }: DeliveryFilter) => ({ ...filter, event_type: type });
  const get = (id: string) => control.get('deliveries/:id', { id });
  return {
    list: async (options = {}) =>
      control.list('deliveries', queryOf(checkNamedOptions('deliveries.list', options, ...FILTER, 'limit'))),
    get,
    retry: (id) => control.post('deliveries/:id/retry', { id }),
    waitFor: async (filter, wait = {}) => {
      const query = queryOf(checkNamedOptions('deliveries.waitFor', filter, ...FILTER));
      const timeoutMs = resolveTimeout('deliveries.waitFor', wait);
      const reached = await control.get('deliveries/wait', { ...query, timeout: `${timeoutMs}ms` });
      const [first] = reached.deliveries;
      if (first !== undefined) return get(first.id);
      const all = await control.list('deliveries', { limit: MOST_SHOWN });
      throw new Error(`Waited ${timeoutMs} ms for ${wording(filter)}. ${inventory(all)}`);
    },
  };
}

const MOST_SHOWN = 5;

function wording(filter: DeliveryFilter): string {
  const parts = Object.entries(filter).flatMap(([name, value]: [string, string | undefined]) =>
    value === undefined ? [] : `${name} ${value}`,
  );
  return parts.length === 0 ? 'a delivery' : `a delivery with ${parts.join(' and ')}`;
}

function inventory(deliveries: readonly DeliveryLine[]): string {
  if (deliveries.length === 0) {
    return 'No deliveries exist. Check that an event occurred, and that an endpoint or `forwardTo` receives it.';
  }
  const lines = deliveries.map((delivery) => {
    const { event_type, status, attempts, last_error, last_response_status, next_attempt_at } = delivery;
    const error = last_error === null ? '' : `: ${last_error} ${last_response_status ?? ''}`.trimEnd();
    const still = delivery.blocked_by === 'frozen' ? ': the clock is frozen; `clock.next()` advances it' : '';
    const next = next_attempt_at === null ? '' : `, next at ${next_attempt_at} of sandbox time${still}`;
    return `\n  ${event_type} ${status}, attempt ${attempts}${error}${next}`;
  });
  return `The newest deliveries are${lines.join('')}`;
}

/** Error code after `close()`. @internal */
export const SANDBOX_CLOSED = 'SANDBOX_CLOSED';

/** @internal */
export function createFaultsApi(control: ControlClient): SandboxVerbs['faults'] {
  const remove = async (id: string) => {
    await control.delete('faults/:id', { id }).catch((error: unknown) => {
      // The fault is already gone: a reset or another caller removed it, or the sandbox is closed.
      const isGone = error instanceof SandboxError && ['NOT_FOUND', SANDBOX_CLOSED].includes(error.code);
      if (!isGone) throw error;
    });
  };
  return {
    add: async (fields) => {
      const fault = await control.post('faults', { body: fields });
      const removeThis = () => remove(fault.id);
      return { ...fault, remove: removeThis, [Symbol.asyncDispose]: removeThis };
    },
    list: async () => (await control.get('faults')).data,
    remove,
    clear: () => discardResult(control.delete('faults')),
  };
}

/** Reads a fault file or results directory. Throws SandboxError that locates the first issue. @internal */
export function readFaultsOfFile(path: string): {
  readonly faults: readonly FaultFields[];
  readonly seed?: string;
} {
  try {
    return readFaults(path, path) as ReturnType<typeof readFaultsOfFile>;
  } catch (error) {
    const isOfText = error instanceof FaultFileError;
    const message = isOfText
      ? error.message
      : `The fault file ${path} cannot be read: ${getErrorMessage(error)}`;
    const hint = isOfText ? { hint: error.hint } : {};
    const body = { code: 'INVALID_REQUEST', message, request_id: '', details: [], ...hint };
    throw new SandboxError(REFUSAL_STATUSES.INVALID_REQUEST, body, path);
  }
}

function callVerbs(control: ControlClient): SandboxVerbs['calls'] {
  const all = async () => (await control.get('calls')).data;
  const judge: SandboxVerbs['calls']['judge'] = async (expected) => judgeCalls(await all(), expected);
  return {
    list: async (filter = {}) => filterCalls(await all(), filter),
    unmatched: async () => (await all()).filter(isUnmatched),
    judge,
    expect: async (expected) => {
      const { pass, found, message } = await judge(expected);
      if (!pass) throw new AssertionError({ message });
      return found;
    },
    clear: () => discardResult(control.delete('calls')),
  };
}

/** @internal */
export function createClockApi<Now>(control: ControlClient, now: () => Now): ClockApi<Now> {
  return {
    now,
    show: () => control.get('clock'),
    advance: (by) => control.post('clock/advance', { body: { by } }),
    next: () => control.post('clock/next'),
    freeze: (at) => control.post('clock/freeze', { body: { at } }),
    speed: (rate) => control.post('clock/speed', { body: { rate } }),
  };
}

/** Throws Error if the test environment hides fetch. @internal */
export function requireFetch(what: string): void {
  if (typeof Response !== 'undefined') return;
  throw new Error(
    `${what} requires Node’s fetch API, but the global Response is missing. Jest’s ` +
      'jsdom environment hides Response: start the test file with /** @jest-environment node */.',
  );
}
