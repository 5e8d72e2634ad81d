import { randomBytes, randomUUID } from 'node:crypto';
import { DAY_MS, formatDuration, SECOND_MS } from '../contract/time.js';
import type { FactId } from './facts.js';
import type { ParityResponse } from './normalize.js';
import { type Observer, readScheme } from './observer.js';
import type { ProbeScheme } from './sign.js';

const RETRY = 'POST /webhook-endpoints/UNKNOWN/deliveries/UNKNOWN/retry';
const SIGNATURE_FACTS = [
  'signature.encoding',
  'signature.digest_encoding',
  'signature.path',
  'signature.tolerance',
  'request.empty_body',
  'nonce.lifetime',
] as const satisfies readonly FactId[];

/** Encodings, the documented ones first. */
const SCHEMES: readonly Partial<ProbeScheme>[] = [
  { signature: 'hex', digest: 'hex' },
  { signature: 'base64', digest: 'base64' },
  { signature: 'base64', digest: 'hex' },
  { signature: 'hex', digest: 'base64' },
  { signature: 'hex', emptyDigest: 'none' },
  { signature: 'base64', emptyDigest: 'none' },
];

interface Retry {
  readonly fact?: FactId;
  /** Added to the request’s name; unnamed requests are not recorded. */
  readonly name?: string;
  readonly query?: string;
  readonly signs?: Parameters<Observer['ask']>[0]['signs'];
}

/** Retries a random delivery of a random endpoint: 404 means that the signature was accepted (§4.9). */
function retry(
  observer: Observer,
  { fact = 'signature.encoding', name, query = '', signs }: Retry,
): Promise<ParityResponse> {
  return observer.ask({
    fact,
    name: `${RETRY}${name ?? ''}`,
    isUnrecorded: name === undefined,
    method: 'POST',
    path: `/webhook-endpoints/${randomUUID()}/deliveries/${randomUUID()}/retry${query}`,
    expects: 'refusal',
    signs,
  });
}

/** Finds the signing scheme, and asks for wrong, missing and repeated signatures (§5.2). */
export async function askScheme(observer: Observer): Promise<void> {
  const found = await findScheme(observer);
  if (found === undefined) return;
  const wrong = { secret: randomBytes(16).toString('hex') };
  const refused = await retry(observer, { name: ' (wrong secret)', signs: wrong });
  if (refused.status !== 401) {
    observer.forget(`${RETRY} (wrong secret)`);
    const reason = `A wrong signature gets ${refused.status}, so ids are looked up first.`;
    return observer.giveUp(reason, ...SIGNATURE_FACTS);
  }
  noteScheme(observer, found);
  const nonce = randomUUID();
  await retry(observer, { fact: 'request.empty_body', name: '', signs: { nonce } });
  observer.relate(
    RETRY,
    'relation of empty body',
    found.emptyDigest === 'none' ? 'no digest' : 'digest of zero bytes',
  );
  await retry(observer, { fact: 'nonce.lifetime', name: ' (reused nonce)', signs: { nonce } });
  await retry(observer, { name: ' (unsigned)' });
  await askPath(observer);
}

async function findScheme(observer: Observer): Promise<Partial<ProbeScheme> | undefined> {
  for (const scheme of SCHEMES) {
    const { status } = await retry(observer, { signs: { scheme: { ...readScheme({}), ...scheme } } });
    if (status === 404) return scheme;
    if (status !== 401) {
      observer.giveUp(
        `A signed retry of random ids gets ${status}; expected 404 or 401.`,
        ...SIGNATURE_FACTS,
      );
      return undefined;
    }
  }
  observer.giveUp('No known scheme was accepted. Check PARITY_SIGNING_SECRET.', ...SIGNATURE_FACTS);
  return undefined;
}

function noteScheme(observer: Observer, { signature, digest, emptyDigest }: Partial<ProbeScheme>): void {
  observer.note('signature.encoding', signature);
  observer.note('signature.digest_encoding', digest);
  observer.note('empty digest', emptyDigest);
}

/** Signs a request with a query string, with and without the query. */
async function askPath(observer: Observer): Promise<void> {
  const scheme = readScheme(observer.notes);
  for (const path of ['path', 'target'] as const) {
    const { status } = await retry(observer, { query: '?parity=1', signs: { scheme: { ...scheme, path } } });
    if (status === 404) return observer.note('signature.path', path);
    if (status !== 401) {
      return observer.giveUp(
        `A retry with a query string gets ${status}; expected 404 or 401.`,
        'signature.path',
      );
    }
  }
  observer.giveUp('Neither the path nor the full target was accepted.', 'signature.path');
}

