import type { CallFaultAction, DeliveryFaultAction, FaultDetails } from '../contract/fault-kinds.js';

/** Configures how `explore` uses a fault. */
export interface FaultExploration {
  /** Order in which faults are tried, most destructive first. */
  readonly rank: number;
  /** Text that follows the injection point's name, e.g. `gets a 500 response`. */
  readonly description: string;
  readonly fix: string;
  /** Name in `explore`, if different from the fault's name. */
  readonly name?: string;
  /** Limits the injection points; defaults to every API request or attempt. */
  readonly at?: 'settlement' | 'late settlement' | 'first of endpoint' | 'first creation' | 'page';
  readonly values?: Partial<Omit<FaultDetails, 'delayMs'>> & { readonly delay?: string };
  /** Excludes other faults at the same point. */
  readonly runsAlone?: true;
  readonly isRetried?: true;
  /**
   * `repeat` repeats a request or delivery; `change` alters the state in between. `explore` prioritizes pairs
   * of one `repeat` and one `change`.
   */
  readonly role?: 'repeat' | 'change';
  /** Correct applications record the fault, so their probed state can differ from a fault-free run. */
  readonly isRecorded?: true;
}

/** Fixes suggested by `explore` and by some invariants. */
export const SUGGESTED_FIXES = {
  storeIds:
    'Store each webhook-id under a unique key, in the transaction that handles the event, ' +
    'and return 200 for duplicates.',
  sameCode: 'Resend the request with the same code, a new nonce and a new signature to get the charge.',
  rawBytes: 'Verify the signature over the raw bytes of the body before parsing the body.',
  acknowledge: 'Return 200 for event types you do not handle.',
};

function createExploration(
  rank: number,
  description: string,
  fix: string,
  more: Omit<FaultExploration, 'rank' | 'description' | 'fix'> = {},
): FaultExploration {
  return { rank, description, fix, ...more };
}

type Explorations<Action extends string> = {
  readonly [Each in Action]?: FaultExploration | readonly FaultExploration[];
};

const CALL_EXPLORATIONS: Explorations<CallFaultAction> = {
  status: [500, 503].map((status, index) =>
    createExploration(17 + index, `gets a ${status} response`, SUGGESTED_FIXES.sameCode, {
      name: `status ${status}`,
      values: { status },
      runsAlone: true,
    }),
  ),
  delay: createExploration(
    22,
    'gets its response 300 ms late',
    'Wait longer for the response, and after a timeout resend the request with the same code.',
    { values: { delay: '300ms' } },
  ),
  reset: createExploration(20, 'gets a connection reset', SUGGESTED_FIXES.sameCode, { runsAlone: true }),
  empty: createExploration(21, 'has its connection closed', SUGGESTED_FIXES.sameCode, { runsAlone: true }),
  cut: createExploration(16, 'is processed, but its response is truncated', SUGGESTED_FIXES.sameCode, {
    role: 'repeat',
  }),
  'lose-response': createExploration(
    15,
    'is processed, but its response is dropped',
    SUGGESTED_FIXES.sameCode,
    { role: 'repeat' },
  ),
  'rate-limit': createExploration(
    19,
    'gets a 429 response',
    'Wait for the Retry-After time, then resend the same code with a new nonce and signature.',
    { runsAlone: true },
  ),
  'event-first': createExploration(
    5,
    'gets its response only after the event for the settled charge is delivered',
    'Store the order before sending the API request, or store the event until the order exists.',
    { at: 'first creation', role: 'change' },
  ),
  'insert-between-pages': createExploration(
    13,
    'gets its response, and a row is added before the next page is read',
    'Continue from the newest row of the first page.',
    { at: 'page', role: 'change' },
  ),
};

const DELIVERY_EXPLORATIONS: Explorations<DeliveryFaultAction> = {
  answer: createExploration(
    4,
    'fails with 500 before it arrives, and is retried later',
    'Do not depend on the arrival time: failed attempts are retried later.',
    { values: { status: 500 }, role: 'repeat', runsAlone: true, isRetried: true },
  ),
  'lose-answer': createExploration(
    3,
    'is delivered again because its response was dropped',
    SUGGESTED_FIXES.storeIds,
    { role: 'repeat', isRetried: true },
  ),
  duplicate: [
    createExploration(1, 'is delivered twice', SUGGESTED_FIXES.storeIds, {
      values: { copies: 1 },
      role: 'repeat',
    }),
    createExploration(
      2,
      'is delivered four times concurrently',
      'First insert the webhook-id under a unique key, and handle the event only if the insert succeeds.',
      { name: 'parallel duplicate', values: { copies: 3, parallel: true }, role: 'repeat' },
    ),
  ],
  reorder: createExploration(
    9,
    'is overtaken by the next delivery',
    'Do not depend on event order: derive the state from all events.',
    { role: 'change' },
  ),
  'stale-expired': createExploration(
    6,
    'is followed by an old pix.expired for the same charge',
    'Rank the states of an order, and ignore pix.expired after a payment.',
    { at: 'settlement', role: 'change' },
  ),
  'late-payment': createExploration(
    7,
    'is a late payment, delivered after a pix.expired for the same charge',
    'Accept pix.settled after pix.expired: the payer has paid.',
    { at: 'late settlement', role: 'change', isRecorded: true },
  ),
  'reserialized-body': createExploration(
    8,
    'has the same JSON, serialized differently but signed correctly',
    SUGGESTED_FIXES.rawBytes,
    { at: 'first of endpoint' },
  ),
  'wrong-signature': createExploration(
    14,
    'is signed with the wrong secret, then retried with a valid signature',
    'Reject an invalid signature with 400, and store nothing from that webhook, not even its id.',
    { at: 'first of endpoint', runsAlone: true, isRetried: true },
  ),
  'unknown-type': createExploration(
    10,
    'is followed by an event of an unknown type',
    SUGGESTED_FIXES.acknowledge,
  ),
  restart: [
    createExploration(
      11,
      'gets its response, and then the application restarts',
      'Store the event before responding, and process the stored event later.',
      { values: { when: 'answered' }, role: 'change' },
    ),
    createExploration(
      12,
      'is delivered right after the application restarts',
      'Store webhook-ids and orders in a database, not in memory.',
      { name: 'restart before', values: { when: 'before' }, role: 'change' },
    ),
  ],
};

/** Configures how `explore` uses each fault; other faults are not explored. */
export const EXPLORATIONS: Readonly<Record<'call' | 'delivery', Explorations<string>>> = {
  call: CALL_EXPLORATIONS,
  delivery: DELIVERY_EXPLORATIONS,
};
