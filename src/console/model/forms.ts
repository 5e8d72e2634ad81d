import type { NewFault, NewTrigger } from '../../client/routes.js';
import { SandboxError } from '../../client/control.js';
import { CUSTOMER_TYPES, type CustomerType, EVENT_TYPES, type EventType } from '../../contract/enums.js';
import { PAYMENT_FIELDS } from '../../contract/fields.js';
import { listReasons } from '../../contract/enums.js';
import { CALL_ROUTES, FAULT_APIS } from '../../contract/fault-kinds.js';
import { type FaultField, FAULTS, RESTART_MOMENTS } from '../../contract/fault-kinds.js';
import { describeEvent, isDecision, listMoves, type PaymentKind } from '../../contract/transitions.js';
import {
  listOptionEvents,
  TRIGGER_NAMES,
  TRIGGER_OPTIONS,
  type TriggerOption,
  type TriggerValues,
} from '../../contract/trigger-options.js';
import type { AppView, SessionView } from '../../http/control/schema.js';
import type { CallView } from '../../http/control/exchanges.js';
import { matchesRoute } from '../../text/globs.js';
import { type ParsedPairs, readOverrides, readPairs } from '../../text/overrides.js';
import { type FieldName, consoleTexts } from '../words.js';
import type { Action, OptionValue, PaymentMove } from './actions.js';
import {
  clockActions,
  formatCommandLine,
  deliveryActions,
  endpointActions,
  faultActions,
  identityActions,
  scenarioActions,
  stateActions,
} from './actions.js';
import { EVENT_PATTERNS } from './rows.js';

export type FormValues = Readonly<Record<string, string>>;

export type FieldChoice = readonly [value: string, label: string, group?: string];

/** A form field. `name` is the field's name in the request. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly help?: string | undefined;
  readonly input: 'text' | 'number' | 'lines' | 'flag' | 'choice' | 'checks';
  readonly initial?: string | undefined;
  readonly isRequired?: boolean | undefined;
  /** Shown only on request, below the other fields. */
  readonly isMore?: boolean | undefined;
  readonly placeholder?: string | undefined;
  readonly rows?: number | undefined;
  readonly choices?: readonly FieldChoice[] | undefined;
  readonly suggestions?: readonly string[] | undefined;
}

interface PreparedAction<Result = unknown> extends Action<Result> {
  /** Problems that prevent submission, by field. */
  readonly problems?: Readonly<Record<string, string>> | undefined;
  /** Confirmation question asked before submission. */
  readonly asks?: string | undefined;
}

/** A declarative form. Fields can depend on the entered values. */
export interface FormSpec<Result = unknown> {
  readonly id: string;
  readonly send: string;
  readonly fields: (values: FormValues) => readonly FormField[];
  readonly prepare: (values: FormValues) => PreparedAction<Result>;
}

/** Parsed input of the visible, non-empty fields. */
type Input = Readonly<Record<string, OptionValue>>;

