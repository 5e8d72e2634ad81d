import type { Delivery, World } from '../../core/world.js';
import { attemptId } from './entry.js';

/** More attempts under way than this say nothing about a call. */
const DURING_MOST = 8;

/** The deliveries with an attempt under way, with the application that each goes to. */
export class UnderWay {
  readonly #appIds = new Map<Delivery, string>();

  begin(delivery: Delivery, { endpoints }: World): void {
    const endpoint = endpoints.get(delivery.endpointId);
    if (endpoint !== undefined) this.#appIds.set(delivery, endpoint.appId);
  }

  end(delivery: Delivery): void {
    this.#appIds.delete(delivery);
  }

  clear(): void {
    this.#appIds.clear();
  }

  /** The attempts, if they are few. */
  few(): (readonly [attempt: string, appId: string])[] {
    if (this.#appIds.size > DURING_MOST) return [];
    return Array.from(this.#appIds, ([{ id, attempts }, appId]) => [attemptId(id, attempts), appId]);
  }
}
