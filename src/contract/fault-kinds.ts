/** The routes of the doors that support faults on calls, with `:name` for a part that varies (§4). */
export const CALL_ROUTES = {
  api: [
    'POST /api/public/v1/pix',
    'GET /api/public/v1/withdrawals',
    'GET /api/public/v1/accounts/:id/transactions',
    'POST /api/public/v1/webhook-endpoints',
    'GET /api/public/v1/webhook-endpoints',
    'GET /api/public/v1/webhook-endpoints/:endpoint_id',
    'POST /api/public/v1/webhook-endpoints/:id/rotate-secret',
    'GET /api/public/v1/webhook-endpoints/:id/deliveries',
    'POST /api/public/v1/webhook-endpoints/:endpoint_id/deliveries/:delivery_id/retry',
  ],
  identity: ['POST /api/v1/kyc/sessions', 'GET /api/v1/kyc/sessions/:sessionId/result'],
} as const;

export const FAULT_DOORS = ['api', 'identity'] as const;

/** The faults on calls, with their meaning. */
export const CALL_FAULTS = {
  status: 'answer with this status and an error body, and do nothing',
  delay: 'answer later',
  reset: 'reset the connection, and do nothing',
  empty: 'close the connection without an answer, and do nothing',
  cut: 'do it, and cut the answer off in the middle',
  'lose-response': 'do it, and reset the connection instead of answering',
  'rate-limit': 'answer 429 with Retry-After, and do nothing',
  'event-first': 'settle the new charge, and delay the answer until that event is delivered',
  'insert-between-pages': 'after a page of withdrawals or transactions, another user of the account pays out',
} as const;

/** The faults on deliveries, with their meaning. */
export const DELIVERY_FAULTS = {
  answer: 'this status is the answer, and the receiver is not called',
  timeout: 'the receiver never answers',
  drop: 'the attempt never arrives',
  'lose-answer': 'the receiver gets it, but its answer is lost',
  delay: 'the attempt is sent later',
  slow: 'the receiver answers later',
  duplicate: 'the receiver gets it more than once',
  reorder: 'a later delivery overtakes it',
  'stale-expired': 'after pix.settled the receiver gets a pix.expired of the same charge',
  'late-payment': 'before pix.settled the receiver gets a pix.expired of the same charge',
  'reserialized-body': 'its body is the same JSON in other bytes, correctly signed',
  'wrong-signature': 'it is signed with another secret',
  'stale-timestamp': 'its timestamp, which is signed, is ten minutes old',
  'two-signatures': 'a second signature, by an unknown secret, comes first',
  'unknown-type': 'after it the receiver gets an event of a type that does not exist yet',
  restart: 'the application is restarted, by default as soon as its answer has arrived',
} as const;

/** When the fault `restart` restarts: before the attempt, or when its answer has arrived and may not be stored yet. */
export const RESTART_MOMENTS = ['before', 'answered'] as const;
export type RestartMoment = (typeof RESTART_MOMENTS)[number];

/** The fields that only some faults have, and which those are. */
export const FAULT_FIELDS = {
  status: ['status', 'answer'],
  delay: ['delay', 'slow', 'rate-limit'],
  copies: ['duplicate'],
  parallel: ['duplicate'],
  when: ['restart'],
} as const satisfies Record<string, readonly (CallFaultAction | DeliveryFaultAction)[]>;

export type CallFaultAction = keyof typeof CALL_FAULTS;
export type DeliveryFaultAction = keyof typeof DELIVERY_FAULTS;

/** The faults that break a signature; of several, the first here counts. */
const FORGERIES = [
  'two-signatures',
  'wrong-signature',
  'stale-timestamp',
] as const satisfies DeliveryFaultAction[];

export type Forgery = (typeof FORGERIES)[number];

/** How the signature of an attempt is broken by the faults that fired on it; undefined leaves it intact. */
export function forgeryOf(fired: readonly { readonly action: string }[]): Forgery | undefined {
  return FORGERIES.find((forgery) => fired.some(({ action }) => action === forgery));
}
