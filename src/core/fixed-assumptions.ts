/** What the contract leaves open and we answer in one way only. */
export interface FixedAssumption {
  readonly id: string;
  readonly section: string;
  readonly question: string;
  readonly value: string;
  readonly reason: string;
}

function fixed(
  id: string,
  section: string,
  question: string,
  value: string,
  reason: string,
): FixedAssumption {
  return { id, section, question, value, reason };
}

/** The other half of the register: these have no switch. */
export const FIXED_ASSUMPTIONS: readonly FixedAssumption[] = [
  fixed(
    'charge.statuses',
    '§2.1, §3',
    'Which states has a charge?',
    'PENDING → SETTLED, FAILED or EXPIRED; EXPIRED → SETTLED in the late window',
    'The contract names SETTLED and the outcomes settled, failed and expired.',
  ),
  fixed(
    'withdrawal.statuses',
    '§2.2, §3',
    'Which states has a withdrawal?',
    'PENDING → PROCESSING → SETTLED; PENDING or PROCESSING → FAILED; SETTLED → FAILED (returned)',
    'withdrawal.failed covers a rejection as well as a return by the destination bank.',
  ),
  fixed(
    'withdrawal.origin',
    '§4.2',
    'How does a withdrawal come about?',
    'by the control API, `withdrawals create` and `trigger`',
    'The contract lists withdrawals and has no operation that creates one.',
  ),
  fixed(
    'withdrawal.destination',
    '§2.2',
    'What may rail and pix_key_type be?',
    'rail PIX; CPF, CNPJ, EMAIL, PHONE or EVP',
    "The key types of Bacen's directory (DICT).",
  ),
  fixed(
    'withdrawal.fee',
    '§2.2',
    'What does a withdrawal cost?',
    '1.00 below 500.00, then 0.00; net_amount is amount − fee',
    'A fee that tests can meet on both sides of a border.',
  ),
  fixed(
    'withdrawal.balance',
    '§4.2',
    'May a withdrawal overdraw the account?',
    'no: 409 INSUFFICIENT_BALANCE; the default account begins with 10000.00',
    'A ledger that can be reconciled never goes below zero.',
  ),
  fixed(
    'ledger.entries',
    '§2.5',
    'Which transactions come of what?',
    'settled charge: CREDIT of the amount, DEBIT of the fees; withdrawal: DEBIT when created, CREDIT when it fails',
    'The balance is the sum of the ledger, always.',
  ),
  fixed(
    'transaction.fields',
    '§2.5',
    'Which further fields has a transaction?',
    'created_at; status is POSTED; code is that of the charge or withdrawal',
    'What reconciliation needs.',
  ),
  fixed('environment', '§2.1', 'What is the environment?', 'TEST', 'The sample of the event shows it.'),
  fixed('asset_code', '§2.1', 'What is the asset code?', 'BRL', 'PIX moves nothing else.'),
  fixed(
    'amount.format',
    '§2.1',
    'How are amounts written?',
    'decimal strings with up to ten digits and two places, above zero; shown with two places',
    'Binary numbers cannot hold cents: a JSON number is refused with a hint.',
  ),
  fixed(
    'timestamp.format',
    '§2.1',
    'How are timestamps written?',
    'ISO 8601 in UTC with milliseconds and Z',
    'The common form; Unix seconds stand in headers only.',
  ),
  fixed(
    'id.format',
    '§2',
    'What do ids look like?',
    'UUIDs; events evt_ and 32 hex digits, which is also the webhook-id of every delivery and resend',
    'Receivers deduplicate by webhook-id, so it belongs to the event.',
  ),
  fixed(
    'charge.fields',
    '§4.1',
    'Which fields may create a charge?',
    'code, account_id and amount required; payer_document, payer_name and metadata accepted',
    'Metadata: 50 keys of up to 40 characters, values up to 500.',
  ),
  fixed(
    'charge.idempotency',
    '§4.1',
    'What does a repeated code answer?',
    '201 first; 200 with the charge as it is now; 409 CODE_REUSED for other fields',
    'Compared as parsed: 10 is 10.00, and metadata may stand in any order.',
  ),
  fixed(
    'charge.qr_code',
    '§2.1',
    'What is the QR code?',
    'a dynamic BR Code on a reserved host that no bank app accepts; the image is a PNG in bare base64',
    "Bacen's BR Code manual; it can be scanned and never paid.",
  ),
  fixed(
    'page.order',
    '§2.6',
    'In which order do lists stand?',
    'newest first; after walks to older rows, before back to newer ones',
    'A cursor is a position: it stays right while rows are added.',
  ),
  fixed(
    'endpoint.create',
    '§4.4',
    'What creates an endpoint?',
    'url, events (one or more) and description; 201 with the endpoint and its secret',
    'The fields of the resource that a client can know.',
  ),
  fixed(
    'endpoint.list',
    '§4.5',
    'How are endpoints listed?',
    'GET /webhook-endpoints, a page of results; scope webhooks:read',
    'The same path as creation, the scope of reading one.',
  ),
  fixed(
    'endpoint.rotate',
    '§4.7',
    'How is a secret rotated?',
    'POST /webhook-endpoints/{id}/rotate-secret; scope webhooks:write; both secrets sign for 24 h',
    'A second rotation within that time drops the oldest.',
  ),
  fixed(
    'endpoint.statuses',
    '§2.3',
    'Which states has an endpoint?',
    'ACTIVE or DISABLED',
    'The least that is needed.',
  ),
  fixed(
    'delivery.statuses',
    '§2.4, §3',
    'Which states has a delivery?',
    'PENDING, DELIVERED or FAILED',
    'FAILED is named; the others follow.',
  ),
  fixed(
    'delivery.list',
    '§4.8',
    'How are deliveries listed?',
    'a page of results; status, event_type, limit, after, before; scope webhooks:read',
    'The same shape as the other lists.',
  ),
  fixed(
    'delivery.retry',
    '§3, §4.9',
    'What does a retry do?',
    '202 with the delivery, PENDING again; one attempt at once, then DELIVERED or FAILED again',
    'A person retries when the receiver is mended, and sees at once whether it is.',
  ),
  fixed(
    'event.object',
    '§6',
    'Which fields has data.object?',
    'the whole resource as the transition left it',
    'Receivers can act without calling back.',
  ),
  fixed(
    'request.empty_body',
    '§5.2',
    'What is the digest of an empty body?',
    'the digest of no bytes',
    'sha256 of the empty string; no special case.',
  ),
  fixed(
    'nonce.lifetime',
    '§8',
    'How long is a nonce remembered?',
    'per application, until its timestamp can no longer pass; only a request whose signature held uses it up',
    'No longer is needed, and a wrong request must not burn it.',
  ),
  fixed(
    'error.body',
    '§7',
    'What does an error look like?',
    '{"error":{"code","message","request_id","details","hint"}} and x-request-id',
    'One shape for every door; hint is the sandbox speaking.',
  ),
  fixed('rate.limits', '§8', 'Are there rate limits?', 'none', 'The contract gives no numbers.'),
  fixed(
    'session.statuses',
    '§2.7, §3',
    'Which states has a verification session?',
    'CREATED → IN_PROGRESS → approved, rejected, under_review, cancelled or expired; under_review → approved or rejected',
    'The statuses of the result, and what comes before a decision.',
  ),
  fixed(
    'session.create',
    '§4.10',
    'What does creating a session answer?',
    '201 (200 on replay) with sessionId, customerType, status, url and expiresAt; 409 IDEMPOTENCY_KEY_REUSED for another body',
    'What a server needs to open the page.',
  ),
  fixed(
    'session.result',
    '§4.11',
    'When is a result readable?',
    'from the decision on, also under_review; before it 409 NOT_TERMINAL',
    'under_review is an answer, though not an approval.',
  ),
  fixed(
    'session.euid',
    '§2.7',
    'What is the euid?',
    'the same for the same customerType and document; unique where no document is known',
    'It identifies the person, not the session.',
  ),
];
