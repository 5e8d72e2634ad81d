import type { Failure } from './explore.js';

const STORE_IDS =
  'Store each webhook-id under a unique key, in the transaction that handles the event, and respond 200 to a known one.';
const SAME_CODE =
  'Send the request again with the same code, a new nonce and a new signature: it returns the charge.';
const RAW_BYTES = 'Verify the signature over the raw bytes of the body, before anything parses them.';
const ACKNOWLEDGE = 'Respond 200 to event types that you do not handle.';

/** Fixes for code that breaks under a kind of fault, by the name of the kind. */
export const KIND_FIXES: Readonly<Record<string, string>> = {
  duplicate: STORE_IDS,
  'parallel duplicate':
    'Insert the webhook-id first, under a unique key, and handle the event only if the insert succeeds.',
  'lose-answer': STORE_IDS,
  answer: 'Do not depend on the time of arrival: after a failed attempt an event is delivered again later.',
  'event-first': 'Store the order before the API request, or the event until the order is known.',
  'stale-expired': 'Rank the states of an order, and ignore pix.expired after a payment.',
  'late-payment': 'Accept pix.settled after pix.expired: the payer has paid.',
  'reserialized-body': RAW_BYTES,
  reorder: 'Do not depend on the order of events: derive the state from all of them.',
  'unknown-type': ACKNOWLEDGE,
  restart: 'Store the event before the response, and process it afterwards from there.',
  'restart before': 'Keep webhook-ids and orders in a database, not in memory.',
  'insert-between-pages': 'Continue from the newest row of the first page that was read.',
  'wrong-signature':
    'Refuse an invalid signature with 400, and store nothing of that webhook, not even its id.',
  'lose-response': SAME_CODE,
  cut: SAME_CODE,
  'status 500': SAME_CODE,
  'status 503': SAME_CODE,
  'rate-limit':
    'Wait as long as Retry-After says. Then send the same code again, with a new nonce and signature.',
  reset: SAME_CODE,
  empty: SAME_CODE,
  delay: 'Allow more time for the response, and send the same code again after a timeout.',
};

/** Fixes for violated invariants, by name; null where the fixes of the faults apply. */
export const INVARIANT_FIXES: Readonly<Record<string, string | null>> = {
  'no unverified acceptance': 'Verify the signature of every webhook, and respond 400 where it is invalid.',
  'a valid signature is accepted': RAW_BYTES,
  'unknown types are acknowledged': ACKNOWLEDGE,
  'one charge for one intent':
    'Draw the code once, store it with the order, and send the same code at every retry.',
  'a lost response is requested again': SAME_CODE,
  'the ledger is consistent': 'The ledger is kept by the sandbox: report this as a bug of it.',
  'every delivery arrives': 'Respond 2xx within 10 s to every webhook, also when it arrives again.',
  'settled payments are known to the application': null,
  'no hang': null,
};

/** Added to the fixes of the faults where a run did not end. */
const LIMIT_WAITS = 'Give every request and every wait a time limit, so that a failure has a message.';

const FALLBACK = 'Handle the fault as the contract describes (§6).';

/** Returns the fix of a failure under these kinds of faults. */
export function fixOf({ category, name }: Failure, kinds: readonly string[]): string {
  const fix = category === 'invariant' ? INVARIANT_FIXES[name] : undefined;
  const ofKinds = [...new Set(kinds.flatMap((kind) => KIND_FIXES[kind] ?? []))];
  const fixes = [
    ...(ofKinds.length === 0 ? [FALLBACK] : ofKinds),
    ...(name === 'no hang' ? [LIMIT_WAITS] : []),
  ];
  return fix ?? fixes.join(' ');
}
