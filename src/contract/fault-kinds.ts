/** Routes that support request faults (§4); `:name` is a path parameter. */
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

export type CallRoute = (typeof CALL_ROUTES)[keyof typeof CALL_ROUTES][number];

export const FAULT_APIS = ['api', 'identity'] as const;

/** APIs whose requests are recorded. */
export const CALL_APIS = [...FAULT_APIS, 'hosted'] as const;

/**
 * Determines when the `restart` fault restarts the application: before the attempt, or right after the
 * application's response, possibly before the event is stored.
 */
export const RESTART_MOMENTS = ['before', 'answered'] as const;
type RestartMoment = (typeof RESTART_MOMENTS)[number];

/** Default fault details, overridable by the fault or its kind. */
export const FAULT_DEFAULTS = {
  status: 500,
  delayMs: 1_000,
  copies: 1,
  parallel: false,
  when: 'answered' as RestartMoment,
};
type Details = typeof FAULT_DEFAULTS;
export type FaultField = Exclude<keyof Details, 'delayMs'> | 'delay';

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
  readonly values?: Partial<Omit<Details, 'delayMs'>> & { readonly delay?: string };
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

/** Defines how a fault signs an attempt; `signedWith` is in English and Portuguese. */
export interface Forgery {
  readonly secrets: readonly ('own' | 'unknown')[];
  readonly ageMs?: number;
  /** Receivers must still accept the signature. */
  readonly isValid?: true;
  readonly signedWith: readonly [string, string];
}

/** Extra message sent by a fault. */
export type ExtraMessage = 'expiry' | 'stale-expiry' | 'unknown-type';

/** Fault mechanics in execution order. */
export type FaultMechanic =
  | 'wait'
  /**
   * Request faults: `respond` replaces processing; `close` and `reset` act after processing unless
   * `isUnhandled`.
   */
  | 'respond'
  | 'settle-first'
  | 'insert-row'
  | 'close'
  | 'reset'
  /**
   * Delivery faults: the first mechanics change the request, and the remaining mechanics change its timing.
   * With `respond` and `fail`, the request never reaches the receiver.
   */
  | 'reserialize'
  | 'forge'
  | 'hold'
  | 'step-aside'
  | 'restart'
  | 'fail'
  | 'send-before'
  | 'repeat'
  | 'send-if-accepted'
  | 'send-after'
  | 'lose-response'
  | 'slow-down';

