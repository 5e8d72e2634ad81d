import type { NewFault, NewTrigger } from '../../client/routes.js';
import { SandboxError } from '../../client/control.js';
import { CUSTOMER_TYPES, type CustomerType, EVENT_TYPES, type EventType } from '../../contract/enums.js';
import { PAYMENT_FIELDS } from '../../contract/fields.js';
import { FAILURE_REASONS } from '../../contract/enums.js';
import { CALL_ROUTES, FAULT_DOORS } from '../../contract/fault-kinds.js';
import { type FaultField, FAULTS, RESTART_MOMENTS } from '../../contract/fault-kinds.js';
import { announcedBy, isDecision, movesFrom, type PaymentKind } from '../../contract/transitions.js';
import {
  eventsOf,
  TRIGGER_NAMES,
  TRIGGER_OPTIONS,
  type TriggerOption,
  type TriggerValues,
} from '../../contract/trigger-options.js';
import type { AppView, SessionView } from '../../http/control/schema.js';
import type { CallView } from '../../http/control/exchanges.js';
import { globMeetsRoute } from '../../text/globs.js';
import { type Pairs, readOverrides, readPairs } from '../../text/overrides.js';
import { type Name, words } from '../words.js';
import type { Action, OptionValue, PaymentMove } from './actions.js';
import { clock, commandLine, deliveries, endpoints, faults, identity, scenarios, state } from './actions.js';
import { EVENT_PATTERNS } from './rows.js';

export type Values = Readonly<Record<string, string>>;

export type Choice = readonly [value: string, label: string, group?: string];

/** A field of a form: its name in the request, its texts, and what it accepts. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly help?: string | undefined;
  readonly input: 'text' | 'number' | 'lines' | 'flag' | 'choice' | 'checks';
  readonly initial?: string | undefined;
  readonly isRequired?: boolean | undefined;
  readonly placeholder?: string | undefined;
  readonly rows?: number | undefined;
  readonly choices?: readonly Choice[] | undefined;
  readonly suggestions?: readonly string[] | undefined;
}

interface Prepared<Result = unknown> extends Action<Result> {
  /** By field, what keeps it from being done. */
  readonly problems?: Readonly<Record<string, string>> | undefined;
  /** Asked before it is done. */
  readonly asks?: string | undefined;
}

/** A form as data: its fields may depend on their contents. */
export interface FormSpec<Result = unknown> {
  readonly id: string;
  readonly send: string;
  readonly fields: (values: Values) => readonly Field[];
  readonly prepare: (values: Values) => Prepared<Result>;
}

/** Input of the visible fields: undefined if empty, numbers, flags, lists of lines and checkboxes. */
type Input = Readonly<Record<string, OptionValue>>;

