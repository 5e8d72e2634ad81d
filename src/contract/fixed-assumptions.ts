import { listOptionalNames, PAYMENT_FIELDS } from './fields.js';

/** Declares an assumption that cannot be changed. */
function fixed(section: string, question: string, value: string, reason: string) {
  return { section, question, value, reason };
}

/** Assumptions that cannot be changed, by id. */
export const FIXED_ASSUMPTIONS = {
  'charge.statuses': fixed(
    '§2.1, §3',
    'What states can a charge have?',
    'PENDING → SETTLED, FAILED or EXPIRED; EXPIRED → SETTLED in the late window',
    'The contract names SETTLED and the outcomes settled, failed and expired.',
  ),
  'withdrawal.statuses': fixed(
    '§2.2, §3',
    'What states can a withdrawal have?',
    'PENDING → PROCESSING → SETTLED; PENDING or PROCESSING → FAILED; SETTLED → FAILED (returned)',
    'withdrawal.failed covers both a rejection and a return by the destination bank.',
  ),
  'withdrawal.origin': fixed(
    '§4.2',
    'How is a withdrawal created?',
    'by the control API, `withdrawals create` and `trigger`',
    'The contract lists withdrawals but has no operation to create one.',
  ),
  'withdrawal.destination': fixed(
    '§2.2',
    'What values can rail and pix_key_type have?',
    'rail: PIX; pix_key_type: CPF, CNPJ, EMAIL, PHONE or EVP',
    "These are the key types of Bacen's directory (DICT).",
  ),
  'withdrawal.fee': fixed(
    '§2.2',
    'What is the withdrawal fee?',
    '1.00 for amounts below 500.00, otherwise 0.00; net_amount is amount − fee',
    'Tests can check both sides of the threshold.',
  ),
  'withdrawal.balance': fixed(
    '§4.2',
    'Can a withdrawal overdraw the account?',
    'no: 409 INSUFFICIENT_BALANCE; the default account starts with 10000.00',
    'A reconciled ledger never goes below zero.',
  ),
  'ledger.entries': fixed(
    '§2.5',
    'Which transactions does each operation create?',
    'settled charge: CREDIT of the amount, DEBIT of the fees; withdrawal: DEBIT when created, CREDIT when it fails',
    'The balance is always the sum of the ledger.',
  ),
  'transaction.fields': fixed(
    '§2.5',
    'What other fields does a transaction have?',
    'created_at; status is POSTED; code comes from the charge or withdrawal',
    'Reconciliation needs these fields.',
  ),
  environment: fixed('§2.1', 'What is the environment?', 'TEST', 'The sample event shows TEST.'),
  asset_code: fixed('§2.1', 'What is the asset code?', 'BRL', 'PIX supports no other currency.'),
  'amount.format': fixed(
    '§2.1',
    'How are amounts formatted?',
    'positive decimal strings with up to ten integer digits and two decimals; responses always have two decimals',
    'Binary floating point cannot represent cents exactly, so JSON numbers are rejected with a hint.',
  ),
  'timestamp.format': fixed(
    '§2.1',
    'How are timestamps formatted?',
    'ISO 8601 in UTC with milliseconds and Z',
    'This is the common format; only headers use Unix seconds.',
  ),
  'id.format': fixed(
    '§2',
    'What do ids look like?',
    'UUIDs; event ids are evt_ and 32 hex digits, and serve as webhook-id of every delivery and resend',
    'Receivers deduplicate by webhook-id, so the id belongs to the event.',
  ),
  'charge.fields': fixed(
    '§4.1',
    'Which fields does charge creation accept?',
    `code, account_id and amount; optional: ${listOptionalNames(PAYMENT_FIELDS.charge).join(', ')}`,
    'Metadata can have 50 keys of up to 40 characters, with values of up to 500 characters.',
  ),
  'charge.idempotency': fixed(
    '§4.1',
    'What does a repeated code return?',
    '201 the first time, then 200 with the current charge; 409 CODE_REUSED if fields differ',
    'Values are compared after parsing: 10 equals 10.00, and metadata order does not matter.',
  ),
  'charge.qr_code': fixed(
    '§2.1',
    'What is the QR code?',
    'a dynamic BR Code with a reserved host, which bank apps reject; the image is a base64 PNG',
    "The code follows Bacen's BR Code manual; it can be scanned but never paid.",
  ),
  'page.order': fixed(
    '§2.6',
    'How are lists ordered?',
    'newest first; `after` continues with older rows, `before` with newer rows',
    'A cursor is a position: it stays valid while rows are added.',
  ),
  'endpoint.create': fixed(
    '§4.4',
    'Which fields does endpoint creation accept?',
    'url, events (one or more) and description; 201 with the endpoint and its secret',
    'Clients provide these fields of the resource.',
  ),
  'endpoint.list': fixed(
    '§4.5',
    'How are endpoints listed?',
    'by GET /webhook-endpoints, in pages; scope webhooks:read',
    'Uses the same path as creation and the same scope as reading an endpoint.',
  ),
  'endpoint.rotate': fixed(
    '§4.7',
    'How is a secret rotated?',
    'POST /webhook-endpoints/{id}/rotate-secret; scope webhooks:write; deliveries carry both signatures for 24 h',
    'A second rotation within 24 h drops the oldest secret.',
  ),
  'endpoint.statuses': fixed(
    '§2.3',
    'What states can an endpoint have?',
    'ACTIVE or DISABLED',
    'The contract requires at least these states.',
  ),
  'delivery.statuses': fixed(
    '§2.4, §3',
    'What states can a delivery have?',
    'PENDING, DELIVERED or FAILED',
    'The contract names FAILED, which implies the other states.',
  ),
  'delivery.list': fixed(
    '§4.8',
    'How are deliveries listed?',
    'in pages; parameters status, event_type, limit, after and before; scope webhooks:read',
    'All lists have the same format.',
  ),
  'delivery.retry': fixed(
    '§3, §4.9',
    'What does a retry do?',
    '202 with the delivery PENDING again; one immediate attempt, then DELIVERED or FAILED',
    'Developers retry after fixing the receiver and see the result immediately.',
  ),
  'delivery.unreachable': fixed(
    '§3, §4.9',
    'What does a retry do while the endpoint is disabled, deleted, or a disconnected listener?',
    '409 ENDPOINT_UNAVAILABLE without using an attempt; a bulk retry skips and counts such deliveries',
    'An undeliverable attempt has no result, and would make the dead letter look retried.',
  ),
  'listener.away': fixed(
    '§4.4, §6',
    'What happens to the deliveries of a disconnected `listen`?',
    'PENDING deliveries are held, and new events create no deliveries; reconnecting under the same name keeps ' +
      'the id and secret, and delivers the held deliveries in order with the new settings and any events, ' +
      'or fails the held deliveries with --fresh',
    'Restarting a listener must not lose deliveries; an attempt in flight fails with LISTENER_NOT_CONNECTED.',
  ),
  'event.object': fixed(
    '§6',
    'What fields does data.object have?',
    'the full resource right after the transition',
    'Receivers can act without another API request.',
  ),
  'request.empty_body': fixed(
    '§5.2',
    'What is the digest of an empty body?',
    'the digest of zero bytes',
    'This is the SHA-256 of the empty string, without a special case.',
  ),
  'nonce.lifetime': fixed(
    '§8',
    'How long is a nonce stored?',
    'until its timestamp expires, per application; only a request with a valid signature consumes a nonce',
    'Expired timestamps are rejected anyway, and an invalid request must not consume a nonce.',
  ),
  'error.body': fixed(
    '§7',
    'What does an error look like?',
    '{"error":{"code","message","request_id","details","hint"}} and x-request-id',
    'All APIs use the same format; only the sandbox adds the hint.',
  ),
  'rate.limits': fixed(
    '§7, §8',
    'Are there rate limits?',
    'none, unless `start --rate-limit 100/1m` sets one per application in the payments API, or ' +
      '`--kyc-rate-limit 60/1m` one per organization in the identity API: token buckets in sandbox time that ' +
      'count requests with a valid token, even if refused later',
    'The contract specifies no numbers.',
  ),
  'session.statuses': fixed(
    '§2.7, §3',
    'What states can an identity session have?',
    'CREATED → IN_PROGRESS → approved, rejected, under_review, cancelled or expired; ' +
      'under_review → approved or rejected',
    'The contract names the results; the other states precede them. A review ends in approval or rejection.',
  ),
  'session.create': fixed(
    '§4.10',
    'What does creating a session return?',
    '201, or 200 for a repeated key, with sessionId, customerType, status, url and expiresAt',
    'Servers pass this data to a browser.',
  ),
  'session.idempotency': fixed(
    '§4.10, §8',
    'What is the scope of an Idempotency-Key?',
    'one organization, until a reset; a different body returns 409 IDEMPOTENCY_KEY_REUSED',
    'The same key with the same body must return the same session.',
  ),
  'session.result': fixed(
    '§4.11',
    'What fields does a result have?',
    'sessionId and status, plus euid when approved',
    'The contract names these fields.',
  ),
  'session.review': fixed(
    '§3, §7',
    'What does the result show between a review and the final decision?',
    'under_review, until the final decision is readable',
    'A result never returns to NOT_TERMINAL.',
  ),
  'session.provisioning': fixed(
    '§5.4, §7',
    'When is identity verification unavailable?',
    '503 if it is disabled or the token’s organization has no credential; 401 for any other invalid token',
    'Credentials belong to organizations, and each application belongs to one.',
  ),
  'session.callbacks': fixed(
    '§6',
    'Which callback of the browser SDK does each outcome trigger?',
    'approved: onSuccess; under_review: onReview; rejected, cancelled and expired: onError ' +
      'with REJECTED, CANCELLED or EXPIRED',
    'Callbacks are hints; the server reads the decision.',
  ),
  'session.origins': fixed(
    '§5.4',
    'Which origins can embed the hosted page?',
    'origins from `start --origin` and POST apps/{id}/origins; on loopback, any port of localhost and 127.0.0.1',
    'Origins must be registered, but a developer’s machine requires no setup.',
  ),
  'euid.format': fixed(
    '§2.7',
    'What is an euid?',
    'euid_ and 32 hex digits; the same for equal customer type and document, new for a session without a document',
    'This form is canonical, stable and well under 64 characters.',
  ),
};