interface FaultKind extends Partial<Details> {
  readonly meaning: string;
  readonly mechanic: FaultMechanic;
  /** Details the fault accepts. */
  readonly fields?: readonly FaultField[];
  readonly explore?: FaultExploration | readonly FaultExploration[];
  /** Limits the fault to these routes. */
  readonly routes?: readonly CallRoute[];
  /** Sends the delay as Retry-After. */
  readonly hasRetryAfter?: true;
  readonly isUnhandled?: true;
  /** Sends only half of the response. */
  readonly sendsHalf?: true;
  readonly error?: 'TIMEOUT';
  readonly message?: ExtraMessage;
  readonly forgery?: Forgery;
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
function createFaultKind(
  meaning: string,
  mechanic: FaultMechanic,
  more: Omit<FaultKind, 'meaning' | 'mechanic'> = {},
): FaultKind {
  return { meaning, mechanic, ...more };
}

/** Request faults by action. */
export const CALL_FAULTS = {
  status: createFaultKind(
    'respond with this status and an error body, without processing the request',
    'respond',
    {
      fields: ['status'],
      explore: [500, 503].map((status, index) =>
        createExploration(17 + index, `gets a ${status} response`, SUGGESTED_FIXES.sameCode, {
          name: `status ${status}`,
          values: { status },
          runsAlone: true,
        }),
      ),
    },
  ),
  delay: createFaultKind('delay the response', 'wait', {
    fields: ['delay'],
    explore: createExploration(
      22,
      'gets its response 300 ms late',
      'Wait longer for the response, and after a timeout resend the request with the same code.',
      { values: { delay: '300ms' } },
    ),
  }),
  reset: createFaultKind('reset the connection without processing the request', 'reset', {
    isUnhandled: true,
    explore: createExploration(20, 'gets a connection reset', SUGGESTED_FIXES.sameCode, { runsAlone: true }),
  }),
  empty: createFaultKind('close the connection without processing the request or responding', 'close', {
    isUnhandled: true,
    explore: createExploration(21, 'has its connection closed', SUGGESTED_FIXES.sameCode, {
      runsAlone: true,
    }),
  }),
  cut: createFaultKind('process the request, then truncate the response', 'close', {
    sendsHalf: true,
    explore: createExploration(16, 'is processed, but its response is truncated', SUGGESTED_FIXES.sameCode, {
      role: 'repeat',
    }),
  }),
  'lose-response': createFaultKind(
    'process the request, then reset the connection instead of responding',
    'reset',
    {
      explore: createExploration(15, 'is processed, but its response is dropped', SUGGESTED_FIXES.sameCode, {
        role: 'repeat',
      }),
    },
  ),
  'rate-limit': createFaultKind(
    'respond with 429 and Retry-After, without processing the request',
    'respond',
    {
      status: 429,
      hasRetryAfter: true,
      fields: ['delay'],
      explore: createExploration(
        19,
        'gets a 429 response',
        'Wait for the Retry-After time, then resend the same code with a new nonce and signature.',
        { runsAlone: true },
      ),
    },
  ),
  'event-first': createFaultKind(
    'settle the new charge, and delay the response until the event is delivered',
    'settle-first',
    {
      explore: createExploration(
        5,
        'gets its response only after the event for the settled charge is delivered',
        'Store the order before sending the API request, or store the event until the order exists.',
        { at: 'first creation', role: 'change' },
      ),
    },
  ),
  'insert-between-pages': createFaultKind(
    'after a page of withdrawals or transactions, simulate a payout by another user',
    'insert-row',
    {
      routes: ['GET /api/public/v1/withdrawals', 'GET /api/public/v1/accounts/:id/transactions'],
      explore: createExploration(
        13,
        'gets its response, and a row is added before the next page is read',
        'Continue from the newest row of the first page.',
        { at: 'page', role: 'change' },
      ),
    },
  ),
};

/** Delivery faults by action. If several faults break the signature, the first one in this table applies. */
export const DELIVERY_FAULTS = {
  answer: createFaultKind('record this status as the response, without sending the attempt', 'respond', {
    fields: ['status'],
    explore: createExploration(
      4,
      'fails with 500 before it arrives, and is retried later',
      'Do not depend on the arrival time: failed attempts are retried later.',
      { values: { status: 500 }, role: 'repeat', runsAlone: true, isRetried: true },
    ),
  }),
  timeout: createFaultKind('the receiver never responds', 'fail', { error: 'TIMEOUT' }),
  drop: createFaultKind('the attempt never arrives', 'fail'),
  'lose-answer': createFaultKind(
    'the receiver gets the attempt, but its response is dropped',
    'lose-response',
    {
      explore: createExploration(
        3,
        'is delivered again because its response was dropped',
        SUGGESTED_FIXES.storeIds,
        {
          role: 'repeat',
          isRetried: true,
        },
      ),
    },
  ),
  delay: createFaultKind('the attempt is sent later', 'wait', { fields: ['delay'] }),
  hold: createFaultKind('due attempts are held until the fault ends, and then sent together', 'hold'),
  slow: createFaultKind('the receiver responds later', 'slow-down', { fields: ['delay'] }),
  duplicate: createFaultKind('the receiver gets the attempt more than once', 'repeat', {
    fields: ['copies', 'parallel'],
    explore: [
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
  }),
  reorder: createFaultKind('a later delivery overtakes the attempt', 'step-aside', {
    explore: createExploration(
      9,
      'is overtaken by the next delivery',
      'Do not depend on event order: derive the state from all events.',
      { role: 'change' },
    ),
  }),
  'stale-expired': createFaultKind(
    'after pix.settled, the receiver gets a pix.expired for the same charge',
    'send-if-accepted',
    {
      message: 'stale-expiry',
      explore: createExploration(
        6,
        'is followed by an old pix.expired for the same charge',
        'Rank the states of an order, and ignore pix.expired after a payment.',
        { at: 'settlement', role: 'change' },
      ),
    },
  ),
  'late-payment': createFaultKind(
    'before pix.settled, the receiver gets a pix.expired for the same charge',
    'send-before',
    {
      message: 'expiry',
      explore: createExploration(
        7,
        'is a late payment, delivered after a pix.expired for the same charge',
        'Accept pix.settled after pix.expired: the payer has paid.',
        { at: 'late settlement', role: 'change', isRecorded: true },
      ),
    },
  ),
  'reserialized-body': createFaultKind(
    'the body is the same JSON, serialized differently but signed correctly',
    'reserialize',
    {
      explore: createExploration(
        8,
        'has the same JSON, serialized differently but signed correctly',
        SUGGESTED_FIXES.rawBytes,
        {
          at: 'first of endpoint',
        },
      ),
    },
  ),
  'two-signatures': createFaultKind('a signature from an unknown secret precedes the valid one', 'forge', {
    forgery: {
      secrets: ['unknown', 'own'],
      isValid: true,
      signedWith: [
        'an unknown secret, then the endpoint’s secret',
        'um segredo desconhecido e depois o do endpoint',
      ],
    },
  }),
  'wrong-signature': createFaultKind('the attempt is signed with an unknown secret', 'forge', {
    forgery: { secrets: ['unknown'], signedWith: ['an unknown secret', 'um segredo desconhecido'] },
    explore: createExploration(
      14,
      'is signed with the wrong secret, then retried with a valid signature',
      'Reject an invalid signature with 400, and store nothing from that webhook, not even its id.',
      { at: 'first of endpoint', runsAlone: true, isRetried: true },
    ),
  }),
  'stale-timestamp': createFaultKind('the signed timestamp is ten minutes old', 'forge', {
    forgery: {
      secrets: ['own'],
      ageMs: 600_000,
      signedWith: ['the endpoint’s secret, ten minutes ago', 'o segredo do endpoint, há dez minutos'],
    },
  }),
  'unknown-type': createFaultKind('the receiver also gets an event of an unknown type', 'send-after', {
    message: 'unknown-type',
    explore: createExploration(10, 'is followed by an event of an unknown type', SUGGESTED_FIXES.acknowledge),
  }),
  restart: createFaultKind(
    'the application restarts, by default as soon as its response arrives',
    'restart',
    {
      fields: ['when'],
      explore: [
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
    },
  ),
};

export type CallFaultAction = keyof typeof CALL_FAULTS;
export type DeliveryFaultAction = keyof typeof DELIVERY_FAULTS;

/** Combines both tables, typed for lookup by any action name. */
export const FAULTS: Readonly<Record<'call' | 'delivery', Readonly<Record<string, FaultKind>>>> = {
  call: CALL_FAULTS,
  delivery: DELIVERY_FAULTS,
};

/** Returns true for actions available on both requests and deliveries. */
export function isSharedAction(action: string): boolean {
  return action in CALL_FAULTS && action in DELIVERY_FAULTS;
}

interface FiredAction {
  readonly action: string;
}

/** Returns true for a fault that restarts the application. */
export const isRestart = ({ action }: FiredAction) => FAULTS.delivery[action]?.mechanic === 'restart';

/** Returns true for a fault that holds due attempts until its end, without using an attempt. */
export const holdsDeliveries = (action: string) => FAULTS.delivery[action]?.mechanic === 'hold';

/** Returns true if the fault, not the receiver's response, determines the recorded outcome. */
export function replacesOutcome(fault: FiredAction): boolean {
  return listFiredKinds('delivery', [fault], 'respond', 'fail', 'lose-response', 'slow-down').length > 0;
}

/** Lists the fired faults with one of these mechanics, including their resolved details. */
export function listFiredKinds(
  on: 'call' | 'delivery',
  fired: readonly FiredAction[],
  ...mechanic: readonly FaultMechanic[]
) {
  return fired.flatMap((fault): (FaultKind & Details & FiredAction)[] => {
    const kind = FAULTS[on][fault.action];
    if (kind === undefined || !mechanic.includes(kind.mechanic)) return [];
    const own = Object.entries(fault).filter(([, value]) => value !== null && value !== undefined);
    return [{ ...FAULT_DEFAULTS, ...kind, ...Object.fromEntries(own), action: fault.action }];
  });
}

/** Returns the forgery applied by the fired faults, or undefined if the signature is intact. */
export function findForgery(fired: readonly FiredAction[]) {
  for (const action of Object.keys(DELIVERY_FAULTS) as DeliveryFaultAction[]) {
    const { forgery } = DELIVERY_FAULTS[action];
    if (forgery !== undefined && fired.some((fault) => fault.action === action))
      return { action, ...forgery };
  }
  return undefined;
}
