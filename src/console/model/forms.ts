import type { NewCharge, NewTrigger, NewWithdrawal } from '../../client/routes.js';
import { SandboxError } from '../../client/control.js';
import { CUSTOMER_TYPES, type CustomerType, EVENT_TYPES, FAILURE_REASONS } from '../../contract/enums.js';
import { movesFrom } from '../../contract/transitions.js';
import type { AppView, ChargeView, SessionView, WithdrawalView } from '../../http/control/schema.js';
import { readOverrides } from '../../text/overrides.js';
import type { Pairs } from '../../text/pairs.js';
import { readPairs } from '../../text/pairs.js';
import type { Words } from '../words/words.js';
import type { Action, actionsOf, PaymentMove } from './actions.js';
import { commandLine } from './actions.js';

/** The contents of a form's fields, by their names. */
export type Values = Readonly<Record<string, string>>;

export type Choice = readonly [value: string, label: string, group?: string];

/** A field of a form: its name in the request, its texts, and what it accepts. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly help?: string | undefined;
  readonly input: 'text' | 'lines' | 'flag' | 'choice' | 'checks';
  readonly initial?: string | undefined;
  readonly isRequired?: boolean | undefined;
  readonly placeholder?: string | undefined;
  readonly inputMode?: 'numeric' | 'decimal' | undefined;
  readonly rows?: number | undefined;
  readonly choices?: readonly Choice[] | undefined;
  readonly suggestions?: readonly string[] | undefined;
}

/** An action as its form is filled in. */
export interface Prepared<Result = unknown> extends Action<Result> {
  /** By field, what keeps it from being done. */
  readonly problems?: Readonly<Record<string, string>> | undefined;
  /** Asked before it is done. */
  readonly asks?: string | undefined;
}

/** A form as data: its fields may depend on what they hold. */
export interface FormSpec<Result = unknown> {
  /** Begins the ids of its fields. */
  readonly id: string;
  /** The label of its button. */
  readonly send: string;
  readonly fields: (values: Values) => readonly Field[];
  readonly prepare: (values: Values) => Prepared<Result>;
}

const text = (name: string, label: string, more: Partial<Field> = {}): Field => ({
  name,
  label,
  input: 'text',
  ...more,
});

const choice = (name: string, label: string, choices: readonly Choice[], more: Partial<Field> = {}): Field =>
  text(name, label, { input: 'choice', choices, ...more });

/** Choices whose labels are their values. */
export function choicesOf(values: readonly string[]): Choice[] {
  return values.map((value) => [value, value]);
}

export interface FormContext {
  readonly words: Words;
  readonly actions: ReturnType<typeof actionsOf>;
}

/** Why a form was refused: by field, and what belongs to no field. */
export interface Failure {
  readonly byField: Readonly<Record<string, string>>;
  readonly rest: string;
}

/** Assigns a refusal to the fields it names; those of a nested object are fields of the form. */
export function failureOf(error: unknown, fields: readonly Pick<Field, 'name'>[]): Failure {
  if (!(error instanceof SandboxError))
    return { byField: {}, rest: error instanceof Error ? error.message : String(error) };
  const byField: Record<string, string> = {};
  const others: string[] = [];
  for (const { field, message } of error.details) {
    const name = fields.find((one) => field === one.name || field === `with.${one.name}`)?.name;
    if (name === undefined) others.push(`${field}: ${message}`);
    else byField[name] = [byField[name], message].filter(Boolean).join(' ');
  }
  const isAssigned = error.details.length > 0 && others.length === 0;
  const texts = isAssigned ? [] : [error.body.message, ...others];
  return { byField, rest: [...texts, error.hint].filter(Boolean).join(' ') };
}

/** The trimmed text of a field; undefined where it is empty. */
export function filled(values: Values, name: string): string | undefined {
  return values[name]?.trim() || undefined;
}

function linesOf(values: Values, name: string): string[] {
  return (values[name] ?? '').split(/\r?\n/).filter((line) => line.trim() !== '');
}

