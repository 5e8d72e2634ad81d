import { shortSessionId } from '../../core/identity/session.js';
import type { ChargeView, DeliveryLine, WithdrawalView } from '../../http/control/schema.js';
import type { Ask, Typist } from './running.js';
import { rowsOf } from './running.js';

const PAGE = { limit: 50 };

/** A value that can be typed, and its description. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}

function one(value: string, ...words: readonly string[]): Candidate[] {
  return [{ value, description: words.join(' ') }];
}

/** A charge or withdrawal can be named by its code or its id. */
function payment({ code, id, status, amount }: ChargeView | WithdrawalView): Candidate[] {
  return [...one(code, amount, status), ...one(id, code, amount, status)];
}

function delivery({ id, event_type, status, endpoint_name }: DeliveryLine): Candidate[] {
  return one(id, event_type, status, endpoint_name ?? '');
}

async function each<Row>(
  typist: Typist,
  ask: Ask<Row>,
  candidates: (row: Row) => readonly Candidate[],
): Promise<readonly Candidate[]> {
  return (await rowsOf(typist, ask)).flatMap(candidates);
}

/** What the running sandbox holds, the newest first, as candidates. */
export const LISTS = {
  charges: (typist) => each(typist, (client) => client.get('charges', PAGE), payment),
  withdrawals: (typist) => each(typist, (client) => client.get('withdrawals', PAGE), payment),
  events: (typist) =>
    each(
      typist,
      (client) => client.get('events', PAGE),
      ({ id, type, resource }) => one(id, type, resource.code),
    ),
  deliveries: (typist) => each(typist, (client) => client.get('deliveries', PAGE), delivery),
  deadLetters: (typist) =>
    each(typist, (client) => client.get('deliveries', { ...PAGE, status: 'FAILED' }), delivery),
  endpoints: (typist) =>
    each(
      typist,
      (client) => client.get('endpoints'),
      ({ id, url, status }) => one(id, url, status),
    ),
  faults: (typist) =>
    each(
      typist,
      (client) => client.get('faults'),
      ({ id, on, action }) => one(id, on, action),
    ),
  calls: (typist) =>
    each(
      typist,
      (client) => client.get('calls'),
      ({ request_id: id, method, path, status }) => one(id, method, path, String(status)),
    ),
  // A full id is a credential, and a prefix is enough.
  sessions: (typist) =>
    each(
      typist,
      (client) => client.get('kyc/sessions', PAGE),
      ({ id, customer_type, status }) => one(shortSessionId(id).replace('…', ''), customer_type, status),
    ),
  apps: (typist) =>
    each(
      typist,
      (client) => client.get('apps'),
      ({ id, name }) => one(name, id),
    ),
} as const satisfies Record<string, (typist: Typist) => Promise<readonly Candidate[]>>;

export type ListName = keyof typeof LISTS;
