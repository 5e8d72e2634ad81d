/** The routes that support faults on calls, with `:name` for a part that varies (§4). */
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

/** APIs with recorded calls. */
export const CALL_APIS = [...FAULT_APIS, 'hosted'] as const;

/**
 * Moments of the fault `restart`: before the attempt, or after its response arrives and before it is
 * necessarily stored.
 */
export const RESTART_MOMENTS = ['before', 'answered'] as const;
type RestartMoment = (typeof RESTART_MOMENTS)[number];

/** Details of a fault unless overridden by it or its kind. */
export const FAULT_DEFAULTS = {
  status: 500,
  delayMs: 1_000,
  copies: 1,
  parallel: false,
  when: 'answered' as RestartMoment,
};
type Details = typeof FAULT_DEFAULTS;
export type FaultField = Exclude<keyof Details, 'delayMs'> | 'delay';

/** Use of a fault by `explore`. */
export interface FaultExploration {
  /** Order of trying faults, the most destructive first. */
  readonly rank: number;
  /** Describes the fault, following the text of its point. */
  readonly description: string;
  readonly fix: string;
  /** Its name there, if not that of the fault. */
  readonly name?: string;
  /** Points it fits; by default every API request or attempt. */
  readonly at?: 'settlement' | 'late settlement' | 'first of endpoint' | 'first creation' | 'page';
  readonly values?: Partial<Omit<Details, 'delayMs'>> & { readonly delay?: string };
  /** Nothing else can happen at the same point. */
  readonly runsAlone?: true;
  readonly isRetried?: true;
  /** A repeat delivers something again, a change alters the state in between; a pair of both is the most promising. */
  readonly role?: 'repeat' | 'change';
  /** Correct applications record it, so their probe may differ from a run without faults. */
  readonly isRecorded?: true;
}

/** Signing of a fault; `signedWith` is in English and in Portuguese. */
export interface Forgery {
  readonly secrets: readonly ('own' | 'unknown')[];
  readonly ageMs?: number;
  /** A receiver must accept it all the same. */
  readonly isValid?: true;
  readonly signedWith: readonly [string, string];
}

/** An extra message sent by a fault next to an attempt. */
export type ExtraMessage = 'expiry' | 'stale-expiry' | 'unknown-type';

/** Mechanics of faults, in execution order. */
export type FaultMechanic =
  | 'wait'
  /** Calls: a response instead of the work; a response or none after it, unless `isUnhandled`. */
  | 'respond'
  | 'settle-first'
  | 'insert-row'
  | 'close'
  | 'reset'
  /** Deliveries: the request, then the time; `respond` and `fail` end the attempt without the receiver. */
  | 'reserialize'
  | 'forge'
  | 'step-aside'
  | 'restart'
  | 'fail'
  | 'send-before'
  | 'repeat'
  | 'send-if-accepted'
  | 'send-after'
  | 'lose-response'
  | 'slow-down';

/** A fault. */
interface FaultKind extends Partial<Details> {
  readonly meaning: string;
  readonly mechanic: FaultMechanic;
  /** Accepted details. */
  readonly fields?: readonly FaultField[];
  readonly explore?: FaultExploration | readonly FaultExploration[];
  /** Routes it is limited to. */
  readonly routes?: readonly CallRoute[];
  /** The delay goes into Retry-After. */
  readonly hasRetryAfter?: true;
  readonly isUnhandled?: true;
  /** Half of the response is sent. */
  readonly sendsHalf?: true;
  readonly error?: 'TIMEOUT';
  readonly message?: ExtraMessage;
  readonly forgery?: Forgery;
}

/** Fixes suggested by `explore`; shared with some invariants. */
export const SUGGESTED_FIXES = {
  storeIds:
    'Store each webhook-id under a unique key, in the transaction that handles the event, ' +
    'and respond 200 to a known one.',
  sameCode:
    'Send the request again with the same code, a new nonce and a new signature: it returns the charge.',
  rawBytes: 'Verify the signature over the raw bytes of the body, before anything parses them.',
  acknowledge: 'Respond 200 to event types that you do not handle.',
};

function explored(
  rank: number,
  description: string,
  fix: string,
  more: Omit<FaultExploration, 'rank' | 'description' | 'fix'> = {},
): FaultExploration {
  return { rank, description, fix, ...more };
}
function fault(
  meaning: string,
  mechanic: FaultMechanic,
  more: Omit<FaultKind, 'meaning' | 'mechanic'> = {},
): FaultKind {
  return { meaning, mechanic, ...more };
}

