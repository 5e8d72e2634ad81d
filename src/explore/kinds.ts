import type { Ability, FaultClass, FaultFields, Point } from './explore.js';

/** Facts about the points, learned from the runs without faults. */
export interface Facts {
  readonly points: readonly Point[];
  /** Charges that were settled and never expired or failed, by code and by rank. */
  readonly settled: ReadonlySet<string | number>;
  readonly hasLateWindow: boolean;
  readonly paged: ReadonlySet<string>;
}

export function globOf(route: string): string {
  return route.replaceAll(/:\w+/g, '*');
}

/** A text that two points have in common only if they are the same. */
export function keyOf(point: Point): string {
  return JSON.stringify(
    point.on === 'call'
      ? [point.door, point.method, point.route, point.code, point.resource, point.nth]
      : [point.event, point.code, point.resource, point.endpoint, point.attempt, point.nth],
  );
}

export interface Kind {
  readonly name: string;
  readonly class: FaultClass;
  readonly action: Pick<FaultFields, 'action' | 'status' | 'copies' | 'parallel' | 'when' | 'delay'>;
  readonly fits: (point: Point, facts: Facts) => boolean;
  /** Describes the fault, in words that follow those of the point. */
  readonly words: string;
  readonly fix: string;
  readonly needs?: readonly Ability[];
  /** Nothing else can happen at the same point. */
  readonly isAlone?: boolean;
  readonly isRetried?: boolean;
  /** A repeat delivers something again, a change alters the state in between; a pair of both is the most promising. */
  readonly role?: 'repeat' | 'change';
  /** Correct applications record it, so their probe may differ from a run without faults. */
  readonly isRecorded?: boolean;
}

export const CREATE_CHARGE = '/api/public/v1/pix';

const STORE_IDS =
  'Store each webhook-id under a unique key, in the transaction that handles the event, ' +
  'and respond 200 to a known one.';
export const SAME_CODE =
  'Send the request again with the same code, a new nonce and a new signature: it returns the charge.';
export const RAW_BYTES = 'Verify the signature over the raw bytes of the body, before anything parses them.';
export const ACKNOWLEDGE = 'Respond 200 to event types that you do not handle.';

type Fits = Kind['fits'];

function ofClass(faultClass: FaultClass) {
  return (
    name: string,
    action: Kind['action'],
    fits: Fits,
    rest: Omit<Kind, 'name' | 'class' | 'action' | 'fits'>,
  ): Kind => ({ name, class: faultClass, action, fits, ...rest });
}
const promised = ofClass('promised');
const outage = ofClass('outage');

const onDelivery: Fits = ({ on }) => on === 'delivery';
const onCall: Fits = ({ on }) => on === 'call';

const onSettledCharge: Fits = ({ code, resource }, { settled }) =>
  (code !== null && settled.has(code)) || (resource !== null && settled.has(resource));

const onSettlement: Fits = (point, facts) =>
  point.on === 'delivery' && point.event === 'pix.settled' && onSettledCharge(point, facts);

const onFirstOfEndpoint: Fits = (point, { points }) => {
  if (point.on !== 'delivery') return false;
  const first = points.find((one) => one.on === 'delivery' && one.endpoint === point.endpoint);
  return first !== undefined && keyOf(first) === keyOf(point);
};

const onFirstCreation: Fits = (point, facts) =>
  point.on === 'call' && point.route === CREATE_CHARGE && point.nth === 1 && onSettledCharge(point, facts);

