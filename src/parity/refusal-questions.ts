import { randomUUID } from 'node:crypto';
import { listOptionalNames, PAYMENT_FIELDS } from '../contract/fields.js';
import type { FactId } from './facts.js';
import { type Observer, readScheme } from './observer.js';
import type { ParityResponse } from './normalize.js';

/** Refused by every implementation: the contract requires HTTPS (§2.3), and a sandbox at least HTTP. */
const FORBIDDEN_URL = 'ftp://127.0.0.1/parity';
const FORBIDDEN = 'POST /webhook-endpoints (forbidden URL)';

function createEndpoint(observer: Observer, name: string, events: readonly string[], isSigned: boolean) {
  return observer.ask({
    fact: 'endpoint.create',
    name,
    method: 'POST',
    path: '/webhook-endpoints',
    body: { url: FORBIDDEN_URL, events },
    expects: 'refusal',
    ...(isSigned && { signs: {} }),
  });
}

/** Creates an endpoint that cannot be created, unsigned and signed (§4.4, §8). */
export async function askEndpoint(observer: Observer): Promise<void> {
  const { status } = await createEndpoint(observer, FORBIDDEN, ['pix.settled'], false);
  if ([400, 409, 422].includes(status)) {
    const unsigned = { name: '', isUnrecorded: true, method: 'POST', path: '/pix', body: {} } as const;
    const charge = await observer.ask({ fact: 'endpoint.signature', ...unsigned, expects: 'refusal' });
    if (charge.status === 401) return observer.note('endpoint.signature', 'optional');
    const reason = `An unsigned charge gets ${charge.status}, so fields are checked before the signature.`;
    return observer.giveUp(reason, 'endpoint.signature');
  }
  if (status !== 401) return;
  observer.forget(FORBIDDEN);
  if (observer.notes['signature.encoding'] === undefined) {
    return observer.giveUp(
      'The unsigned endpoint gets 401, but no signature is known to be accepted.',
      'endpoint.signature',
    );
  }
  const signed = await createEndpoint(observer, FORBIDDEN, ['pix.settled'], true);
  if (signed.status !== 401) observer.note('endpoint.signature', 'required');
}

/** Unusual amounts of a charge, by name. */
const AMOUNTS: Readonly<Record<string, unknown>> = {
  'amount "10"': '10',
  'amount "10.001"': '10.001',
  'amount 10': 10,
  'amount "0.00"': '0.00',
  'amount "1e1"': '1e1',
};

/** Every optional field of a charge with its example. */
export const OPTIONAL_FIELDS: Readonly<Record<string, unknown>> = Object.fromEntries(
  listOptionalNames(PAYMENT_FIELDS.charge).map((name) => [name, PAYMENT_FIELDS.charge[name].example]),
);
/** Optional fields that the contract names (§4.1). */
export const DOCUMENT_FIELDS = Object.keys(PAYMENT_FIELDS.own.charge).filter((name) =>
  name.endsWith('document'),
);

/** Fields of every charge; the contract names the document, so a service can require it. */
const VALID: Readonly<Record<string, unknown>> = {
  amount: '10.00',
  ...Object.fromEntries(DOCUMENT_FIELDS.map((name) => [name, OPTIONAL_FIELDS[name]])),
};

/** Fields that replace those of a valid charge, by name. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'no code': { code: undefined },
  'no amount': { amount: undefined },
  'no document': Object.fromEntries(DOCUMENT_FIELDS.map((name) => [name, undefined])),
  'invalid document': Object.fromEntries(DOCUMENT_FIELDS.map((name) => [name, '123'])),
  'account_id is not a UUID': { account_id: 'parity' },
};

function createUnknownCharge(
  observer: Observer,
  text: string,
  fact: FactId,
  fields: Readonly<Record<string, unknown>>,
) {
  return observer.ask({
    fact,
    name: `POST /pix (${text})`,
    method: 'POST',
    path: '/pix',
    body: { code: `parity-${randomUUID()}`, account_id: randomUUID(), ...VALID, ...fields },
    expects: 'refusal',
    signs: {},
  });
}

/** Creates charges for unknown accounts: 400 if a field is refused, and 404 if it is accepted (§4.1). */
export async function askCharge(observer: Observer): Promise<void> {
  const { notes } = observer;
  if (notes['signature.encoding'] === undefined) {
    return observer.giveUp(
      'No signature is known to be accepted.',
      'charge.unknown_fields',
      'charge.fields',
      'amount.format',
    );
  }
  const invalid = 'amount "parity"';
  const askInvalid = () => createUnknownCharge(observer, invalid, 'amount.format', { amount: 'parity' });
  let control = await askInvalid();
  if (control.status === 401 && notes['signature.digest_encoding'] === undefined) {
    // An empty body without a digest shows no encoding.
    observer.note('signature.digest_encoding', 'base64');
    control = await askInvalid();
  }
  observer.note('signature.digest_encoding', readScheme(notes).digest);
  const known = await createUnknownCharge(observer, 'unknown account', 'charge.fields', {});
  const isValidated = control.status !== known.status && isInvalid(control) && !isInvalid(known);
  if (!isValidated) {
    for (const text of [invalid, 'unknown account']) observer.forget(`POST /pix (${text})`);
    const reason = `An invalid amount gets ${control.status}, and an unknown account ${known.status}.`;
    return observer.giveUp(reason, 'charge.unknown_fields', 'charge.fields');
  }
  observer.note('fields first', 'yes');
  const { status } = await createUnknownCharge(observer, 'unknown field', 'charge.unknown_fields', {
    parity_unknown: 'x',
  });
  if (status === known.status) observer.note('charge.unknown_fields', 'ignore');
  else if (status === control.status) observer.note('charge.unknown_fields', 'refuse');
  const optional = await createUnknownCharge(
    observer,
    'all optional fields',
    'charge.fields',
    OPTIONAL_FIELDS,
  );
  if (optional.status === known.status) observer.note('optional fields', 'accepted');
}

/** Creates charges and an endpoint with more invalid fields (§4.1, §4.4). */
export async function askDetails(observer: Observer): Promise<void> {
  const { notes } = observer;
  if (notes['fields first'] !== undefined) {
    for (const [text, amount] of Object.entries(AMOUNTS)) {
      await createUnknownCharge(observer, text, 'amount.format', { amount });
    }
    for (const [text, fields] of Object.entries(FIELDS)) {
      await createUnknownCharge(observer, text, 'charge.fields', fields);
    }
  }
  if (notes['endpoint.signature'] === undefined) return;
  const isSigned = notes['endpoint.signature'] === 'required';
  await createEndpoint(observer, 'POST /webhook-endpoints (no events)', [], isSigned);
}

function isInvalid({ status }: ParityResponse): boolean {
  return status === 400 || status === 422;
}