/** Common tolerances in seconds: most servers use one of them. */
const COMMON_S = [0, 30, 60, 120, 180, 300, 600, 900, 1_800, 3_600, 7_200, 43_200, DAY_MS / SECOND_MS];
const REFUSED_AGE_S = 10 * (DAY_MS / SECOND_MS);
/** Requests that later questions need. */
const RESERVED_REQUESTS = 10;
/** Refused signatures that later requests can need. */
const RESERVED_REFUSALS = 2;
/** Times round to this many seconds if the clocks are not known to agree. */
const ROUND_S = 30;

/** Finds the oldest accepted X-Timestamp, with few refused requests (§8). */
export async function askTolerance(observer: Observer): Promise<void> {
  const { of, notes } = observer;
  if (notes['signature.encoding'] === undefined) return;
  const isAccepted = async (ageS: number, name?: string) => {
    const signs = { timestampS: of.nowS() - ageS };
    const { status } = await retry(observer, { fact: 'signature.tolerance', ...(name && { name }), signs });
    return status !== 401;
  };
  const hasNoLimit = await isAccepted(REFUSED_AGE_S, ' (old timestamp)');
  if (observer.isSandbox) return;
  if (hasNoLimit) {
    const limit = formatDuration(REFUSED_AGE_S * SECOND_MS);
    return observer.giveUp(`It is ${limit} or more.`, 'signature.tolerance');
  }
  const search = { low: 0, high: REFUSED_AGE_S - 1 };
  /** Tests ages between the oldest accepted and the youngest refused one. Stops if too few requests remain. */
  const narrow = async (candidates: readonly number[]) => {
    let [first, last] = [0, candidates.length - 1];
    while (first < last) {
      const requests = of.remaining().requests - RESERVED_REQUESTS;
      const refusals = of.remaining().refusedSignatures - RESERVED_REFUSALS;
      if (requests <= 0 || refusals <= 0) return false;
      const step = nextStep(last - first, requests, refusals);
      const ageS = candidates[first + step] ?? 0;
      if (await isAccepted(ageS)) {
        first += step;
        search.low = ageS;
      } else {
        last = first + step - 1;
        search.high = ageS - 1;
      }
    }
    return true;
  };
  if (await narrow(COMMON_S)) {
    const isCommon = search.low >= search.high || !(await isAccepted(search.low + 1));
    if (isCommon) search.high = search.low;
    else search.low += 1;
    await narrow(Array.from({ length: search.high - search.low + 1 }, (_, index) => search.low + index));
  }
  noteTolerance(observer, search);
}

interface ToleranceSearch {
  /** The oldest accepted age, and the age below the youngest refused one, in seconds. */
  readonly low: number;
  readonly high: number;
}

function noteTolerance(observer: Observer, { low, high }: ToleranceSearch): void {
  // A nonce can be reused as soon as its timestamp is too old.
  if (low === 0) observer.forget(`${RETRY} (reused nonce)`);
  if (low === high) {
    const near = Math.round(low / ROUND_S) * ROUND_S;
    const isInexact = observer.of.skewS() !== 0 && Math.abs(near - low) === 1;
    return observer.note('signature.tolerance', formatDuration((isInexact ? near : low) * SECOND_MS));
  }
  const [from, to] = [low, high].map((value) => formatDuration(value * SECOND_MS));
  observer.giveUp(`It is between ${from} and ${to}.`, 'signature.tolerance');
}

/**
 * Returns the distance of the next tested age from the oldest accepted one, so that at most `refusals` of the
 * `left` requests are refused. `size` is the number of candidates above the accepted age.
 */
function nextStep(size: number, left: number, refusals: number): number {
  let count = 1;
  while (count < left && countOutcomes(count, refusals) < size + 1) count += 1;
  return Math.min(Math.max(countOutcomes(count - 1, refusals - 1), 1), size);
}

/** Counts the ages that `count` requests can distinguish if at most `refusals` are refused. */
function countOutcomes(count: number, refusals: number): number {
  let [total, combinations] = [1, 1];
  for (let index = 1; index <= Math.min(refusals, count); index += 1) {
    combinations = (combinations * (count - index + 1)) / index;
    total += combinations;
  }
  return total;
}
