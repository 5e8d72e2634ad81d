import { ASSUMPTION_IDS, ASSUMPTIONS, type AssumptionId } from '../contract/assumptions.js';
import { FIXED_ASSUMPTIONS } from '../contract/fixed-assumptions.js';
import { formatAmount } from '../contract/money.js';
import { inferFees } from './fees.js';

/** An assumption, as a fact about the service that a probe can observe. */
export type FactId = AssumptionId | keyof typeof FIXED_ASSUMPTIONS;

/** Parts of a probe, in order. Each part needs permission, and leaves something on the server or nothing. */
export const PROBE_PARTS = {
  reads: { flag: null, leaves: 'nothing' },
  refusals: { flag: null, leaves: 'nothing: every request is refused' },
  charges: { flag: '--charges', leaves: 'at most five unpaid charges, which expire' },
  sessions: { flag: '--sessions', leaves: 'one identity session, which expires' },
  endpoint: {
    flag: '--endpoint',
    leaves: 'one webhook endpoint: the contract has no operation to delete it',
  },
} as const;
export type ProbePart = keyof typeof PROBE_PARTS;

/** Observed values by name, e.g. statuses and amounts, from which facts are inferred. */
export type Notes = Readonly<Record<string, string | undefined>>;

interface Fact {
  /** The part that observes the fact, or null if no request can. */
  readonly part: ProbePart | null;
  /** The question to the service. */
  readonly asks: string;
  /** Why the fact remains unknown if it was asked, or could not be asked. */
  readonly unknown: string;
  /** Infers the value of a configurable assumption. Returns undefined if the notes do not determine it. */
  readonly infer?: (notes: Notes) => string | undefined;
}

function fact(part: ProbePart, asks: string, unknown: string, infer?: Fact['infer']): Fact {
  return { part, asks, unknown, ...(infer && { infer }) };
}

function never(unknown: string): Fact {
  return { part: null, asks: 'nothing', unknown };
}

/** Returns a note that is a valid value of an assumption. */
function valueOf(id: AssumptionId): Fact['infer'] {
  return (notes) => notes[id];
}

const NO_ITEMS = 'The list contains no items.';
const NO_SIGNATURE = 'No signed request shows whether its signature was accepted.';
const NO_CHARGE = 'No charge was created.';
const NO_SESSION = 'No session was created.';
const NO_DELIVERY = 'No webhook arrived.';
const NO_VALIDATION = 'Invalid fields are not rejected before the account is looked up.';
const BROWSER_ONLY = 'Only a browser and a person can show it.';
const SANDBOX_ONLY = 'It concerns only the sandbox; the service has no such operation.';