/** The faults on calls. */
export const CALL_FAULTS = {
  status: fault('respond with this status and an error body, and do nothing', 'respond', {
    fields: ['status'],
    explore: [500, 503].map((status, index) =>
      explored(17 + index, `gets a ${status} response`, SUGGESTED_FIXES.sameCode, {
        name: `status ${status}`,
        values: { status },
        runsAlone: true,
      }),
    ),
  }),
  delay: fault('answer later', 'wait', {
    fields: ['delay'],
    explore: explored(
      22,
      'gets its response 300 ms late',
      'Allow more time for the response, and send the same code again after a timeout.',
      { values: { delay: '300ms' } },
    ),
  }),
  reset: fault('reset the connection, and do nothing', 'reset', {
    isUnhandled: true,
    explore: explored(20, 'gets a connection reset', SUGGESTED_FIXES.sameCode, { runsAlone: true }),
  }),
  empty: fault('close the connection without a response, and do nothing', 'close', {
    isUnhandled: true,
    explore: explored(21, 'gets a closed connection', SUGGESTED_FIXES.sameCode, { runsAlone: true }),
  }),
  cut: fault('do it, and cut the response off in the middle', 'close', {
    sendsHalf: true,
    explore: explored(16, 'is processed, and its response is truncated', SUGGESTED_FIXES.sameCode, {
      role: 'repeat',
    }),
  }),
  'lose-response': fault('do it, and reset the connection instead of responding', 'reset', {
    explore: explored(15, 'is processed, and its response is lost', SUGGESTED_FIXES.sameCode, {
      role: 'repeat',
    }),
  }),
  'rate-limit': fault('respond with 429 and Retry-After, and do nothing', 'respond', {
    status: 429,
    hasRetryAfter: true,
    fields: ['delay'],
    explore: explored(
      19,
      'gets a 429 response',
      'Wait as long as Retry-After says. Then send the same code again, with a new nonce and signature.',
      { runsAlone: true },
    ),
  }),
  'event-first': fault(
    'settle the new charge, and delay the response until its event is delivered',
    'settle-first',
    {
      explore: explored(
        5,
        'gets its response only after the event of the settled charge was delivered',
        'Store the order before the API request, or the event until the order is known.',
        { at: 'first creation', role: 'change' },
      ),
    },
  ),
  'insert-between-pages': fault(
    'after a page of withdrawals or transactions, another user of the account pays out',
    'insert-row',
    {
      routes: ['GET /api/public/v1/withdrawals', 'GET /api/public/v1/accounts/:id/transactions'],
      explore: explored(
        13,
        'gets its response, and a row is added before the next page is read',
        'Continue from the newest row of the first page.',
        { at: 'page', role: 'change' },
      ),
    },
  ),
};