function inputOf(fields: readonly Field[], values: Values): Input {
  const entries = fields.map(({ name, input }): [string, OptionValue] => {
    const text = values[name]?.trim() || undefined;
    if (input === 'flag') return [name, values[name] !== undefined || undefined];
    if (input === 'number') return [name, text && numberOrText(text)];
    if (input === 'lines') return [name, text?.split(/\r?\n/).filter((line) => line.trim() !== '')];
    return [name, input === 'checks' ? (text?.split(',') ?? []) : text];
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Reads a number; any other text is sent as it is, for the sandbox to refuse. */
function numberOrText(text: string): string | number {
  return /^-?\d+(?:[.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : text;
}

type Fields = readonly Field[] | ((values: Values) => readonly Field[]);

function formSpec<Result>(
  id: string,
  send: string,
  fields: Fields,
  prepare: (input: Input, values: Values) => Prepared<Result>,
): FormSpec<Result> {
  const fieldsOf = typeof fields === 'function' ? fields : () => fields;
  return {
    id,
    send,
    fields: fieldsOf,
    prepare: (values) => prepare(inputOf(fieldsOf(values), values), values),
  };
}

const field = (name: Name, more: Partial<Field> = {}): Field => ({
  name,
  label: words.names[name],
  input: 'text',
  ...more,
});

const helped = (name: Name & keyof typeof words.helps, more: Partial<Field> = {}): Field =>
  field(name, { help: words.helps[name], ...more });

const choice = (name: Name, choices: readonly Choice[], more: Partial<Field> = {}): Field =>
  field(name, { input: 'choice', choices, ...more });

export function choicesOf(values: readonly string[]): Choice[] {
  return values.map((value) => [value, value]);
}

/** Refusal of a form: by field, and the rest. */
export interface Failure {
  readonly byField: Readonly<Record<string, string>>;
  readonly rest: string;
}

/** Assigns a refusal to its fields; fields of a nested object count as fields of the form. */
export function failureOf(error: unknown, fields: readonly Pick<Field, 'name'>[]): Failure {
  if (!(error instanceof SandboxError))
    return { byField: {}, rest: error instanceof Error ? error.message : String(error) };
  const byField: Record<string, string> = {};
  const others: string[] = [];
  for (const { field: path, message } of error.details) {
    const name = fields.find((one) => path === one.name || path === `with.${one.name}`)?.name;
    if (name === undefined) others.push(`${path}: ${message}`);
    else byField[name] = [byField[name], message].filter(Boolean).join(' ');
  }
  const isAssigned = error.details.length > 0 && others.length === 0;
  const texts = isAssigned ? [] : [error.body.message, ...others];
  return { byField, rest: [...texts, error.hint].filter(Boolean).join(' ') };
}

/** The applications to choose from, by their unique name or id; none where there is only one. */
export function appChoices(apps: readonly Pick<AppView, 'id' | 'name'>[] = []): Choice[] {
  if (apps.length < 2) return [];
  const isUnique = (name: string) => apps.filter((one) => one.name === name).length === 1;
  return apps.map(({ id, name }) => [isUnique(name) ? name : id, name]);
}

/** The field for an application: without a choice, a new row belongs to the first, an existing one to any. */
export function appFields(apps: readonly Choice[], isNew = true): Field[] {
  if (apps.length === 0) return [];
  const ofNew = apps.map(([value, name], index): Choice => [index === 0 ? '' : value, name]);
  return [choice('app', isNew ? ofNew : [['', words.any], ...apps])];
}

function paymentFields(payment: PaymentKind, amount?: string): Field[] {
  const own = Object.keys(PAYMENT_FIELDS.own[payment]) as (keyof typeof words.helps)[];
  return [
    helped('amount', { initial: amount }),
    helped('code'),
    ...own.map((name) => helped(name)),
    helped('metadata', { input: 'lines' }),
  ];
}

function readLines<Value>(input: Input, name: string, read: (lines: readonly string[]) => Pairs<Value>) {
  const lines = input[name];
  const result = Array.isArray(lines) ? read(lines) : { values: undefined };
  if ('values' in result) return { values: result.values, problems: {} };
  return { values: undefined, problems: { [name]: [result.problem, result.hint].filter(Boolean).join(' ') } };
}

/** Creates a charge or a withdrawal. Without an amount, the command would ask for one. */
export function paymentForm(
  payment: PaymentKind,
  apps: readonly Choice[] = [],
): FormSpec<{ readonly id: string }> {
  const fields = [...paymentFields(payment, '10.00'), ...appFields(apps)];
  return formSpec<{ readonly id: string }>(payment, words.payments.send[payment], fields, (input) => {
    const { app, ...row } = input;
    const { values: metadata, problems } = readLines(input, 'metadata', readPairs);
    const given = { app: app as string, body: { ...row, metadata } };
    return {
      command: commandLine(`${payment}s create`, [], input),
      run: (client) => client.post(`${payment}s` as 'charges', given),
      problems: row['amount'] === undefined ? { ...problems, amount: words.amountNeeded } : problems,
    };
  });
}

/** Words to choose with their meanings; `none` is the label of no choice. */
function explained(none: string, meanings: Readonly<Record<string, string>>): Choice[] {
  return [['', none], ...Object.entries(meanings).map(([word, text]): Choice => [word, `${word} ${text}`])];
}

/** Fails a payment for a reason; `none` is the label of no choice. */
export function failureForm({ button, action }: PaymentMove, none: string): FormSpec {
  return formSpec(
    'move',
    words.payments.button(button),
    [choice('reason', explained(none, FAILURE_REASONS))],
    ({ reason }) => action(reason as string),
  );
}

function triggerField(name: keyof TriggerValues, suggestions?: readonly string[]): Field {
  const { kind, choices = {} }: TriggerOption = TRIGGER_OPTIONS[name];
  const inputs = {
    text: { suggestions },
    flag: { input: 'flag' },
    choice: { input: 'choice', choices: explained(words.byDefault, choices) },
    count: { input: 'number' },
    overrides: { input: 'lines', help: `${words.helps[name]} ${words.onEachLine}` },
  } as const satisfies Readonly<Record<typeof kind, Partial<Field>>>;
  return helped(name, inputs[kind]);
}

export function triggerForm(
  apps: readonly Choice[] = [],
  codes: (payment: PaymentKind) => readonly string[] = () => [],
): FormSpec {
  const fields = (values: Values) => {
    const type = (values['type'] ?? EVENT_TYPES[0]) as EventType;
    const { kind: subject } = announcedBy(type);
    const isNew = !values[subject]?.trim();
    const names = TRIGGER_NAMES.filter((name) => name !== subject && eventsOf(name).includes(type));
    return [
      choice('type', choicesOf(EVENT_TYPES)),
      triggerField(subject, codes(subject)),
      ...(isNew ? paymentFields(subject) : []),
      ...appFields(apps, isNew),
      ...names.map((name) => triggerField(name)),
    ];
  };
  return formSpec('trigger', words.trigger.send, fields, (input) => {
    const { values: metadata, problems } = readLines(input, 'metadata', readPairs);
    const { values: override, problems: others } = readLines(input, 'override', readOverrides);
    const isOption = ([name]: readonly [string, unknown]) => ['type', 'app', ...TRIGGER_NAMES].includes(name);
    const entries = Object.entries({ ...input, metadata, override });
    const created = entries.filter((entry) => !isOption(entry) && entry[1] !== undefined);
    const fields = created.length > 0 ? Object.fromEntries(created) : undefined;
    const body = { ...Object.fromEntries(entries.filter(isOption)), with: fields } as NewTrigger;
    return {
      command: commandLine('trigger', [body.type], { ...input, type: undefined }),
      run: (client) => client.post('trigger', { body }),
      problems: { ...problems, ...others },
    };
  });
}

export function clockForms(): FormSpec[] {
  const { clock: texts } = words;
  return [
    formSpec('clock-by', texts.advance, [helped('by', { initial: '1h' })], ({ by = '' }) =>
      clock.advance(by as string),
    ),
    formSpec('clock-at', texts.stop, [helped('freeze_at', { name: 'at' })], ({ at }) =>
      clock.freeze(at as string),
    ),
    formSpec('clock-rate', texts.setRate, [helped('rate', { initial: '60', input: 'number' })], ({ rate }) =>
      clock.speed(rate as number),
    ),
  ];
}

export function endpointForm(apps: readonly Choice[]) {
  const label = `${words.names.events} (${words.endpoints.allEvents})`;
  const fields = [
    field('url', { isRequired: true, placeholder: 'https://shop.example/webhooks' }),
    field('description'),
    choice('events', choicesOf(EVENT_TYPES), { input: 'checks', label }),
    ...appFields(apps),
  ];
  return formSpec('endpoint', words.add, fields, endpoints.create);
}

export function sessionForm(apps: readonly Choice[]): FormSpec {
  const fields = [choice('customer_type', choicesOf(CUSTOMER_TYPES)), ...appFields(apps)];
  return formSpec('session', words.identity.create, fields, ({ customer_type: type, app }) =>
    identity.create(type as CustomerType, app as string),
  );
}

/** Decides a session, or reports an error before a decision; undefined for a decided session. */
export function decisionForm(session: SessionView): FormSpec | undefined {
  const { identity: texts } = words;
  const statuses = choicesOf(movesFrom('session', session.status).filter((name) => name !== 'begin'));
  if (statuses.length === 0) return undefined;
  const error: Choice[] = isDecision(session.status) ? [] : [['', texts.anError]];
  const fields = ({ status }: Values) => [
    choice('status', [...statuses, ...error], { label: texts.decision }),
    ...(status === ''
      ? [field('error', { label: texts.error, placeholder: 'CAMERA_DENIED', isRequired: true })]
      : [
          field('document', { label: texts.document, placeholder: '529.982.247-25' }),
          field('delay', { label: texts.delay, placeholder: '5m' }),
        ]),
  ];
  return formSpec('decision', texts.decide, fields, (input) => identity.decide(session.id, input));
}

export function saveForm(names: readonly string[]): FormSpec {
  return formSpec('save', words.saved.save, [helped('name', { isRequired: true })], (input) => {
    const name = String(input['name'] ?? '');
    return { ...state.save(name), asks: names.includes(name) ? words.saved.saveAsks(name) : undefined };
  });
}

export function compareForm(names: readonly string[]) {
  const states = choicesOf(names);
  const fields = [choice('from', states), choice('to', [['', words.now], ...states])];
  return formSpec('compare', words.saved.compare, fields, ({ from, to }) =>
    state.compare(from as string, to as string),
  );
}

export function recordForm() {
  return formSpec('record', words.scenarios.record, [field('name')], ({ name }) =>
    scenarios.record(name as string),
  );
}

export function resendForm(id: string, active: readonly Choice[]): FormSpec {
  const { detail, names } = words;
  const fields = [choice('endpoint', [['', detail.toAll], ...active], { label: names.to })];
  return formSpec('resend', detail.resend, fields, ({ endpoint }) =>
    deliveries.resend(id, endpoint as string),
  );
}

export function replayForm(id: string, body: string) {
  const fields = [
    field('body', { input: 'lines', rows: 12, initial: body }),
    field('new_code', { input: 'flag' }),
  ];
  return formSpec('replay', words.detail.send, fields, ({ new_code: newCode }, values) =>
    deliveries.replay(id, { body: values['body'] ?? '', newCode: newCode === true }),
  );
}

const ROUTES = Object.values(CALL_ROUTES).flat();

/** The path of a route as a pattern: `*` for each part that varies. */
const patternOf = (route: string) => (route.split(' ')[1] ?? '').replaceAll(/:\w+/g, '*');

const METHODS = [...new Set(ROUTES.map((route) => route.split(' ')[0] ?? ''))];
const PATHS = [...new Set(ROUTES.map(patternOf))];

/** The page that adds a fault for requests like this one; undefined where no fault can affect it. */
export function faultPage(call: Pick<CallView, 'door' | 'method' | 'path'>): string | undefined {
  const door = FAULT_DOORS.find((one) => one === call.door);
  const method = call.method === 'HEAD' ? 'GET' : call.method;
  const routes: readonly string[] = door === undefined ? [] : CALL_ROUTES[door];
  const route = routes.find((one) => {
    const [verb, path = ''] = one.split(' ');
    return verb === method && globMeetsRoute(call.path.split('?')[0] ?? '', path);
  });
  if (route === undefined) return undefined;
  return `/faults?${new URLSearchParams({ door: call.door, method, path: patternOf(route) }).toString()}`;
}

/** Adds a fault; asks only for what the chosen one accepts. `wanted` fills in what it matches. */
export function faultForm(targets: readonly Choice[], wanted: URLSearchParams): FormSpec {
  const fields = (values: Values) => faultFields(values, targets, wanted);
  return formSpec('fault', words.add, fields, ({ fault = '', ...rest }) => {
    const [on, action] = String(fault).split(' ');
    return faults.add({ action, on, ...rest } as NewFault);
  });
}

function faultFields(values: Values, targets: readonly Choice[], wanted: URLSearchParams): Field[] {
  const kinds = (['call', 'delivery'] as const).flatMap((side) =>
    Object.entries(FAULTS[side]).map(([kind, { meaning }]): Choice => [
      `${side} ${kind}`,
      `${kind}: ${meaning}`,
      words.faults[side],
    ]),
  );
  const [on, action = ''] = (values['fault'] ?? kinds[0]?.[0] ?? '').split(' ');
  const text = (name: Name, more: Partial<Field> = {}) =>
    field(name, { placeholder: words.any, initial: wanted.get(name) ?? undefined, ...more });
  const list = (name: Name, of: readonly Choice[]) =>
    text(name, { input: 'choice', choices: [['', words.any], ...of] });
  const number = (name: Name, placeholder = words.any) => text(name, { input: 'number', placeholder });
  const own: Readonly<Record<FaultField, Field>> = {
    status: number('status', '503'),
    delay: text('delay', { placeholder: '1s' }),
    copies: number('copies', '1'),
    parallel: field('parallel', { input: 'flag' }),
    when: list('when', choicesOf(RESTART_MOMENTS)),
  };
  const target =
    on === 'call'
      ? [
          list('door', choicesOf(FAULT_DOORS)),
          list('method', choicesOf(METHODS)),
          text('path', { suggestions: PATHS }),
        ]
      : [text('event', { suggestions: EVENT_PATTERNS }), list('endpoint', targets), number('attempt')];
  const { fields = [] } = FAULTS[on === 'call' ? 'call' : 'delivery'][action] ?? {};
  return [
    choice('fault', kinds),
    ...target,
    text('code'),
    number('resource'),
    number('nth'),
    ...fields.map((name) => own[name]),
    number('count', words.faults.unlimited),
    number('probability', '1'),
  ];
}
