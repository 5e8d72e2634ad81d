import { EVENT_TYPES } from '../../contract/events.js';
import type {
  CallView,
  ChargeView,
  DeliveryLine,
  EventLine,
  WithdrawalView,
} from '../../http/control/schema.js';
import { either, list } from '../../schema/compound.js';
import { partial } from '../../schema/fields.js';
import { object } from '../../schema/object.js';
import type { Optional, Schema } from '../../schema/schema.js';
import { anything, described, text, whole } from '../../schema/values.js';
import { word } from './shape.js';

/** The fields of rows that an expectation may name, in the order in which messages list them. */
export const ROW_FIELDS = {
  events: ['type', 'id', 'resource', 'created_at', 'app_id', 'overridden'] satisfies (keyof EventLine)[],
  deliveries: [
    'type',
    'status',
    'attempts',
    'id',
    'event_id',
    'resource',
    'endpoint_id',
    'endpoint_url',
    'endpoint_name',
    'attempt_limit',
    'last_response_status',
    'last_error',
    'last_attempt_at',
    'next_attempt_at',
    'delivered_at',
    'created_at',
  ] satisfies (keyof DeliveryLine | 'type')[],
  received: [
    'type',
    'code',
    'id',
    'attempt',
    'answer',
    'verified',
    'cause',
    'duplicate',
    'signed_with',
    'during',
    'payload',
  ],
  calls: [
    'method',
    'path',
    'status',
    'error',
    'door',
    'id',
    'resource_id',
    'app_id',
    'hint',
    'warnings',
    'faults',
    'at',
  ] satisfies (keyof CallView)[],
  transactions: ['direction', 'amount', 'code', 'status', 'id', 'created_at'],
} as const;

export type ListName = keyof typeof ROW_FIELDS;
export const LIST_NAMES = Object.keys(ROW_FIELDS) as ListName[];

const CHARGE_FIELDS = [
  'code',
  'status',
  'amount',
  'fees',
  'reason',
  'payer_name',
  'payer_document',
  'metadata',
  'expires_at',
  'created_at',
  'qr_code',
  'account_id',
  'app_id',
] as const satisfies (keyof ChargeView)[];
const WITHDRAWAL_FIELDS = [
  'code',
  'status',
  'amount',
  'net_amount',
  'fee',
  'reason',
  'destination',
  'metadata',
  'created_at',
  'account_id',
  'app_id',
] as const satisfies (keyof WithdrawalView)[];
const RESULT_FIELDS = ['status', 'euid', 'sessionId', 'http_status', 'error'] as const;

const MOST_COUNTED = 1_000_000;
const COUNT = described(
  'exactly this many; without it, at least one',
  whole('a whole number from 0 on', { least: 0, most: MOST_COUNTED }),
);
const EVENT = word('an event', EVENT_TYPES);

function fieldsOf(names: readonly string[]): Readonly<Record<string, Optional<unknown>>> {
  return partial(Object.fromEntries(names.map((name) => [name, anything])));
}

/** The expected rows of a list: a matcher for at least one, or a list of matchers for all of them in order. */
function rows(name: ListName, isTyped: boolean): Schema<unknown> {
  const what = `a matcher of ${name}`;
  const fields = fieldsOf(ROW_FIELDS[name]);
  const one = object(what, { ...fields, ...partial({ count: COUNT }) });
  const inOrder = object(what, fields);
  const inList = { what: `a list of ${name} in their order` };
  return isTyped
    ? either([EVENT, one, list(either([EVENT, inOrder]), inList)])
    : either([one, list(inOrder, inList)]);
}

function payment(kind: string, names: readonly string[]) {
  const fields = { id: text(`the id or code of a ${kind}`), ...fieldsOf(names) };
  return described(`one ${kind}, by id or code`, object(`a ${kind} to look at`, fields));
}

/**
 * The fields of `expect`. Everything counts from the start of the scenario. Events, deliveries and received requests count only
 * for charges and withdrawals that were created since then or that a step named.
 */
export const EXPECTATION = object(
  'an expectation',
  partial({
    events: described('what the service announced', rows('events', true)),
    deliveries: described(
      'what became of the events: with a receiver, those to it and to endpoints of the scenario',
      rows('deliveries', true),
    ),
    received: described('what the built-in receiver got, in the order of arrival', rows('received', true)),
    calls: described('what was called at the doors of the service, oldest first', rows('calls', false)),
    transactions: described(
      'the lines of the default account’s ledger, oldest first',
      rows('transactions', false),
    ),
    charge: payment('charge', CHARGE_FIELDS),
    withdrawal: payment('withdrawal', WITHDRAWAL_FIELDS),
    result: described(
      'what your server reads of an identity session',
      object('an identity result to look at', {
        session: text('the id of an identity session'),
        ...fieldsOf(RESULT_FIELDS),
      }),
    ),
    balance: described(
      'the balance of the default account; with a sign, its change since the scenario began',
      text(
        'an amount such as 10000.00, or with a sign the change, such as +99.20',
        /^[+-]?\d{1,15}\.\d{2}$|\$\{/u,
      ),
    ),
  }),
  { isNotEmpty: true },
);
