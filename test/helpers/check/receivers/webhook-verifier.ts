import { createHmac, timingSafeEqual } from 'node:crypto';

/** Whether a mistake was planted, named by the check that must find it. */
export type Has = (mistake: string) => boolean;

/** A request to a receiver; header names are in lower case. */
export interface ReceivedWebhook {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
  /** Whether the sender has hung up. */
  readonly isGone: () => boolean;
}

/** What a receiver answers to a request that it does not take. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** How a receiver verifies: throws Refusal for a webhook that is not genuine. */
export type Verify = (webhook: ReceivedWebhook, nowS: number) => void;

const TOLERANCE_S = 300;
const SMALL_TOLERANCE_S = 60;
const NEIGHBOURS_S = 30;

/** A verifier of our own, right but for the mistakes planted in it. */
export function ownVerifier(secret: string, has: Has): Verify {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  return (webhook, nowS) => {
    const { 'webhook-id': id, 'webhook-signature': signatures } = webhook.headers;
    const timestamp = webhook.headers['webhook-timestamp'] ?? (has('refuse.no-time') ? String(nowS) : '');
    if (!signatures && has('refuse.unsigned')) return;
    if ((!id && !has('refuse.no-id')) || timestamp === '' || !signatures) throw new Refusal(400, 'Unsigned.');
    checkTime(timestamp, nowS, has);
    const rights = contents(webhook, timestamp, has).map((parts) => {
      const hmac = createHmac('sha256', key);
      for (const part of parts) hmac.update(part);
      return hmac.digest('base64');
    });
    if (rights.some((right) => isAmong(signatures, right, has)) || has('refuse.secret')) return;
    throw new Refusal(400, has('refuse.leak') ? `Expected v1,${rights[0]}.` : 'The signature does not hold.');
  };
}

function checkTime(timestamp: string, nowS: number, has: Has): void {
  if (!has('refuse.nan') && !/^\d{1,12}$/.test(timestamp)) throw new Refusal(400, 'That is no timestamp.');
  const ageS = nowS - Number(timestamp);
  const distanceS = has('refuse.future') ? ageS : Math.abs(ageS);
  const toleranceS = has('accept.skew') ? SMALL_TOLERANCE_S : TOLERANCE_S;
  if (distanceS > toleranceS && !has('refuse.old')) throw new Refusal(400, 'Too far from now.');
}

/** The contents whose signature is taken: the right one, and those that a mistake adds or puts in its place. */
function contents(
  { headers, body }: ReceivedWebhook,
  timestamp: string,
  has: Has,
): (string | Uint8Array)[][] {
  const id = has('refuse.id') ? jsonOf(body).id : String(headers['webhook-id']);
  if (has('accept.raw')) return [[`${id}.${timestamp}.`, JSON.stringify(jsonOf(body))]];
  const right = [`${id}.${timestamp}.`, body];
  // A busy machine may take seconds to hand over what was signed as of now.
  if (has('refuse.time') || headers['webhook-timestamp'] === undefined) {
    const shifts = Array.from({ length: 2 * NEIGHBOURS_S + 1 }, (_, index) => index - NEIGHBOURS_S);
    return [right, ...shifts.map((shift) => [`${id}.${Number(timestamp) + shift}.`, body])];
  }
  if (!has('refuse.body')) return [right];
  // The body is put together again from what the order costs.
  const ours = Buffer.from(body)
    .toString('utf8')
    .replace(/"amount":"\d/, (text) => `${text.slice(0, -1)}7`);
  return [right, [`${id}.${timestamp}.`, ours]];
}

function jsonOf(body: Uint8Array): { readonly id: string } {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    throw new Refusal(400, 'That is no JSON.');
  }
}

function isAmong(signatures: string, right: string, has: Has): boolean {
  if (has('accept.two-good-first')) return isSame(signatures, `v1,${right}`);
  const all = signatures.split(' ');
  return (has('accept.two-good-last') ? all.slice(0, 1) : all).some((signature) => {
    const [version, ...rest] = signature.split(',');
    const given = rest.join(',');
    if (version !== 'v1' && has('accept.other-version'))
      throw new Refusal(400, `${version} is not supported.`);
    if (version !== 'v1' && !has('refuse.label')) return false;
    if (given === '') return has('refuse.empty');
    if (has('refuse.prefix')) return right.startsWith(given);
    // As Python's compare_digest does for texts.
    if (has('refuse.garbage') && /[^ -~]/.test(given)) throw new TypeError('Only ASCII can be compared.');
    return isSame(given, right);
  });
}

function isSame(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
