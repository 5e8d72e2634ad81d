import {
  CALL_FAULTS,
  CALL_ROUTES,
  type CallFaultAction,
  DELIVERY_FAULTS,
  type DeliveryFaultAction,
  FAULT_DOORS,
  RESTART_MOMENTS,
} from '../../contract/fault-kinds.js';
import { LIMITS } from '../../contract/limits.js';
import { choose } from '../../schema/compound.js';
import { absent, isObject, named, nullish, object, optional } from '../../schema/object.js';
import type { Schema } from '../../schema/schema.js';
import type { Found } from '../../schema/values.js';
import { flag, map, oneOf, refine } from '../../schema/values.js';
import { didYouMean } from '../../text/closest.js';
import { globMeetsRoute, matchesGlob } from '../../text/globs.js';
import { BODY } from '../input/bodies.js';
import { duration, NAME, numberAbove, text, wholeNumber } from '../input/kinds.js';
import { EVENT_TYPES } from '../../contract/enums.js';
import { COPIES_MAX, COUNT_MAX, ERROR_STATUS_MIN, STATUS_MAX, STATUS_MIN } from '../rows.js';
import type { CallMatch, DeliveryFaultInput, FaultInput } from '../world.js';
import { ACCOUNT_LISTS, onlyGiven } from './faults.js';

const LONGEST_SHOWN = 200;

const CALL_ACTIONS = Object.keys(CALL_FAULTS) as CallFaultAction[];
const DELIVERY_ACTIONS = Object.keys(DELIVERY_FAULTS) as DeliveryFaultAction[];
const ACTION = oneOf([...new Set([...CALL_ACTIONS, ...DELIVERY_ACTIONS])]);
const isOfOne = (action: string) => !(action in CALL_FAULTS && action in DELIVERY_FAULTS);

/** An event type, or a pattern with `*` that fits one. */
export const EVENT_PATTERN = refine(NAME, (pattern): Found<string> => {
  if (EVENT_TYPES.some((type) => matchesGlob(pattern, type))) return { value: pattern };
  return { problem: `Must fit one of ${EVENT_TYPES.join(', ')}; got ${pattern}.` };
});

/** The values of the fields that every fault may have, as a request and a stored fault have them. */
const VALUES = {
  copies: wholeNumber(1, COPIES_MAX),
  when: oneOf(RESTART_MOMENTS),
  count: wholeNumber(1, COUNT_MAX),
  probability: numberAbove(0, 1),
  rank: wholeNumber(1, COUNT_MAX),
  attempt: wholeNumber(1, LIMITS.attemptsKept),
};

function detailsFrom(statusMin: number) {
  return {
    status: nullish(wholeNumber(statusMin, STATUS_MAX), null),
    delayMs: named('delay', nullish(duration({ mostMs: LIMITS.faultDelayMs, example: '3s' }), null)),
    copies: nullish(VALUES.copies, null),
    parallel: nullish(map(flag, (isParallel) => isParallel || undefined)),
    when: nullish(VALUES.when),
    count: nullish(VALUES.count, null),
    probability: nullish(VALUES.probability, 1),
  };
}

const AIM = {
  code: nullish(text(LIMITS.codeLength)),
  resource: nullish(VALUES.rank),
  nth: nullish(VALUES.rank),
};

