import type { Answer, CheckEntry, Exchange } from './check.js';
import type { Finding } from './judge.js';

/** The likely bug behind a failure, and its fix. */
export interface Cause {
  readonly likely: string;
  readonly fix: string;
}

interface Row extends Cause {
  /** Ids of checks, or their groups. */
  readonly checks: readonly string[];
  readonly matches: (response: Answer) => boolean;
}

const CRASH: Cause = {
  likely: 'the verification throws, and nothing catches it',
  fix: 'respond 400 whenever the verification fails, including by an error',
};

const EFFECTS = ['dup', 'new', 'order', 'mix'];
const STATES = ['new', 'order'];
const CONTENTS = [
  'accept.types',
  'accept.extra-field',
  'accept.unknown-type',
  'accept.unknown-resource',
  'accept.document',
  'accept.large',
];

/** Causes by the last response that was not 2xx; the first row that matches. */
const ROWS: readonly Row[] = [
  {
    checks: ['accept', ...EFFECTS],
    matches: ({ status, error }) => status === null && error?.startsWith('TIMEOUT') === true,
    likely: 'the work is done before the response, which comes too late',
    fix: 'store the event, respond, and work afterwards',
  },
  {
    checks: ['accept', ...EFFECTS],
    matches: ({ status }) => status === null,
    likely: 'the handler ends the connection or the process',
    fix: "find the error in the application's log, and catch it in the handler",
  },
  {
    checks: ['accept', ...EFFECTS],
    matches: ({ status }) => status === 429,
    likely: 'a rate limit refuses valid events',
    fix: 'exempt the webhook route from the rate limit',
  },
  {
    checks: CONTENTS,
    matches: ({ status }) => status === 401 || status === 403,
    likely: 'the verification refuses it: the signature is computed over other bytes than the received ones',
    fix: 'verify the whole raw body as it came, and parse afterwards',
  },
  {
    checks: ['dup'],
    matches: isServerError,
    likely: 'the handler crashes on a repeat, usually by a violated unique constraint',
    fix: 'catch the violated constraint, and respond 2xx to a repeat',
  },
  {
    checks: ['dup'],
    matches: isClientError,
    likely: 'a repeat is refused as a conflict or a replay',
    fix: 'respond 2xx to a repeat, and do not apply it again',
  },
  {
    checks: ['new.same-charge'],
    matches: isError,
    likely: 'the handler refuses an event for an order in another state: a payment after the expiry',
    fix: 'accept it: respond 2xx, and mark the expired order as paid',
  },
  {
    checks: ['order.returned'],
    matches: isError,
    likely: 'the handler refuses an event for an order in another state: the return of a settled withdrawal',
    fix: 'accept it: respond 2xx, and mark the withdrawal as failed',
  },
  {
    checks: ['order.before-response'],
    matches: isError,
    likely: 'the handler refuses an event for an order that it does not know yet',
    fix: 'store the order before the API request, or the event until the charge is known, and respond 2xx',
  },
  {
    checks: STATES,
    matches: isServerError,
    likely: 'the handler crashes on an event for an order in another state',
    fix: 'accept it: respond 2xx, and leave the order as it is',
  },
  {
    checks: STATES,
    matches: isClientError,
    likely: 'the handler refuses an event for an order in another state',
    fix: 'accept it: respond 2xx, and leave the order as it is',
  },
  {
    checks: ['mix'],
    matches: isServerError,
    likely: 'the handler crashes when events arrive concurrently',
    fix: "find the error in the application's log, such as a deadlock or an exhausted pool",
  },
  {
    checks: ['mix'],
    matches: isClientError,
    likely: 'the handler refuses valid events that arrive concurrently, as if requests shared a variable',
    fix: 'keep the body, the headers and everything else of a request in its handler',
  },
];

/** The cause of a failure by what was observed; undefined where the catalogue's likely one remains. */
export function causeOf(
  { id }: Pick<CheckEntry, 'id'>,
  { outcome, likely, fix, hasCrashed = false }: Finding,
  exchanges: readonly Exchange[],
): Cause | undefined {
  if (outcome !== 'fails') return undefined;
  if (likely !== undefined && fix !== undefined) return { likely, fix };
  if (hasCrashed) return CRASH;
  const response = exchanges.map(({ answer }) => answer).findLast(isRefusal);
  if (response === undefined) return undefined;
  const row = ROWS.find(({ checks, matches }) => checks.some((name) => names(name, id)) && matches(response));
  return row && { likely: row.likely, fix: row.fix };
}

function names(name: string, id: string): boolean {
  return name === id || id.startsWith(`${name}.`);
}

/** A connection that the check itself cut is no refusal. */
function isRefusal({ status, error }: Answer): boolean {
  return status === null ? error !== 'CUT' : status < 200 || status >= 300;
}

function isServerError({ status }: Answer): boolean {
  return status !== null && status >= 500;
}

function isClientError({ status }: Answer): boolean {
  return status !== null && status >= 400 && status < 500;
}

function isError(response: Answer): boolean {
  return isServerError(response) || isClientError(response);
}