/** Faults that the contract promises, those that break most applications first. */
const PROMISED: readonly Kind[] = [
  promised('duplicate', { action: 'duplicate', copies: 1 }, onDelivery, {
    words: 'is delivered twice',
    fix: STORE_IDS,
    role: 'repeat',
  }),
  promised('parallel duplicate', { action: 'duplicate', copies: 3, parallel: true }, onDelivery, {
    words: 'is delivered four times concurrently',
    fix: 'Insert the webhook-id first, under a unique key, and handle the event only if the insert succeeds.',
    role: 'repeat',
  }),
  promised('lose-answer', { action: 'lose-answer' }, onDelivery, {
    words: 'is delivered, its response is lost, and it is delivered again',
    fix: STORE_IDS,
    role: 'repeat',
    isRetried: true,
  }),
  promised('answer', { action: 'answer', status: 500 }, onDelivery, {
    words: 'gets a 500 before it arrives, and is delivered again later',
    fix: 'Do not depend on the time of arrival: after a failed attempt an event is delivered again later.',
    role: 'repeat',
    isAlone: true,
    isRetried: true,
  }),
  promised('event-first', { action: 'event-first' }, onFirstCreation, {
    words: 'gets its response only after the event of the settled charge was delivered',
    fix: 'Store the order before the API request, or the event until the order is known.',
    role: 'change',
  }),
  promised('stale-expired', { action: 'stale-expired' }, onSettlement, {
    words: 'is followed by an old pix.expired of the same charge',
    fix: 'Rank the states of an order, and ignore pix.expired after a payment.',
    role: 'change',
  }),
  promised(
    'late-payment',
    { action: 'late-payment' },
    (point, facts) => facts.hasLateWindow && onSettlement(point, facts),
    {
      words: 'is a late payment, delivered after a pix.expired of the same charge',
      fix: 'Accept pix.settled after pix.expired: the payer has paid.',
      role: 'change',
      isRecorded: true,
    },
  ),
  promised('reserialized-body', { action: 'reserialized-body' }, onFirstOfEndpoint, {
    words: 'has the same JSON in other bytes, correctly signed',
    fix: RAW_BYTES,
  }),
  promised('reorder', { action: 'reorder' }, onDelivery, {
    words: 'is overtaken by the next one',
    fix: 'Do not depend on the order of events: derive the state from all of them.',
    role: 'change',
  }),
  promised('unknown-type', { action: 'unknown-type' }, onDelivery, {
    words: 'is followed by an event of a type that does not exist yet',
    fix: ACKNOWLEDGE,
  }),
  promised('restart', { action: 'restart', when: 'answered' }, onDelivery, {
    words: 'gets its response, and then the application restarts',
    fix: 'Store the event before the response, and process it afterwards from there.',
    role: 'change',
    needs: ['restart'],
  }),
  promised('restart before', { action: 'restart', when: 'before' }, onDelivery, {
    words: 'is delivered right after the application restarted',
    fix: 'Keep webhook-ids and orders in a database, not in memory.',
    role: 'change',
    needs: ['restart'],
  }),
  promised(
    'insert-between-pages',
    { action: 'insert-between-pages' },
    (point, { paged }) => paged.has(keyOf(point)),
    {
      words: 'gets its response, and a row is added before the next page is read',
      fix: 'Continue from the newest row of the first page that was read.',
      role: 'change',
    },
  ),
  promised('wrong-signature', { action: 'wrong-signature' }, onFirstOfEndpoint, {
    words: 'is signed with a wrong secret, and delivered again correctly signed',
    fix: 'Refuse an invalid signature with 400, and store nothing of that webhook, not even its id.',
    isAlone: true,
    isRetried: true,
  }),
];

const RATE_LIMITED =
  'Wait as long as Retry-After says. Then send the same code again, with a new nonce and signature.';
const SLOW = 'Allow more time for the response, and send the same code again after a timeout.';

/** Faults that the contract does not promise and that happen all the same; the last ones are alone at their point. */
const OUTAGES: readonly Kind[] = [
  outage('lose-response', { action: 'lose-response' }, onCall, {
    words: 'is processed, and its response is lost',
    fix: SAME_CODE,
    role: 'repeat',
  }),
  outage('cut', { action: 'cut' }, onCall, {
    words: 'is processed, and its response is truncated',
    fix: SAME_CODE,
    role: 'repeat',
  }),
  ...Object.entries({
    'status 500': [{ action: 'status', status: 500 }, 'gets a 500 response', SAME_CODE],
    'status 503': [{ action: 'status', status: 503 }, 'gets a 503 response', SAME_CODE],
    'rate-limit': [{ action: 'rate-limit' }, 'gets a 429 response', RATE_LIMITED],
    reset: [{ action: 'reset' }, 'gets a connection reset', SAME_CODE],
    empty: [{ action: 'empty' }, 'gets a closed connection', SAME_CODE],
  } as const).map(([name, [action, words, fix]]) =>
    outage(name, action, onCall, { words, fix, isAlone: true }),
  ),
  outage('delay', { action: 'delay', delay: '300ms' }, onCall, {
    words: 'gets its response 300 ms late',
    fix: SLOW,
  }),
];

