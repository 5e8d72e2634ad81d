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
export type FaultDetails = typeof FAULT_DEFAULTS;
export type FaultField = Exclude<keyof FaultDetails, 'delayMs'> | 'delay';

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

interface FaultKind extends Partial<FaultDetails> {
  readonly meaning: string;
  readonly mechanic: FaultMechanic;
  /** Details the fault accepts. */
  readonly fields?: readonly FaultField[];
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
    { fields: ['status'] },
  ),
  delay: createFaultKind('delay the response', 'wait', { fields: ['delay'] }),
  reset: createFaultKind('reset the connection without processing the request', 'reset', {
    isUnhandled: true,
  }),
  empty: createFaultKind('close the connection without processing the request or responding', 'close', {
    isUnhandled: true,
  }),
  cut: createFaultKind('process the request, then truncate the response', 'close', { sendsHalf: true }),
  'lose-response': createFaultKind(
    'process the request, then reset the connection instead of responding',
    'reset',
  ),
  'rate-limit': createFaultKind(
    'respond with 429 and Retry-After, without processing the request',
    'respond',
    {
      status: 429,
      hasRetryAfter: true,
      fields: ['delay'],
    },
  ),
  'event-first': createFaultKind(
    'settle the new charge, and delay the response until the event is delivered',
    'settle-first',
  ),
  'insert-between-pages': createFaultKind(
    'after a page of withdrawals or transactions, simulate a payout by another user',
    'insert-row',
    { routes: ['GET /api/public/v1/withdrawals', 'GET /api/public/v1/accounts/:id/transactions'] },
  ),
};

/** Delivery faults by action. If several faults break the signature, the first one in this table applies. */
export const DELIVERY_FAULTS = {
  answer: createFaultKind('record this status as the response, without sending the attempt', 'respond', {
    fields: ['status'],
  }),
  timeout: createFaultKind('the receiver never responds', 'fail', { error: 'TIMEOUT' }),
  drop: createFaultKind('the attempt never arrives', 'fail'),
  'lose-answer': createFaultKind(
    'the receiver gets the attempt, but its response is dropped',
    'lose-response',
  ),
  delay: createFaultKind('the attempt is sent later', 'wait', { fields: ['delay'] }),
  hold: createFaultKind('due attempts are held until the fault ends, and then sent together', 'hold'),
  slow: createFaultKind('the receiver responds later', 'slow-down', { fields: ['delay'] }),
  duplicate: createFaultKind('the receiver gets the attempt more than once', 'repeat', {
    fields: ['copies', 'parallel'],
  }),
  reorder: createFaultKind('a later delivery overtakes the attempt', 'step-aside'),
  'stale-expired': createFaultKind(
    'after pix.settled, the receiver gets a pix.expired for the same charge',
    'send-if-accepted',
    { message: 'stale-expiry' },
  ),
  'late-payment': createFaultKind(
    'before pix.settled, the receiver gets a pix.expired for the same charge',
    'send-before',
    { message: 'expiry' },
  ),
  'reserialized-body': createFaultKind(
    'the body is the same JSON, serialized differently but signed correctly',
    'reserialize',
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
  }),
  restart: createFaultKind(
    'the application restarts, by default as soon as its response arrives',
    'restart',
    { fields: ['when'] },
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
  return fired.flatMap((fault): (FaultKind & FaultDetails & FiredAction)[] => {
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

/** Returns the fault's action and incident, e.g. `status of api-down`. */
export function formatFaultName({
  action,
  incident,
}: {
  readonly action: string;
  readonly incident?: string | undefined;
}): string {
  return incident === undefined ? action : `${action} of ${incident}`;
}