/** An endpoint as a fault names it: an id or, with a slash or `*` in it, a pattern for its URL. */
const TARGET = map(text(LIMITS.urlLength), (target) =>
  /[/*]/.test(target) ? { endpointUrl: target } : { endpointId: target },
);

type CallTarget = Pick<CallMatch, 'method' | 'path'> & {
  readonly action: CallFaultAction;
  readonly door: (typeof FAULT_DOORS)[number] | null;
};

/** Why a fault could never fire: no route has such a path, or none of them takes the method. */
function routeProblem({ door, method, path, action }: CallTarget): string | undefined {
  const hit: readonly string[] | null = action === 'insert-between-pages' ? ACCOUNT_LISTS : null;
  const routes = (door === null ? FAULT_DOORS : [door])
    .flatMap((name): readonly string[] => CALL_ROUTES[name])
    .filter((route) => hit?.includes(route) ?? true);
  const split = routes.map((route) => {
    const [verb = '', own = ''] = route.split(' ');
    return { verb, own };
  });
  const ofMethod = split.filter(
    ({ verb }) => method === null || verb === method || (verb === 'GET' && method === 'HEAD'),
  );
  if (ofMethod.some(({ own }) => path === null || globMeetsRoute(path, own))) return undefined;
  if (hit !== null)
    return (
      'insert-between-pages follows a page of withdrawals or transactions: leave out what ' +
      `matches, or match one of ${hit.join(', ')}.`
    );
  const asked = [method, path, door === null ? null : `at the door ${door}`].filter((word) => word !== null);
  const near =
    path === null
      ? ''
      : didYouMean(
          path,
          ofMethod.map(({ own }) => own),
        );
  const known = near === '' ? ` The routes are ${routes.join(', ')}.` : near;
  return `Matches no route: ${asked.join(' ').slice(0, LONGEST_SHOWN)}.${known}`;
}

function onCall(on: Schema<unknown>, actions: readonly CallFaultAction[]): Schema<FaultInput> {
  const call = {
    on,
    door: nullish(oneOf(FAULT_DOORS), null),
    method: nullish(
      map(NAME, (method) => method.toUpperCase()),
      null,
    ),
    path: nullish(text(LIMITS.urlLength), null),
    ...AIM,
    action: oneOf(actions),
    ...detailsFrom(ERROR_STATUS_MIN),
  };
  const fields = object('a fault on a call', call, {
    rules: [
      {
        of: ['path', 'door', 'method', 'action'],
        problem: (match) => (match.path === null ? undefined : routeProblem(match)),
      },
      {
        of: ['method', 'door', 'path', 'action'],
        problem: (match) => (match.path === null ? routeProblem(match) : undefined),
      },
    ],
  });
  return map(fields, ({ on: _on, door, method, path, code, resource, nth, ...fault }) => {
    return { match: onlyGiven({ on: 'call', door, method, path, code, resource, nth }), ...fault };
  });
}

function onDelivery(
  on: Schema<unknown>,
  actions: readonly DeliveryFaultAction[],
): Schema<DeliveryFaultInput> {
  const fields = object('a fault on a delivery', {
    on,
    eventType: named('event', nullish(EVENT_PATTERN, null)),
    endpoint: nullish(TARGET),
    attempt: nullish(VALUES.attempt, null),
    ...AIM,
    action: oneOf(actions),
    ...detailsFrom(STATUS_MIN),
  });
  return map(fields, ({ on: _on, eventType, endpoint, attempt, code, resource, nth, ...fault }) => {
    const named = { endpointId: null, ...endpoint };
    const match = { on: 'delivery', eventType, ...named, attempt, code, resource, nth } as const;
    return { match: onlyGiven(match), ...fault };
  });
}

const IMPLIED = absent('Follows from the action.');
const IMPLIED_CALL = onCall(IMPLIED, CALL_ACTIONS.filter(isOfOne));
const IMPLIED_DELIVERY = onDelivery(IMPLIED, DELIVERY_ACTIONS.filter(isOfOne));
const ON = oneOf(['call', 'delivery']);
const ON_CALL = onCall(oneOf(['call']), CALL_ACTIONS);
const ON_DELIVERY = onDelivery(oneOf(['delivery']), DELIVERY_ACTIONS);

/**
 * A fault as JSON: `{on?, action, …}`. `on` is `call` or `delivery` and may be left out where only one of
 * them knows the action. Calls are matched by door, method and path, deliveries by event, endpoint and
 * attempt.
 */
export const FAULT: Schema<FaultInput> = choose(
  BODY,
  [IMPLIED_CALL, IMPLIED_DELIVERY, ON_CALL, ON_DELIVERY],
  (value, reading) => {
    if (!isObject(value)) return reading.expected(BODY, value);
    const on = reading.field(value, 'on');
    if (on === 'call') return ON_CALL;
    if (on === 'delivery') return ON_DELIVERY;
    if (on !== undefined) return reading.note({ kind: 'value', expected: ON.what, got: on }, 'on');
    const action = reading.field(value, 'action');
    if (action === undefined) {
      return reading.note({ kind: 'missing', owner: BODY, expected: ACTION.what }, 'action');
    }
    const known = ACTION.known?.find((one) => one === action);
    if (known === undefined) {
      return reading.note({ kind: 'value', expected: ACTION.what, got: action }, 'action');
    }
    if (isOfOne(known)) return known in CALL_FAULTS ? IMPLIED_CALL : IMPLIED_DELIVERY;
    const says = `Is required, because calls and deliveries both know ${known}: call or delivery.`;
    return reading.note({ kind: 'rule', says }, 'on');
  },
);

/** A fault on the deliveries of one listener, whose endpoint is filled in. */
export const LISTENER_FAULT = onDelivery(optional(oneOf(['delivery'])), DELIVERY_ACTIONS);