/** Every assumption: how a probe asks for it, how its value follows, and why it can remain unknown. */
export const PARITY_FACTS: Readonly<Record<FactId, Fact>> = {
  'charge.lifetime': fact(
    'charges',
    'expires_at minus created_at of a charge',
    NO_CHARGE,
    valueOf('charge.lifetime'),
  ),
  'charge.late_window': never('It starts when a charge expires, and only a payment can end it.'),
  'charge.unknown_fields': fact(
    'refusals',
    'a charge with an unknown field for an unknown account: 400 or 404',
    NO_VALIDATION,
    valueOf('charge.unknown_fields'),
  ),
  'charge.qr_image': fact('charges', 'qr_code_base64 of a charge', NO_CHARGE, valueOf('charge.qr_image')),
  'fee.provider_rate': fact(
    'charges',
    'the fees of charges with different amounts',
    NO_CHARGE,
    (notes) => inferFees(notes).rate,
  ),
  'fee.provider_min': fact('charges', 'the fee of a small charge', NO_CHARGE, (notes) =>
    cents(inferFees(notes).min),
  ),
  'fee.provider_max': fact('charges', 'the fee of a large charge', NO_CHARGE, (notes) =>
    cents(inferFees(notes).max),
  ),
  'fee.partner_rate': fact(
    'charges',
    'the partner fee of a large charge',
    'A partner fee of 0 can be a rate of 0, or an application without a partner agreement.',
    (notes) => inferFees(notes).partner,
  ),
  'transactions.scope': fact(
    'refusals',
    'the list with every token in PARITY_TOKEN: 200 or 403',
    'The tokens do not differ in the scope that decides; pass more tokens, separated by commas.',
    valueOf('transactions.scope'),
  ),
  'signature.encoding': fact(
    'refusals',
    'signed retries of random ids: 404 or 401',
    NO_SIGNATURE,
    valueOf('signature.encoding'),
  ),
  'signature.digest_encoding': fact(
    'refusals',
    'signed retries of random ids: 404 or 401',
    NO_SIGNATURE,
    valueOf('signature.digest_encoding'),
  ),
  'signature.path': fact(
    'refusals',
    'a signed retry with a query string: 404 or 401',
    NO_SIGNATURE,
    valueOf('signature.path'),
  ),
  'signature.tolerance': fact(
    'refusals',
    'signed retries with older timestamps: 404 or 401',
    NO_SIGNATURE,
    valueOf('signature.tolerance'),
  ),
  'endpoint.signature': fact(
    'refusals',
    'an unsigned endpoint with a forbidden URL: 401 or 422',
    'The refusal does not show whether a signature was missing.',
    valueOf('endpoint.signature'),
  ),
  'event.qr_image': fact('endpoint', 'qr_code_base64 in a webhook', NO_DELIVERY, valueOf('event.qr_image')),
  'webhook.timestamp': fact(
    'endpoint',
    'webhook-timestamp, if the event’s timestamp differs from the current time',
    'The server’s clock agrees with this machine’s, so both choices look the same.',
    valueOf('webhook.timestamp'),
  ),
  'session.lifetime': fact('sessions', 'expiresAt of a session', NO_SESSION, valueOf('session.lifetime')),
  'session.lapsed_result': fact(
    'sessions',
    'the result of the session after it expired; run the probe again then',
    'The session has not expired yet; run the same command again afterwards.',
    valueOf('session.lapsed_result'),
  ),
  'charge.statuses': fact('charges', 'the status of a new charge; other states need a payer', NO_CHARGE),
  'withdrawal.statuses': fact('reads', 'the statuses of the listed withdrawals', NO_ITEMS),
  'withdrawal.origin': never('The contract has no operation to create a withdrawal.'),
  'withdrawal.destination': fact('reads', 'the destinations of the listed withdrawals', NO_ITEMS),
  'withdrawal.fee': fact('reads', 'the fees of the listed withdrawals', NO_ITEMS),
  'withdrawal.balance': never('The contract has no operation to create a withdrawal.'),
  'ledger.entries': never('A list of transactions does not name the payment that caused each entry.'),
  'transaction.fields': fact('reads', 'the list of transactions', NO_ITEMS),
  environment: fact('reads', 'the environment of every resource', 'No resource states its environment.'),
  asset_code: fact('charges', 'the asset_code of a charge', NO_CHARGE),
  'amount.format': fact(
    'refusals',
    'charges with unusual amounts for an unknown account; amounts in every response',
    NO_VALIDATION,
  ),
  'timestamp.format': fact('reads', 'the timestamps in every response', NO_ITEMS),
  'id.format': fact('reads', 'the ids in every response', NO_ITEMS),
  'charge.fields': fact(
    'refusals',
    'charges with missing and invalid fields for an unknown account',
    NO_VALIDATION,
  ),
  'charge.idempotency': fact(
    'charges',
    'the same code again, with the same and with another amount',
    NO_CHARGE,
  ),
  'charge.qr_code': fact('charges', 'the qr_code of a charge', NO_CHARGE),
  'page.order': fact('reads', 'limits, cursors and the order of withdrawals', NO_ITEMS),
  'endpoint.create': fact(
    'refusals',
    'endpoints with invalid fields and a forbidden URL',
    'Nothing refused the endpoint.',
  ),
  'endpoint.list': fact('reads', 'the list of endpoints', 'The list did not respond.'),
  'endpoint.rotate': never('A rotation would replace the secret of an endpoint in use.'),
  'endpoint.statuses': fact('reads', 'the statuses of the listed endpoints', NO_ITEMS),
  'delivery.statuses': fact('reads', 'the FAILED deliveries of a listed endpoint', NO_ITEMS),
  'delivery.list': fact('reads', 'the deliveries of a listed endpoint', NO_ITEMS),
  'delivery.retry': never('Only a failed delivery can be retried, and the retry would reach its receiver.'),
  'delivery.unreachable': never(
    'It needs a disabled endpoint, and the contract has no operation to disable one.',
  ),
  'listener.away': never(SANDBOX_ONLY),
  'event.object': fact('endpoint', 'data.object of a webhook', NO_DELIVERY),
  'request.empty_body': fact('refusals', 'signed retries of random ids, which have no body', NO_SIGNATURE),
  'nonce.lifetime': fact('refusals', 'a nonce used twice; its lifetime is not measured', NO_SIGNATURE),
  'error.body': fact('reads', 'the body of every refusal', 'Nothing was refused.'),
  'rate.limits': never('The probe never exceeds one request per second, and stops at 429.'),
  'session.statuses': fact('sessions', 'the status of a new session; other states need a person', NO_SESSION),
  'session.create': fact('sessions', 'the response to a new session', NO_SESSION),
  'session.idempotency': fact('sessions', 'the same Idempotency-Key again', NO_SESSION),
  'session.result': fact(
    'reads',
    'the result of an unknown session, and of an open one with --sessions',
    'Pass --against-kyc.',
  ),
  'session.review': never(BROWSER_ONLY),
  'session.provisioning': fact(
    'reads',
    'a result without a token and with an invalid one',
    'Pass --against-kyc.',
  ),
  'session.callbacks': never(BROWSER_ONLY),
  'session.origins': never(BROWSER_ONLY),
  'euid.format': never(BROWSER_ONLY),
};

function cents(value: number | undefined): string | undefined {
  return value === undefined ? undefined : formatAmount(value);
}

export const FACT_IDS = [...ASSUMPTION_IDS, ...Object.keys(FIXED_ASSUMPTIONS)] as readonly FactId[];

/** Returns the section, the question and the sandbox's fixed value of a fact; null for configurable ones. */
export function describeFact(id: FactId) {
  const { section, question } = { ...ASSUMPTIONS, ...FIXED_ASSUMPTIONS }[id];
  const fixed =
    id in FIXED_ASSUMPTIONS ? FIXED_ASSUMPTIONS[id as keyof typeof FIXED_ASSUMPTIONS].value : null;
  return { section, question, fixed };
}

/** Infers the valid values of all configurable assumptions that the notes determine, by id. */
export function inferValues(notes: Notes): Record<string, string> {
  const entries = ASSUMPTION_IDS.flatMap((id) => {
    const value = PARITY_FACTS[id].infer?.(notes);
    return value === undefined || ASSUMPTIONS[id].parse(value) === undefined ? [] : [[id, value] as const];
  });
  return Object.fromEntries(entries);
}