/** The faults on deliveries; of several that break a signature, the first here counts. */
export const DELIVERY_FAULTS = {
  answer: fault('this status is the response, and the receiver gets nothing', 'respond', {
    fields: ['status'],
    explore: explored(
      4,
      'gets a 500 before it arrives, and is delivered again later',
      'Do not depend on the time of arrival: after a failed attempt an event is delivered again later.',
      { values: { status: 500 }, role: 'repeat', runsAlone: true, isRetried: true },
    ),
  }),
  timeout: fault('the receiver never responds', 'fail', { error: 'TIMEOUT' }),
  drop: fault('the attempt never arrives', 'fail'),
  'lose-answer': fault('the receiver gets it, but its response is lost', 'lose-response', {
    explore: explored(
      3,
      'is delivered, its response is lost, and it is delivered again',
      SUGGESTED_FIXES.storeIds,
      {
        role: 'repeat',
        isRetried: true,
      },
    ),
  }),
  delay: fault('the attempt is sent later', 'wait', { fields: ['delay'] }),
  slow: fault('the receiver responds later', 'slow-down', { fields: ['delay'] }),
  duplicate: fault('the receiver gets it more than once', 'repeat', {
    fields: ['copies', 'parallel'],
    explore: [
      explored(1, 'is delivered twice', SUGGESTED_FIXES.storeIds, { values: { copies: 1 }, role: 'repeat' }),
      explored(
        2,
        'is delivered four times concurrently',
        'Insert the webhook-id first, under a unique key, and handle the event only if the insert succeeds.',
        { name: 'parallel duplicate', values: { copies: 3, parallel: true }, role: 'repeat' },
      ),
    ],
  }),
  reorder: fault('a later delivery overtakes it', 'step-aside', {
    explore: explored(
      9,
      'is overtaken by the next one',
      'Do not depend on the order of events: derive the state from all of them.',
      { role: 'change' },
    ),
  }),
  'stale-expired': fault(
    'after pix.settled the receiver gets a pix.expired of the same charge',
    'send-if-accepted',
    {
      message: 'stale-expiry',
      explore: explored(
        6,
        'is followed by an old pix.expired of the same charge',
        'Rank the states of an order, and ignore pix.expired after a payment.',
        { at: 'settlement', role: 'change' },
      ),
    },
  ),
  'late-payment': fault(
    'before pix.settled the receiver gets a pix.expired of the same charge',
    'send-before',
    {
      message: 'expiry',
      explore: explored(
        7,
        'is a late payment, delivered after a pix.expired of the same charge',
        'Accept pix.settled after pix.expired: the payer has paid.',
        { at: 'late settlement', role: 'change', isRecorded: true },
      ),
    },
  ),
  'reserialized-body': fault('its body is the same JSON in other bytes, correctly signed', 'reserialize', {
    explore: explored(8, 'has the same JSON in other bytes, correctly signed', SUGGESTED_FIXES.rawBytes, {
      at: 'first of endpoint',
    }),
  }),
  'two-signatures': fault('a second signature, by an unknown secret, comes first', 'forge', {
    forgery: {
      secrets: ['unknown', 'own'],
      isValid: true,
      signedWith: [
        'an unknown secret, then the endpoint’s',
        'um segredo desconhecido e depois o do endpoint',
      ],
    },
  }),
  'wrong-signature': fault('it is signed with another secret', 'forge', {
    forgery: { secrets: ['unknown'], signedWith: ['an unknown secret', 'um segredo desconhecido'] },
    explore: explored(
      14,
      'is signed with a wrong secret, and delivered again correctly signed',
      'Refuse an invalid signature with 400, and store nothing of that webhook, not even its id.',
      { at: 'first of endpoint', runsAlone: true, isRetried: true },
    ),
  }),
  'stale-timestamp': fault('its timestamp, which is signed, is ten minutes old', 'forge', {
    forgery: {
      secrets: ['own'],
      ageMs: 600_000,
      signedWith: ['the endpoint’s secret, ten minutes ago', 'o segredo do endpoint, há dez minutos'],
    },
  }),
  'unknown-type': fault('after it the receiver gets an event of a future type', 'send-after', {
    message: 'unknown-type',
    explore: explored(10, 'is followed by an event of a future type', SUGGESTED_FIXES.acknowledge),
  }),
  restart: fault('the application is restarted, by default as soon as its response has arrived', 'restart', {
    fields: ['when'],
    explore: [
      explored(
        11,
        'gets its response, and then the application restarts',
        'Store the event before the response, and process it afterwards from there.',
        { values: { when: 'answered' }, role: 'change' },
      ),
      explored(
        12,
        'is delivered right after the application restarted',
        'Keep webhook-ids and orders in a database, not in memory.',
        { name: 'restart before', values: { when: 'before' }, role: 'change' },
      ),
    ],
  }),
};

export type CallFaultAction = keyof typeof CALL_FAULTS;
export type DeliveryFaultAction = keyof typeof DELIVERY_FAULTS;

/** Both tables, for actions of any origin. */
export const FAULTS: Readonly<Record<'call' | 'delivery', Readonly<Record<string, FaultKind>>>> = {
  call: CALL_FAULTS,
  delivery: DELIVERY_FAULTS,
};

/** True for a fault of both API requests and deliveries. */
export function isSharedAction(action: string): boolean {
  return action in CALL_FAULTS && action in DELIVERY_FAULTS;
}

interface Fired {
  readonly action: string;
}

/** True for a fault restarting the application. */
export const isRestart = ({ action }: Fired) => FAULTS.delivery[action]?.mechanic === 'restart';

/**
 * True if the receiver never sees an attempt with this fault, or its outcome differs from the receiver's
 * report.
 */
export function replacesOutcome(fault: Fired): boolean {
  return listFiredKinds('delivery', [fault], 'respond', 'fail', 'lose-response', 'slow-down').length > 0;
}

/** The kinds of the faults that fired and do one of these things, each with the details of the fault. */
export function listFiredKinds(
  on: 'call' | 'delivery',
  fired: readonly Fired[],
  ...mechanic: readonly FaultMechanic[]
) {
  return fired.flatMap((fault): (FaultKind & Details & Fired)[] => {
    const kind = FAULTS[on][fault.action];
    if (kind === undefined || !mechanic.includes(kind.mechanic)) return [];
    const own = Object.entries(fault).filter(([, value]) => value !== null && value !== undefined);
    return [{ ...FAULT_DEFAULTS, ...kind, ...Object.fromEntries(own), action: fault.action }];
  });
}

/** Returns how the fired faults break an attempt's signature; undefined if intact. */
export function findForgery(fired: readonly Fired[]) {
  for (const action of Object.keys(DELIVERY_FAULTS) as DeliveryFaultAction[]) {
    const { forgery } = DELIVERY_FAULTS[action];
    if (forgery !== undefined && fired.some((fault) => fault.action === action))
      return { action, ...forgery };
  }
  return undefined;
}
