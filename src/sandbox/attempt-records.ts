import type { KnownSecrets } from '../text/known-secrets.js';
import { LIMITS } from '../contract/limits.js';
import type { AttemptResult } from '../delivery/http-attempt.js';
import { Recent } from './recent.js';

/** The result of an attempt that is not part of the world: it depends on the machine, not on the commands. */
export interface AttemptRecord {
  readonly number: number;
  /** Real time of the dispatch, in milliseconds. */
  readonly realAt: number;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly result: AttemptResult;
}

/** A record with its delivery. */
export interface RecordedAttempt {
  readonly deliveryId: string;
  readonly record: AttemptRecord;
}

/** The records of the newest deliveries, by delivery. */
export class AttemptRecords {
  readonly #byDelivery = new Recent<RecordedAttempt[]>(LIMITS.attemptDetailsKept);
  readonly #secrets: KnownSecrets;

  constructor(secrets: KnownSecrets) {
    this.#secrets = secrets;
  }

  /** Keeps a record, without the known secrets in texts of the receiver and the machine. */
  add(deliveryId: string, made: AttemptRecord): void {
    const records = this.#byDelivery.get(deliveryId) ?? [];
    const record = { ...made, result: withoutSecrets(made.result, this.#secrets) };
    records.push({ deliveryId, record });
    if (records.length > LIMITS.attemptsKept) records.shift();
    this.#byDelivery.set(deliveryId, records);
  }

  get(deliveryId: string, number: number): AttemptRecord | undefined {
    return this.#byDelivery.get(deliveryId)?.findLast(({ record }) => record.number === number)?.record;
  }

  drop(deliveryIds: Iterable<string>): void {
    for (const id of deliveryIds) this.#byDelivery.delete(id);
  }

  /** All that are kept, those of one delivery together. */
  all(): RecordedAttempt[] {
    return [...this.#byDelivery.values()].flat();
  }
}

/** `…` as its bytes read one by one. */
const HIDDEN_BYTES = Buffer.from('…').toString('latin1');

/** A result without the secrets in its texts, headers and body. */
export function withoutSecrets(result: AttemptResult, secrets: KnownSecrets): AttemptResult {
  const { detail, bodyError, response } = result;
  const shown = {
    ...result,
    detail: detail === null ? null : secrets.hide(detail),
    bodyError: bodyError === null ? null : secrets.hide(bodyError),
  };
  if (response === null) return shown;
  const headers = response.headers.map(([name, value]): [string, string] => [name, secrets.hide(value)]);
  const text = Buffer.from(response.body).toString('latin1');
  const hidden = secrets.hide(text, HIDDEN_BYTES);
  const body = hidden === text ? response.body : Buffer.from(hidden, 'latin1');
  return { ...shown, response: { ...response, headers, body } };
}