function inputOf(fields: readonly FormField[], values: FormValues): Input {
  const entries = fields.map(({ name, input }): [string, OptionValue] => {
    const text = values[name]?.trim() || undefined;
    if (input === 'flag') return [name, values[name] !== undefined || undefined];
    if (input === 'number') return [name, text && numberOrText(text)];
    if (input === 'lines') return [name, text?.split(/\r?\n/).filter((line) => line.trim() !== '')];
    return [name, input === 'checks' ? (text?.split(',') ?? []) : text];
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Parses a number. Leaves other text unchanged, so that the sandbox reports the error. */
function numberOrText(text: string): string | number {
  return /^-?\d+(?:[.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : text;
}

type Fields = readonly FormField[] | ((values: FormValues) => readonly FormField[]);

function formSpec<Result>(
  id: string,
  send: string,
  fields: Fields,
  prepare: (input: Input, values: FormValues) => PreparedAction<Result>,
): FormSpec<Result> {
  const fieldsOf = typeof fields === 'function' ? fields : () => fields;
  return {
    id,
    send,
    fields: fieldsOf,
    prepare: (values) => prepare(inputOf(fieldsOf(values), values), values),
  };
}

/** Marks fields as shown only on request. */
const more = (fields: readonly FormField[]): FormField[] => fields.map((one) => ({ ...one, isMore: true }));

const field = (name: FieldName, more: Partial<FormField> = {}): FormField => ({
  name,
  label: consoleTexts.names[name],
  input: 'text',
  ...more,
});

const fieldWithHelp = (
  name: FieldName & keyof typeof consoleTexts.helps,
  more: Partial<FormField> = {},
): FormField => field(name, { help: consoleTexts.helps[name], ...more });

const choice = (name: FieldName, choices: readonly FieldChoice[], more: Partial<FormField> = {}): FormField =>
  field(name, { input: 'choice', choices, ...more });

export function toChoices(values: readonly string[]): FieldChoice[] {
  return values.map((value) => [value, value]);
}

/** Errors of a rejected form, by field if possible. */
export interface FormFailure {
  readonly byField: Readonly<Record<string, string>>;
  readonly rest: string;
}

/** Assigns errors to form fields, including fields of a nested object. */
export function toFormFailure(error: unknown, fields: readonly Pick<FormField, 'name'>[]): FormFailure {
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

/** Lists applications by name if unique, otherwise by id. Returns no choices for a single application. */
export function toAppChoices(apps: readonly Pick<AppView, 'id' | 'name'>[] = []): FieldChoice[] {
  if (apps.length < 2) return [];
  const isUnique = (name: string) => apps.filter((one) => one.name === name).length === 1;
  return apps.map(({ id, name }) => [isUnique(name) ? name : id, name]);
}

/**
 * Creates the application field. The default is the first application for new rows, and any application for
 * existing rows.
 */
export function createAppFields(apps: readonly FieldChoice[], isNew = true): FormField[] {
  if (apps.length === 0) return [];
  const ofNew = apps.map(([value, name], index): FieldChoice => [index === 0 ? '' : value, name]);
  return [choice('app', isNew ? ofNew : [['', consoleTexts.any], ...apps])];
}

function paymentFields(payment: PaymentKind, amount?: string): FormField[] {
  const own = Object.keys(PAYMENT_FIELDS.own[payment]) as (keyof typeof consoleTexts.helps)[];
  return [
    fieldWithHelp('amount', { initial: amount }),
    fieldWithHelp('code'),
    ...more([...own.map((name) => fieldWithHelp(name)), fieldWithHelp('metadata', { input: 'lines' })]),
  ];
}

function readLines<Value>(
  input: Input,
  name: string,
  read: (lines: readonly string[]) => ParsedPairs<Value>,
) {
  const lines = input[name];
  const result = Array.isArray(lines) ? read(lines) : { values: undefined };
  if ('values' in result) return { values: result.values, problems: {} };
  return { values: undefined, problems: { [name]: [result.problem, result.hint].filter(Boolean).join(' ') } };
}

/**
 * Creates the form for a new charge or withdrawal. Requires an amount, because the command would prompt for
 * it.
 */
export function createPaymentForm(
  payment: PaymentKind,
  apps: readonly FieldChoice[] = [],
): FormSpec<{ readonly id: string }> {
  const fields = [...paymentFields(payment, '10.00'), ...createAppFields(apps)];
  return formSpec<{ readonly id: string }>(payment, consoleTexts.payments.send[payment], fields, (input) => {
    const { app, ...row } = input;
    const { values: metadata, problems } = readLines(input, 'metadata', readPairs);
    const given = { app: app as string, body: { ...row, metadata } };
    return {
      command: formatCommandLine(`${payment}s create`, [], input),
      run: (client) => client.post(`${payment}s` as 'charges', given),
      problems: row['amount'] === undefined ? { ...problems, amount: consoleTexts.amountNeeded } : problems,
    };
  });
}

/** Lists choices with their meanings. `none` labels the empty choice. */
function toDescribedChoices(none: string, meanings: Readonly<Record<string, string>>): FieldChoice[] {
  return [
    ['', none],
    ...Object.entries(meanings).map(([word, text]): FieldChoice => [word, `${word} ${text}`]),
  ];
}

/** Creates the form that fails a payment with a reason. `none` labels the empty choice. */
export function createFailureForm({ name, button, action }: PaymentMove, none: string): FormSpec {
  return formSpec(
    'move',
    consoleTexts.payments.button(button),
    [choice('reason', toDescribedChoices(none, listReasons(name)))],
    ({ reason }) => action(reason as string),
  );
}

function triggerField(name: keyof TriggerValues, suggestions?: readonly string[]): FormField {
  const { kind, choices = {} }: TriggerOption = TRIGGER_OPTIONS[name];
  const inputs = {
    text: { suggestions },
    flag: { input: 'flag' },
    choice: { input: 'choice', choices: toDescribedChoices(consoleTexts.byDefault, choices) },
    count: { input: 'number' },
    overrides: { input: 'lines', help: `${consoleTexts.helps[name]} ${consoleTexts.onEachLine}` },
  } as const satisfies Readonly<Record<typeof kind, Partial<FormField>>>;
  return fieldWithHelp(name, { ...inputs[kind], isMore: kind === 'count' || kind === 'overrides' });
}

export function createTriggerForm(
  apps: readonly FieldChoice[] = [],
  codes: (payment: PaymentKind) => readonly string[] = () => [],
): FormSpec {
  const fields = (values: FormValues) => {
    const type = (values['type'] ?? EVENT_TYPES[0]) as EventType;
    const { kind: subject } = describeEvent(type);
    const isNew = !values[subject]?.trim();
    const names = TRIGGER_NAMES.filter((name) => name !== subject && listOptionEvents(name).includes(type));
    return [
      choice('type', toChoices(EVENT_TYPES)),
      triggerField(subject, codes(subject)),
      ...(isNew ? paymentFields(subject) : []),
      ...names.map((name) => triggerField(name)),
      ...more(createAppFields(apps, isNew)),
    ];
  };
  return formSpec('trigger', consoleTexts.trigger.send, fields, (input) => {
    const { values: metadata, problems } = readLines(input, 'metadata', readPairs);
    const { values: override, problems: others } = readLines(input, 'override', readOverrides);
    const isOption = ([name]: readonly [string, unknown]) => ['type', 'app', ...TRIGGER_NAMES].includes(name);
    const entries = Object.entries({ ...input, metadata, override });
    const created = entries.filter((entry) => !isOption(entry) && entry[1] !== undefined);
    const fields = created.length > 0 ? Object.fromEntries(created) : undefined;
    const body = { ...Object.fromEntries(entries.filter(isOption)), with: fields } as NewTrigger;
    return {
      command: formatCommandLine('trigger', [body.type], { ...input, type: undefined }),
      run: (client) => client.post('trigger', { body }),
      problems: { ...problems, ...others },
    };
  });
}

export function createClockForms(): FormSpec[] {
  const { clock: texts } = consoleTexts;
  return [
    formSpec('clock-by', texts.advance, [fieldWithHelp('by', { initial: '1h' })], ({ by = '' }) =>
      clockActions.advance(by as string),
    ),
    formSpec('clock-at', texts.stop, [fieldWithHelp('freeze_at', { name: 'at' })], ({ at }) =>
      clockActions.freeze(at as string),
    ),
    formSpec(
      'clock-rate',
      texts.setRate,
      [fieldWithHelp('rate', { initial: '60', input: 'number' })],
      ({ rate }) => clockActions.speed(rate as number),
    ),
  ];
}

export function createEndpointForm(apps: readonly FieldChoice[]) {
  const label = `${consoleTexts.names.events} (${consoleTexts.endpoints.allEvents})`;
  const fields = [
    field('url', { isRequired: true, placeholder: 'https://shop.example/webhooks' }),
    field('description'),
    choice('events', toChoices(EVENT_TYPES), { input: 'checks', label }),
    ...createAppFields(apps),
  ];
  return formSpec('endpoint', consoleTexts.add, fields, endpointActions.create);
}

export function createSessionForm(apps: readonly FieldChoice[]): FormSpec<{ readonly id: string }> {
  const fields = [choice('customer_type', toChoices(CUSTOMER_TYPES)), ...createAppFields(apps)];
  return formSpec('session', consoleTexts.identity.create, fields, ({ customer_type: type, app }) =>
    identityActions.create(type as CustomerType, app as string),
  );
}

/** Lists the decisions allowed for a session status. */
export function listDecisions(status: string): string[] {
  return listMoves('session', status).filter((name) => name !== 'begin');
}

/**
 * Creates the form that decides a session or reports an error instead. Returns undefined for a decided
 * session.
 */
export function createDecisionForm(session: SessionView): FormSpec | undefined {
  const { identity: texts } = consoleTexts;
  const statuses = toChoices(listDecisions(session.status));
  if (statuses.length === 0) return undefined;
  const error: FieldChoice[] = isDecision(session.status) ? [] : [['', texts.anError]];
  const fields = ({ status }: FormValues) => [
    choice('status', [...statuses, ...error], { label: texts.decision }),
    ...(status === ''
      ? [field('error', { label: texts.error, placeholder: 'CAMERA_DENIED', isRequired: true })]
      : [
          field('document', { label: texts.document, placeholder: '529.982.247-25' }),
          field('delay', { label: texts.delay, placeholder: '5m' }),
        ]),
  ];
  return formSpec('decision', texts.decide, fields, (input) => identityActions.decide(session.id, input));
}

export function createSaveForm(names: readonly string[]): FormSpec {
  const fields = [fieldWithHelp('name', { isRequired: true, initial: `state-${names.length + 1}` })];
  return formSpec('save', consoleTexts.saved.save, fields, (input) => {
    const name = String(input['name'] ?? '');
    return {
      ...stateActions.save(name),
      asks: names.includes(name) ? consoleTexts.saved.confirmSave(name) : undefined,
    };
  });
}

export function createCompareForm(names: readonly string[]) {
  const states = toChoices(names);
  const fields = [choice('from', states), choice('to', [['', consoleTexts.now], ...states])];
  return formSpec('compare', consoleTexts.saved.compare, fields, ({ from, to }) =>
    stateActions.compare(from as string, to as string),
  );
}

export function createRecordForm() {
  return formSpec('record', consoleTexts.scenarios.record, [field('name')], ({ name }) =>
    scenarioActions.record(name as string),
  );
}

export function createResendForm(id: string, active: readonly FieldChoice[]): FormSpec {
  const { detail, names } = consoleTexts;
  const fields = [choice('endpoint', [['', detail.toAll], ...active], { label: names.to })];
  return formSpec('resend', detail.resend, fields, ({ endpoint }) =>
    deliveryActions.resend(id, endpoint as string),
  );
}

export function createReplayForm(id: string, body: string) {
  const fields = [
    field('body', { input: 'lines', rows: 12, initial: body }),
    field('new_code', { input: 'flag' }),
  ];
  return formSpec('replay', consoleTexts.detail.send, fields, ({ new_code: newCode }, values) =>
    deliveryActions.replay(id, { body: values['body'] ?? '', newCode: newCode === true }),
  );
}

const ROUTES = Object.values(CALL_ROUTES).flat();

/** Replaces a route's path parameters with `*`. */
const patternOf = (route: string) => (route.split(' ')[1] ?? '').replaceAll(/:\w+/g, '*');

const METHODS = [...new Set(ROUTES.map((route) => route.split(' ')[0] ?? ''))];
const PATHS = [...new Set(ROUTES.map(patternOf))];

/**
 * Returns the page that adds a fault for similar requests, or undefined if faults cannot affect this request.
 */
export function getFaultPage(call: Pick<CallView, 'api' | 'method' | 'path'>): string | undefined {
  const api = FAULT_APIS.find((one) => one === call.api);
  const method = call.method === 'HEAD' ? 'GET' : call.method;
  const routes: readonly string[] = api === undefined ? [] : CALL_ROUTES[api];
  const route = routes.find((one) => {
    const [verb, path = ''] = one.split(' ');
    return verb === method && matchesRoute(call.path.split('?')[0] ?? '', path);
  });
  if (route === undefined) return undefined;
  return `/faults?${new URLSearchParams({ api: call.api, method, path: patternOf(route) }).toString()}`;
}

/**
 * Creates the form for a new fault, with only the fields that the fault supports. `wanted` prefills matching
 * criteria.
 */
export function createFaultForm(targets: readonly FieldChoice[], wanted: URLSearchParams): FormSpec {
  const fields = (values: FormValues) => faultFields(values, targets, wanted);
  return formSpec('fault', consoleTexts.add, fields, ({ fault = '', ...rest }) => {
    const [on, action] = String(fault).split(' ');
    return faultActions.add({ action, on, ...rest } as NewFault);
  });
}

function faultFields(
  values: FormValues,
  targets: readonly FieldChoice[],
  wanted: URLSearchParams,
): FormField[] {
  const kinds = (['call', 'delivery'] as const).flatMap((side) =>
    Object.entries(FAULTS[side]).map(([kind, { meaning }]): FieldChoice => [
      `${side} ${kind}`,
      `${kind}: ${meaning}`,
      consoleTexts.faults[side],
    ]),
  );
  const [on, action = ''] = (values['fault'] ?? kinds[0]?.[0] ?? '').split(' ');
  const text = (name: FieldName, more: Partial<FormField> = {}) =>
    field(name, { placeholder: consoleTexts.any, initial: wanted.get(name) ?? undefined, ...more });
  const list = (name: FieldName, of: readonly FieldChoice[]) =>
    text(name, { input: 'choice', choices: [['', consoleTexts.any], ...of] });
  const number = (name: FieldName, placeholder = consoleTexts.any) =>
    text(name, { input: 'number', placeholder });
  const own: Readonly<Record<FaultField, FormField>> = {
    status: number('status', '503'),
    delay: text('delay', { placeholder: '1s' }),
    copies: number('copies', '1'),
    parallel: field('parallel', { input: 'flag' }),
    when: list('when', toChoices(RESTART_MOMENTS)),
  };
  const target =
    on === 'call'
      ? [
          list('api', toChoices(FAULT_APIS)),
          list('method', toChoices(METHODS)),
          text('path', { suggestions: PATHS }),
        ]
      : [text('event', { suggestions: EVENT_PATTERNS }), list('endpoint', targets), number('attempt')];
  const { fields = [] } = FAULTS[on === 'call' ? 'call' : 'delivery'][action] ?? {};
  const aim = [...target, text('code'), number('resource'), number('nth'), number('every')];
  const instant = { placeholder: '2030-01-01T00:00:00Z' };
  return [
    choice('fault', kinds),
    ...fields.map((name) => own[name]),
    number('count', consoleTexts.faults.unlimited),
    text('for', { placeholder: '10m' }),
    ...more([...aim, number('probability', '1'), text('from', instant), text('until', instant)]),
  ];
}
