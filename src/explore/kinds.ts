import type { Ability, Failure, FaultClass, FaultFields, Point } from './explore.js';
import { globOf, keyOf } from './points.js';

/** Facts about the points, learned from the runs without faults. */
export interface Facts {
  readonly points: readonly Point[];
  /** Charges that were settled and never expired or failed, by code and by rank. */
  readonly settled: ReadonlySet<string | number>;
  /** True where expired charges can still be paid. */
  readonly hasLateWindow: boolean;
  /** The keys of the list calls that another page follows. */
  readonly paged: ReadonlySet<string>;
}

/** A kind of fault, and the points at which it can happen. */
export interface Kind {
  readonly name: string;
  readonly class: FaultClass;
  readonly action: Pick<FaultFields, 'action' | 'status' | 'copies' | 'parallel' | 'when' | 'delay'>;
  /** Describes the fault, in words that follow those of the point. */
  readonly words: string;
  readonly needs?: readonly Ability[];
  /** Nothing else can happen at the same point. */
  readonly isAlone?: boolean;
  /** The attempt is made again. */
  readonly isRetried?: boolean;
  /** A repeat delivers something again, a change alters the state in between; a pair of both is the most promising. */
  readonly role?: 'repeat' | 'change';
  /** Correct applications record it, so their probe may differ from a run without faults. */
  readonly isRecorded?: boolean;
  readonly fits: (point: Point, facts: Facts) => boolean;
}

export const CREATE_CHARGE = '/api/public/v1/pix';

const onDelivery = ({ on }: Point): boolean => on === 'delivery';
const onCall = ({ on }: Point): boolean => on === 'call';

function isSettledCharge(point: Point, { settled }: Facts): boolean {
  const { code, resource } = point;
  return (code !== null && settled.has(code)) || (resource !== null && settled.has(resource));
}

function isFirstOfEndpoint(point: Point, { points }: Facts): boolean {
  if (point.on !== 'delivery') return false;
  const first = points.find((one) => one.on === 'delivery' && one.endpoint === point.endpoint);
  return first !== undefined && keyOf(first) === keyOf(point);
}

/** Faults that the contract promises, those that break most applications first. */
const PROMISED: readonly Omit<Kind, 'class'>[] = [
  {
    name: 'duplicate',
    action: { action: 'duplicate', copies: 1 },
    words: 'is delivered twice',
    role: 'repeat',
    fits: onDelivery,
  },
  {
    name: 'parallel duplicate',
    action: { action: 'duplicate', copies: 3, parallel: true },
    words: 'is delivered four times concurrently',
    role: 'repeat',
    fits: onDelivery,
  },
  {
    name: 'lose-answer',
    action: { action: 'lose-answer' },
    words: 'is delivered, its response is lost, and it is delivered again',
    role: 'repeat',
    isRetried: true,
    fits: onDelivery,
  },
  {
    name: 'answer',
    action: { action: 'answer', status: 500 },
    words: 'gets a 500 before it arrives, and is delivered again later',
    role: 'repeat',
    isAlone: true,
    isRetried: true,
    fits: onDelivery,
  },
  {
    name: 'event-first',
    action: { action: 'event-first' },
    words: 'gets its response only after the event of the settled charge was delivered',
    role: 'change',
    fits: (point, facts) =>
      point.on === 'call' &&
      point.route === CREATE_CHARGE &&
      point.nth === 1 &&
      isSettledCharge(point, facts),
  },
  {
    name: 'stale-expired',
    action: { action: 'stale-expired' },
    words: 'is followed by an old pix.expired of the same charge',
    role: 'change',
    fits: (point, facts) =>
      point.on === 'delivery' && point.event === 'pix.settled' && isSettledCharge(point, facts),
  },
  {
    name: 'late-payment',
    action: { action: 'late-payment' },
    words: 'is a late payment, delivered after a pix.expired of the same charge',
    role: 'change',
    isRecorded: true,
    fits: (point, facts) =>
      facts.hasLateWindow &&
      point.on === 'delivery' &&
      point.event === 'pix.settled' &&
      isSettledCharge(point, facts),
  },
  {
    name: 'reserialized-body',
    action: { action: 'reserialized-body' },
    words: 'has the same JSON in other bytes, correctly signed',
    fits: isFirstOfEndpoint,
  },
  {
    name: 'reorder',
    action: { action: 'reorder' },
    words: 'is overtaken by the next one',
    role: 'change',
    fits: onDelivery,
  },
  {
    name: 'unknown-type',
    action: { action: 'unknown-type' },
    words: 'is followed by an event of a type that does not exist yet',
    fits: onDelivery,
  },
  {
    name: 'restart',
    action: { action: 'restart', when: 'answered' },
    words: 'gets its response, and then the application restarts',
    role: 'change',
    needs: ['restart'],
    fits: onDelivery,
  },
  {
    name: 'restart before',
    action: { action: 'restart', when: 'before' },
    words: 'is delivered right after the application restarted',
    role: 'change',
    needs: ['restart'],
    fits: onDelivery,
  },
  {
    name: 'insert-between-pages',
    action: { action: 'insert-between-pages' },
    words: 'gets its response, and a row is added before the next page is read',
    role: 'change',
    fits: (point, { paged }) => paged.has(keyOf(point)),
  },
  {
    name: 'wrong-signature',
    action: { action: 'wrong-signature' },
    words: 'is signed with a wrong secret, and delivered again correctly signed',
    isAlone: true,
    isRetried: true,
    fits: isFirstOfEndpoint,
  },
];

