import type { NewFault } from '../../client/routes.js';
import {
  CALL_FAULTS,
  CALL_ROUTES,
  DELIVERY_FAULTS,
  FAULT_DOORS,
  FAULT_FIELDS,
  RESTART_MOMENTS,
} from '../../contract/fault-kinds.js';
import { EVENT_TYPES } from '../../contract/enums.js';
import type { CallView } from '../../http/control/schema.js';
import { globMeetsRoute } from '../../text/globs.js';
import type { Words } from '../words/words.js';
import type { Choice, Field, FormContext, FormSpec, Values } from './forms.js';
import { choicesOf, defined, filled, numberOrText } from './forms.js';

type Side = 'call' | 'delivery';

const ROUTES = Object.values(CALL_ROUTES).flat();

/** The path of a route as a pattern: `*` for each part that varies. */
const patternOf = (route: string) => (route.split(' ')[1] ?? '').replaceAll(/:\w+/g, '*');

/** The methods and the paths of the requests that a fault can affect. */
export const METHODS = [...new Set(ROUTES.map((route) => route.split(' ')[0] ?? ''))];
export const PATHS = [...new Set(ROUTES.map(patternOf))];

/** The page that adds a fault for requests like this one; undefined where no fault can affect it. */
export function faultPage({
  door,
  method,
  path,
}: Pick<CallView, 'door' | 'method' | 'path'>): string | undefined {
  const known = FAULT_DOORS.find((one) => one === door);
  if (known === undefined) return undefined;
  const [bare = ''] = path.split('?');
  const verb = method === 'HEAD' ? 'GET' : method;
  const routes: readonly string[] = CALL_ROUTES[known];
  const route = routes.find((one) => {
    const [ownVerb, ownPath = ''] = one.split(' ');
    return ownVerb === verb && globMeetsRoute(bare, ownPath);
  });
  if (route === undefined) return undefined;
  return `/faults?${new URLSearchParams({ door, method: verb, path: patternOf(route) }).toString()}`;
}

const FIRST = 'call status';
const TEXTS = ['door', 'method', 'path', 'event', 'endpoint', 'delay', 'code', 'when'] as const;
const NUMBERS = ['attempt', 'status', 'copies', 'count', 'probability', 'resource', 'nth'] as const;

/** Adds a fault; asks only for what the chosen one accepts. `wanted` fills in what it matches. */
export function faultForm(
  { words, actions }: FormContext,
  endpoints: readonly Choice[],
  wanted: URLSearchParams,
): FormSpec {
  return {
    id: 'fault',
    send: words.faults.create,
    fields: (values) => faultFields(words, values, endpoints, wanted),
    prepare: (values) => {
      const [on, action = ''] = (values['fault'] ?? FIRST).split(' ') as [Side, string?];
      const numbers = NUMBERS.map((name) => {
        const text = filled(values, name);
        return [name, text === undefined ? undefined : numberOrText(text)];
      });
      const options = Object.fromEntries([...TEXTS.map((name) => [name, filled(values, name)]), ...numbers]);
      const parallel = values['parallel'] === undefined ? undefined : true;
      return actions.faults.add(defined({ action, on, ...options, parallel } as NewFault));
    },
  };
}

function faultFields(
  { faults }: Words,
  values: Values,
  endpoints: readonly Choice[],
  wanted: URLSearchParams,
): Field[] {
  const [on, action = ''] = (values['fault'] ?? FIRST).split(' ');
  const kinds = (side: Side, group: string, meanings: object) =>
    Object.entries(meanings).map(([kind, meaning]: [string, string]): Choice => [
      `${side} ${kind}`,
      `${kind}: ${meaning}`,
      group,
    ]);
  type Name = (typeof TEXTS)[number] | (typeof NUMBERS)[number];
  const text = (name: Name, placeholder = faults.any, more: Partial<Field> = {}): Field => ({
    name,
    label: faults[name],
    input: 'text',
    placeholder,
    initial: wanted.get(name) ?? undefined,
    ...more,
  });
  const choice = (name: Name, of: readonly Choice[]): Field =>
    text(name, undefined, { input: 'choice', choices: [['', faults.any], ...of] });
  const numeric = { inputMode: 'numeric' } as const;
  const target =
    on === 'call'
      ? [
          choice('door', choicesOf(FAULT_DOORS)),
          choice('method', choicesOf(METHODS)),
          text('path', undefined, { suggestions: PATHS }),
        ]
      : [
          text('event', undefined, { suggestions: [...EVENT_TYPES, 'pix.*', 'withdrawal.*'] }),
          choice('endpoint', endpoints),
          text('attempt', undefined, numeric),
        ];
  const own: Readonly<Record<keyof typeof FAULT_FIELDS, Field>> = {
    status: text('status', '503'),
    delay: text('delay', '1s'),
    copies: text('copies', '1'),
    parallel: { name: 'parallel', label: faults.parallel, input: 'flag' },
    when: choice('when', choicesOf(RESTART_MOMENTS)),
  };
  const hasField = (name: keyof typeof FAULT_FIELDS) =>
    (FAULT_FIELDS[name] as readonly string[]).includes(action);
  return [
    {
      name: 'fault',
      label: faults.action,
      input: 'choice',
      choices: [
        ...kinds('call', faults.calls, CALL_FAULTS),
        ...kinds('delivery', faults.deliveries, DELIVERY_FAULTS),
      ],
    },
    ...target,
    text('code'),
    text('resource', undefined, numeric),
    text('nth', undefined, numeric),
    ...(Object.keys(own) as (keyof typeof own)[]).filter(hasField).map((name) => own[name]),
    text('count', faults.unlimited, numeric),
    text('probability', '1', { inputMode: 'decimal' }),
  ];
}
