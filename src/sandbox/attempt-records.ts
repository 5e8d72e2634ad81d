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

/** The records of the newest deliveries, by delivery. */
export class AttemptRecords {
  readonly #byDelivery = new Recent<AttemptRecord[]>(LIMITS.attemptDetailsKept);

  add(deliveryId: string, record: AttemptRecord): void {
    const records = this.#byDelivery.get(deliveryId) ?? [];
    records.push(record);
    if (records.length > LIMITS.attemptsKept) records.shift();
    this.#byDelivery.set(deliveryId, records);
  }

  get(deliveryId: string, number: number): AttemptRecord | undefined {
    return this.#byDelivery.get(deliveryId)?.findLast((record) => record.number === number);
  }
}