export const KINDS = [...PROMISED, ...OUTAGES];

export function aimed({ action }: Kind, point: Point): FaultFields {
  const { code, resource, nth } = point;
  const about = {
    ...(code === null ? {} : { code }),
    ...(resource === null ? {} : { resource }),
  };
  if (point.on === 'call') {
    const { door, method, route } = point;
    return { on: 'call', ...action, door, method, path: globOf(route), ...about, nth };
  }
  const { event, endpoint, attempt } = point;
  const where = endpoint === null ? {} : { endpoint };
  return { on: 'delivery', ...action, event, ...about, ...where, attempt, nth };
}

/** The kind of a fault; undefined for a fault of another origin. */
export function kindOf(fault: FaultFields): Kind | undefined {
  const { action, status, parallel = false, when = 'answered' } = fault;
  return KINDS.find(
    ({ action: own }) =>
      own.action === action &&
      (own.status === undefined || own.status === status) &&
      (own.parallel ?? false) === parallel &&
      (own.when ?? 'answered') === when &&
      (action !== 'delay' || fault.on === 'call'),
  );
}

export function kindName(fault: FaultFields): string {
  return kindOf(fault)?.name ?? fault.action;
}

/** What a run under these faults is, as a whole: an outage as soon as one of them is. */
export function traitsOf(faults: readonly FaultFields[]) {
  const kinds = faults.flatMap((fault) => kindOf(fault) ?? []);
  return {
    kinds: faults.map(kindName),
    class: kinds.some((kind) => kind.class === 'outage') ? ('outage' as const) : ('promised' as const),
    needs: [...new Set(kinds.flatMap(({ needs = [] }) => needs))],
  };
}

/** The same fault doing less, the least first. */
export function weakened(fault: FaultFields): FaultFields[] {
  const { action, parallel, copies = 1 } = fault;
  if (action !== 'duplicate') return [];
  const { parallel: _parallel, ...plain } = fault;
  const once = { ...plain, copies: 1 };
  if (parallel === true) return [once, ...(copies > 1 ? [{ ...fault, copies: 1 }] : [])];
  return copies > 1 ? [once] : [];
}

const ORDINALS = ['', 'first', 'second', 'third'];

function ordinal(number: number): string {
  return ORDINALS[number] ?? `${number}th`;
}

type Aimed = Partial<FaultFields> & { readonly route?: string | undefined };

function aimText(aimedAt: Aimed): string {
  const { on, method, route, path, event, endpoint, attempt = 1, code, resource, nth = 1 } = aimedAt;
  const type = event?.startsWith('withdrawal.') === true ? 'withdrawal' : 'charge';
  const ranked = resource == null ? '' : ` of the ${ordinal(resource)} ${type}`;
  const subject = code == null ? ranked : ` of ${code}`;
  if (on === 'call') {
    const which = nth === 1 ? '' : `the ${ordinal(nth)} `;
    return which + [method, route ?? path].filter((part) => part !== undefined).join(' ') + subject;
  }
  const where = endpoint == null ? '' : ` to ${endpoint}`;
  const which = attempt === 1 ? '' : `attempt ${attempt} of `;
  const again = nth === 1 ? '' : `, the ${ordinal(nth)} time`;
  return `${which}${event ?? 'an event'}${subject}${where}${again}`;
}

/** A point in words, such as `pix.settled of order-1`. */
export function pointText(point: Point): string {
  return aimText(point as Aimed);
}

/** A fault in words, such as `pix.settled of order-1 is delivered twice`. */
export function faultText(fault: FaultFields): string {
  const { action, status, copies = 1, parallel = false } = fault;
  const kind = kindOf(fault);
  const times = copies === 1 ? 'twice' : `${copies + 1} times`;
  const duplicate = `is delivered ${times}${parallel ? ' concurrently' : ''}`;
  const unknown = `gets ${action}${status === undefined ? '' : ` ${status}`}`;
  return `${aimText(fault)} ${action === 'duplicate' ? duplicate : (kind?.words ?? unknown)}`;
}