/** Reads a number; any other text is sent as it is, for the sandbox to say what is wrong with it. */
export function numberOrText(text: string): number {
  return (/^-?\d+(?:[.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : text) as number;
}

function readLines<Value>(name: string, read: Pairs<Value>) {
  if ('values' in read) return { values: read.values, problems: {} };
  return { values: {}, problems: { [name]: [read.problem, read.hint].filter(Boolean).join(' ') } };
}

/** Leaves out what is undefined. */
export function defined<Row extends object>(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as Row;
}

/**
 * The applications to choose from; none where there is only one. One whose name is not unique goes by its
 * id.
 */
export function appChoices(apps: readonly Pick<AppView, 'id' | 'name'>[] = []): Choice[] {
  if (apps.length < 2) return [];
  const isUnique = (name: string) => apps.filter((one) => one.name === name).length === 1;
  return apps.map(({ id, name }) => [isUnique(name) ? name : id, name]);
}

/**
 * The field for an application: without a choice, a new row belongs to the first, and an existing one to
 * any.
 */
export function appFields({ payments, faults }: Words, apps: readonly Choice[], isNew: boolean): Field[] {
  if (apps.length === 0) return [];
  const { label, help } = payments.fields.app;
  const ofNew = apps.map(([value, name], index): Choice => [index === 0 ? '' : value, name]);
  return [choice('app', label, isNew ? ofNew : [['', faults.any], ...apps], { help })];
}

/** The same without a help text, for what is no payment. */
function plainAppFields(words: Words, apps: readonly Choice[]): Field[] {
  const [field] = appFields(words, apps, true);
  return field === undefined ? [] : [{ ...field, help: undefined }];
}

export type Payment = 'charge' | 'withdrawal';

const PAYMENT_FIELDS = {
  charge: ['amount', 'code', 'payer_name', 'payer_document'],
  withdrawal: ['amount', 'code', 'pix_key'],
} as const satisfies Record<Payment, readonly string[]>;

const USUAL_AMOUNT = '10.00';

function paymentFields({ payments: { fields } }: Words, payment: Payment, amount?: string): Field[] {
  const texts = PAYMENT_FIELDS[payment].map((name) => {
    const { label, help } = fields[name];
    return text(name, label, { help, initial: name === 'amount' ? amount : undefined });
  });
  return [...texts, text('metadata', fields.metadata.label, { input: 'lines', help: fields.metadata.help })];
}

/** A new payment as the body of its request, and as options of its command. */
function paymentInput(values: Values, payment: Payment) {
  const texts = PAYMENT_FIELDS[payment].map((name) => [name, filled(values, name)] as const);
  const lines = linesOf(values, 'metadata');
  const { values: metadata, problems } = readLines('metadata', readPairs(lines));
  const body: NewCharge & NewWithdrawal = defined({
    ...Object.fromEntries(texts),
    metadata: lines.length === 0 ? undefined : metadata,
  });
  return { body, options: { ...Object.fromEntries(texts), metadata: lines }, problems };
}

/** Creates a charge or a withdrawal. Without an amount, the command would ask for one. */
export function paymentForm(
  { words }: Pick<FormContext, 'words'>,
  payment: Payment,
  apps: readonly Choice[] = [],
): FormSpec<ChargeView | WithdrawalView> {
  const { payments } = words;
  return {
    id: payment,
    send: payments[payment].send,
    fields: () => [...paymentFields(words, payment, USUAL_AMOUNT), ...appFields(words, apps, true)],
    prepare: (values) => {
      const app = filled(values, 'app');
      const { body, options, problems } = paymentInput(values, payment);
      return {
        done: payments[payment].created,
        command: commandLine(`${payment}s create`, [], { ...options, app }),
        run: (client) =>
          payment === 'charge'
            ? client.post('charges', { app, body })
            : client.post('withdrawals', { app, body }),
        problems: body.amount === undefined ? { ...problems, amount: payments.amountNeeded } : problems,
      };
    },
  };
}

function reasonField({ payments }: Words, none: string): Field {
  const reasons = Object.entries(FAILURE_REASONS).map(([code, meaning]): Choice => [
    code,
    `${code} ${meaning}`,
  ]);
  const { label, help } = payments.fields.reason;
  return choice('reason', label, [['', none], ...reasons], { help });
}

/** Fails a payment for a reason; `none` is the label of no choice. */
export function failureForm({ words }: FormContext, { label, action }: PaymentMove, none: string): FormSpec {
  return {
    id: 'move',
    send: label,
    fields: () => [{ ...reasonField(words, none), help: undefined }],
    prepare: (values) => action(filled(values, 'reason')),
  };
}

/** What an event is about. */
function subjectOf(type: string): Payment {
  return type.startsWith('pix.') ? 'charge' : 'withdrawal';
}

/** Triggers an event of a new or an existing payment; fields of other events are ignored. */
export function triggerForm(
  { words }: Pick<FormContext, 'words'>,
  apps: readonly Choice[] = [],
  codes: (payment: Payment) => readonly string[] = () => [],
): FormSpec {
  const { fields, byDefault } = words.payments;
  const field = (name: keyof typeof fields, input: Field['input'], more: Partial<Field> = {}) =>
    text(name, fields[name].label, { help: fields[name].help, input, ...more });
  return {
    id: 'trigger',
    send: words.trigger.send,
    fields: (values) => {
      const type = values['type'] ?? EVENT_TYPES[0];
      const subject = subjectOf(type);
      const isNew = filled(values, subject) === undefined;
      return [
        field('type', 'choice', { choices: choicesOf(EVENT_TYPES) }),
        field(subject, 'text', { suggestions: codes(subject) }),
        ...(type.endsWith('.failed') ? [reasonField(words, byDefault)] : []),
        ...(type === 'pix.settled' ? [field('late', 'flag')] : []),
        ...(isNew ? paymentFields(words, subject) : []),
        ...appFields(words, apps, isNew),
        field('override', 'lines'),
        field('count', 'text'),
      ];
    },
    prepare: (values) => prepareTrigger(words, values),
  };
}

function prepareTrigger(words: Words, values: Values): Prepared {
  const type = filled(values, 'type') ?? '';
  const subject = subjectOf(type);
  const existing = filled(values, subject);
  const created = paymentInput(existing === undefined ? values : {}, subject);
  const reason = type.endsWith('.failed') ? filled(values, 'reason') : undefined;
  const late = (type === 'pix.settled' && values['late'] !== undefined) || undefined;
  const lines = linesOf(values, 'override');
  const override = readLines('override', readOverrides(lines));
  const count = filled(values, 'count');
  const app = filled(values, 'app');
  const body: NewTrigger = defined({
    type,
    [subject]: existing,
    with: Object.keys(created.body).length === 0 ? undefined : created.body,
    reason,
    late,
    override: lines.length === 0 ? undefined : override.values,
    count: count === undefined ? undefined : numberOrText(count),
    app,
  });
  const options = { [subject]: existing, ...created.options, reason, late, override: lines, count, app };
  return {
    done: words.trigger.done(type),
    command: commandLine('trigger', [type], options),
    run: (client) => client.post('trigger', { body }),
    problems: { ...created.problems, ...override.problems },
  };
}

/** The forms that move, stop and speed up the clock. */
export function clockForms({ words, actions: { clock } }: FormContext): FormSpec[] {
  const { time, fields } = words.payments;
  const freeze = (at: string): Prepared => ({
    done: time.frozenAt(at),
    command: commandLine('clock freeze', [at]),
    run: (client) => client.post('clock/freeze', { body: { at } }),
  });
  const forms: [keyof typeof fields, string, string, (value: string) => Prepared][] = [
    ['by', '1h', time.advance, (by) => clock.advance(by)],
    ['at', '', time.freeze, (at) => (at === '' ? clock.freeze : freeze(at))],
    ['rate', '60', time.setRate, (rate) => clock.speed(numberOrText(rate))],
  ];
  return forms.map(([name, initial, send, prepare]) => ({
    id: `clock-${name}`,
    send,
    fields: () => [text(name, fields[name].label, { help: fields[name].help, initial })],
    prepare: (values) => prepare(filled(values, name) ?? ''),
  }));
}

/** Registers an endpoint. */
export function endpointForm({ words, actions }: FormContext, apps: readonly Choice[]) {
  const { endpoints } = words;
  const eventsLabel = `${endpoints.events} (${endpoints.allEvents})`;
  const fields = [
    text('url', endpoints.url, { isRequired: true, placeholder: 'https://shop.example/webhooks' }),
    text('description', endpoints.description),
    choice('events', eventsLabel, choicesOf(EVENT_TYPES), { input: 'checks' }),
    ...plainAppFields(words, apps),
  ];
  return {
    id: 'endpoint',
    send: endpoints.create,
    fields: () => fields,
    prepare: (values: Values) =>
      actions.endpoints.create({
        url: filled(values, 'url') ?? '',
        events: filled(values, 'events')?.split(',') ?? [],
        description: filled(values, 'description'),
        app: filled(values, 'app'),
      }),
  };
}

/** Creates an identity session. */
export function sessionForm({ words, actions }: FormContext, apps: readonly Choice[]): FormSpec {
  const { identity } = words;
  const types = choice('type', identity.type, choicesOf(CUSTOMER_TYPES));
  return {
    id: 'session',
    send: identity.create,
    fields: () => [types, ...plainAppFields(words, apps)],
    prepare: (values) => actions.identity.create(values['type'] as CustomerType, filled(values, 'app')),
  };
}

/**
 * Decides a session as its status allows, or reports an error before it is decided; undefined for a decided
 * one.
 */
export function decisionForm({ words, actions }: FormContext, session: SessionView): FormSpec | undefined {
  const { identity } = words;
  const next = movesFrom('session', session.status);
  const statuses = choicesOf(next.filter((name) => name !== 'begin'));
  if (statuses.length === 0) return undefined;
  const error: Choice[] = session.status === 'under_review' ? [] : [['', identity.anError]];
  return {
    id: 'decision',
    send: identity.decide,
    fields: ({ status }) => [
      choice('status', identity.decision, [...statuses, ...error]),
      ...(status === ''
        ? [text('error', identity.error, { placeholder: 'CAMERA_DENIED', isRequired: true })]
        : [
            text('document', identity.document, { placeholder: '529.982.247-25' }),
            text('delay', identity.delay, { placeholder: '5m' }),
          ]),
    ],
    prepare: (values) => {
      const names = values['status'] === '' ? ['error'] : ['status', 'document', 'delay'];
      const decision = Object.fromEntries(names.map((name) => [name, filled(values, name)]));
      return actions.identity.decide(session.id, decision);
    },
  };
}

/** Saves the state under a name; asks before it replaces another one. */
export function saveForm({ words: { saved }, actions }: FormContext, names: readonly string[]): FormSpec {
  return {
    id: 'save',
    send: saved.save,
    fields: () => [text('name', saved.name, { help: saved.nameHint, isRequired: true })],
    prepare: (values) => {
      const name = filled(values, 'name') ?? '';
      return { ...actions.state.save(name), asks: names.includes(name) ? saved.saveAsks(name) : undefined };
    },
  };
}

/** Compares a saved state with another, or with now. */
export function compareForm({ words: { saved }, actions }: FormContext, names: readonly string[]) {
  const states = choicesOf(names);
  const fields = [choice('from', saved.from, states), choice('to', saved.to, [['', saved.now], ...states])];
  return {
    id: 'compare',
    send: saved.compare,
    fields: () => fields,
    prepare: (values: Values) => actions.state.compare(values['from'] ?? '', filled(values, 'to')),
  };
}

/** Makes a scenario of what happened. */
export function recordForm({ words: { scenarios }, actions }: FormContext) {
  return {
    id: 'record',
    send: scenarios.record,
    fields: () => [text('name', scenarios.name)],
    prepare: (values: Values) => actions.scenarios.record(filled(values, 'name')),
  };
}

/** Sends an event again, to every subscriber or to one endpoint. */
export function resendForm(
  { words, actions }: FormContext,
  id: string,
  endpoints: readonly Choice[],
): FormSpec {
  const { detail } = words;
  return {
    id: 'resend',
    send: detail.resend,
    fields: () => [choice('endpoint', detail.resendTo, [['', detail.toAll], ...endpoints])],
    prepare: (values) => actions.deliveries.resend(id, filled(values, 'endpoint')),
  };
}

/** Sends a request again with another body. */
export function replayForm({ words: { detail }, actions }: FormContext, id: string, body: string) {
  const fields = [
    text('body', detail.body, { input: 'lines', rows: 12, initial: body }),
    text('new_code', detail.newCode, { input: 'flag' }),
  ];
  return {
    id: 'replay',
    send: detail.send,
    fields: () => fields,
    prepare: (values: Values) => {
      const newCode = values['new_code'] !== undefined;
      return actions.deliveries.replay(id, { body: values['body'] ?? '', newCode });
    },
  };
}
