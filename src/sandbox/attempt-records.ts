import { LIMITS } from '../core/limits.js';
import type { AttemptResult } from '../delivery/http-attempt.js';
import { Recent } from './recent.js';

/** What an attempt met that is not part of the world: it depends on the machine and not on the commands. */
export interface AttemptRecord {
  readonly number: number;
  /** Real time of the dispatch, in milliseconds. */
  readonly realAt: number;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly result: AttemptResult;
}

/** A record with the delivery that it belongs to. */
export interface RecordedAttempt {
  readonly deliveryId: string;
  readonly record: AttemptRecord;
}

/** The records of the newest deliveries, by delivery. */
export class AttemptRecords {
  readonly #byDelivery = new Recent<RecordedAttempt[]>(LIMITS.attemptDetailsKept);
  #latest: RecordedAttempt | undefined;

  add(deliveryId: string, record: AttemptRecord): void {
    const records = this.#byDelivery.get(deliveryId) ?? [];
    this.#latest = { deliveryId, record };
    records.push(this.#latest);
    if (records.length > LIMITS.attemptsKept) records.shift();
    this.#byDelivery.set(deliveryId, records);
  }

  get(deliveryId: string, number: number): AttemptRecord | undefined {
    return this.#byDelivery.get(deliveryId)?.findLast(({ record }) => record.number === number)?.record;
  }

  /** The one that was added last. */
  get latest(): RecordedAttempt | undefined {
    return this.#latest;
  }

  /** All that are kept, those of one delivery together. */
  all(): RecordedAttempt[] {
    return [...this.#byDelivery.values()].flat();
  }
}
