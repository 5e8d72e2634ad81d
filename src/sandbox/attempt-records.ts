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

/** A record as it is kept: without secrets once it is shown. */
interface Kept {
  readonly deliveryId: string;
  record: AttemptRecord;
  isShown: boolean;
}

/** The records of the newest deliveries, by delivery. */
export class AttemptRecords {
  readonly #byDelivery = new Recent<Kept[]>(LIMITS.attemptDetailsKept);
  readonly #secrets: KnownSecrets;

  constructor(secrets: KnownSecrets) {
    this.#secrets = secrets;
  }

  /** Keeps a record, which shows no known secrets in texts of the receiver and the machine. */
  add(deliveryId: string, record: AttemptRecord): void {
    const kept = { deliveryId, record, isShown: false };
    const earlier = this.#byDelivery.get(deliveryId);
    const records = earlier === undefined ? [kept] : [...earlier.slice(1 - LIMITS.attemptsKept), kept];
    this.#byDelivery.set(deliveryId, records);
  }

  get(deliveryId: string, number: number): AttemptRecord | undefined {
    const kept = this.#byDelivery.get(deliveryId)?.findLast(({ record }) => record.number === number);
    return kept && this.#shown(kept).record;
  }

  drop(deliveryIds: Iterable<string>): void {
    for (const id of deliveryIds) this.#byDelivery.delete(id);
  }

  /** All that are kept, those of one delivery together. */
  all(): RecordedAttempt[] {
    return [...this.#byDelivery.values()].flat().map((kept) => this.#shown(kept));
  }

  /** Takes the secrets out when it is first read, which most records never are. */
  #shown(kept: Kept): RecordedAttempt {
    if (!kept.isShown) {
      kept.record = { ...kept.record, result: withoutSecrets(kept.record.result, this.#secrets) };
      kept.isShown = true;
    }
    const { deliveryId, record } = kept;
    return { deliveryId, record };
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
