import type { KnownSecrets } from '../text/redaction.js';
import { LIMITS } from '../contract/limits.js';
import type { AttemptResult } from '../delivery/http-attempt.js';
import { RecentMap } from './subscribers.js';

/** The machine-dependent part of an attempt's result, stored outside the world. */
export interface AttemptRecord {
  readonly number: number;
  /** Real time of dispatch, in milliseconds. */
  readonly realAt: number;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly result: AttemptResult;
}

/** Stores attempt records for the newest deliveries. Redacts known secrets on reading. */
export class AttemptRecords {
  readonly #byDelivery = new RecentMap<readonly AttemptRecord[]>(LIMITS.attemptDetailsKept);
  readonly #secrets: KnownSecrets;

  constructor(secrets: KnownSecrets) {
    this.#secrets = secrets;
  }

  add(deliveryId: string, record: AttemptRecord): void {
    const earlier = this.#byDelivery.get(deliveryId) ?? [];
    this.#byDelivery.set(deliveryId, [...earlier.slice(1 - LIMITS.attemptsKept), record]);
  }

  get(deliveryId: string, number: number): AttemptRecord | undefined {
    const found = this.#byDelivery.get(deliveryId)?.findLast((record) => record.number === number);
    return found && { ...found, result: redactResult(found.result, this.#secrets) };
  }

  drop(deliveryIds: Iterable<string>): void {
    for (const id of deliveryIds) this.#byDelivery.delete(id);
  }
}

/** The UTF-8 bytes of `…`, decoded as latin1. */
export const REDACTED_BYTES = Buffer.from('…').toString('latin1');

/** Redacts known secrets in an attempt result: in texts, headers and body. */
export function redactResult(result: AttemptResult, secrets: KnownSecrets): AttemptResult {
  const { detail, bodyError, response } = result;
  const shown = {
    ...result,
    detail: detail === null ? null : secrets.hide(detail),
    bodyError: bodyError === null ? null : secrets.hide(bodyError),
  };
  if (response === null) return shown;
  const headers = response.headers.map(([name, value]): [string, string] => [name, secrets.hide(value)]);
  const text = Buffer.from(response.body).toString('latin1');
  const hidden = secrets.hide(text, REDACTED_BYTES);
  const body = hidden === text ? response.body : Buffer.from(hidden, 'latin1');
  return { ...shown, response: { ...response, headers, body } };
}