/** Faults that the contract does not promise and that happen all the same. */
const OUTAGES: readonly Omit<Kind, 'class'>[] = [
  {
    name: 'lose-response',
    action: { action: 'lose-response' },
    words: 'is processed, and its response is lost',
    role: 'repeat',
    fits: onCall,
  },
  {
    name: 'cut',
    action: { action: 'cut' },
    words: 'is processed, and its response is truncated',
    role: 'repeat',
    fits: onCall,
  },
  {
    name: 'status 500',
    action: { action: 'status', status: 500 },
    words: 'gets a 500 response',
    isAlone: true,
    fits: onCall,
  },
  {
    name: 'status 503',
    action: { action: 'status', status: 503 },
    words: 'gets a 503 response',
    isAlone: true,
    fits: onCall,
  },
  {
    name: 'rate-limit',
    action: { action: 'rate-limit' },
    words: 'gets a 429 response',
    isAlone: true,
    fits: onCall,
  },
  {
    name: 'reset',
    action: { action: 'reset' },
    words: 'gets a connection reset',
    isAlone: true,
    fits: onCall,
  },
  {
    name: 'empty',
    action: { action: 'empty' },
    words: 'gets a closed connection',
    isAlone: true,
    fits: onCall,
  },
  {
    name: 'delay',
    action: { action: 'delay', delay: '300ms' },
    words: 'gets its response 300 ms late',
    fits: onCall,
  },
];

/** All kinds of faults, the most critical first. */
export const KINDS: readonly Kind[] = [
  ...PROMISED.map(ofClass('promised')),
  ...OUTAGES.map(ofClass('outage')),
];

function ofClass(name: FaultClass) {
  return (kind: Omit<Kind, 'class'>): Kind => ({ ...kind, class: name });
}

/** A fault of a kind, aimed at a point. */
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

/** The kind of a fault; undefined for one of another making. */
export function kindOf(fault: FaultFields): Kind | undefined {
  const { action, status, parallel = false, when = 'answered' } = fault;
  const isCall = fault.on === 'call';
  return KINDS.find(
    ({ class: _class, action: own, ...kind }) =>
      own.action === action &&
      (own.status === undefined || own.status === status) &&
      (own.parallel ?? false) === parallel &&
      (own.when ?? 'answered') === when &&
      (kind.name !== 'delay' || isCall),
  );
}

/** The name of a fault's kind. */
export function kindName(fault: FaultFields): string {
  return kindOf(fault)?.name ?? fault.action;
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

const ORDINALS = ['', 'first', 'second', 'third'];

function ordinal(number: number): string {
  return ORDINALS[number] ?? `${number}th`;
}

/** Something that a fault or a point is aimed at. */
interface Aimed {
  readonly on?: string | undefined;
  readonly method?: string | undefined;
  readonly route?: string | undefined;
  readonly path?: string | undefined;
  readonly event?: string | undefined;
  readonly endpoint?: string | null | undefined;
  readonly attempt?: number | undefined;
  readonly code?: string | null | undefined;
  readonly resource?: number | null | undefined;
  readonly nth?: number | undefined;
}

function subject({ code, resource, event }: Aimed): string {
  if (code != null) return ` of ${code}`;
  if (resource == null) return '';
  const type = event?.startsWith('withdrawal.') === true ? 'withdrawal' : 'charge';
  return ` of the ${ordinal(resource)} ${type}`;
}

function aimText(aimed: Aimed): string {
  const { on, method, route, path, event, endpoint, attempt = 1, nth = 1 } = aimed;
  if (on === 'call') {
    const which = nth === 1 ? '' : `the ${ordinal(nth)} `;
    return `${which}${[method, route ?? path].filter((part) => part !== undefined).join(' ')}${subject(aimed)}`;
  }
  const where = endpoint == null ? '' : ` to ${endpoint}`;
  const which = attempt === 1 ? '' : `attempt ${attempt} of `;
  const again = nth === 1 ? '' : `, the ${ordinal(nth)} time`;
  return `${which}${event ?? 'an event'}${subject(aimed)}${where}${again}`;
}

/** A point in words, such as `pix.settled of order-1`. */
export function pointText(point: Point): string {
  return aimText(point);
}

/** A fault in words, such as `pix.settled of order-1 is delivered twice`. */
export function faultText(fault: FaultFields): string {
  const { status, copies = 1, parallel = false } = fault;
  const kind = kindOf(fault);
  const words =
    fault.action === 'duplicate' ? duplicateText(copies, parallel) : (kind?.words ?? `gets ${fault.action}`);
  const text = `${aimText(fault)} ${words}`;
  return kind === undefined && status !== undefined ? `${text} ${status}` : text;
}

function duplicateText(copies: number, isParallel: boolean): string {
  const times = copies === 1 ? 'twice' : `${copies + 1} times`;
  return `is delivered ${times}${isParallel ? ' concurrently' : ''}`;
}
