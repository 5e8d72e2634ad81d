import { forgeryOf } from '../../../contract/fault-kinds.js';
import type { Attempt, Delivery } from '../../../core/world.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { listenerTarget } from '../../../text/listener-name.js';
import { withoutUrlSecrets } from '../../../text/redaction.js';
import { untilAborted } from '../../../delivery/abort.js';
import { answerText } from './answer-text.js';

const FORGERIES = new Set(['wrong-signature', 'stale-timestamp']);

const FIX = 'Verify the signature over the raw body before anything else, and respond 400 when it is wrong.';
const NO_DELIVERY =
  'Nothing forged was tried, because no delivery was accepted with 2xx: it is not known whether signatures are verified. Let your application receive an event within the command, through --forward-to or a registered endpoint.';

/** Sends every receiver one forged delivery, and collects which forged deliveries were accepted, because a reset empties the world. */
export class Forgeries {
  /** Receivers that refused the forged copy, each with its response. */
  readonly refused: string[] = [];
  readonly #accepted: string[] = [];
  /** Receivers that accepted an event, but did not respond to the forged copy. */
  readonly #unobserved = new Map<string, string>();
  /** Receivers that have responded, or are about to. */
  readonly #tried = new Set<string>();
  readonly #open = new Set<Promise<void>>();
  readonly #sandbox: Sandbox;

  /** `sends` a forged copy after the first accepted delivery to each receiver. */
  constructor(sandbox: Sandbox, sends: boolean) {
    this.#sandbox = sandbox;
    sandbox.subscribe((effects) => {
      for (const effect of effects) {
        if (effect.type !== 'attempt.ended') continue;
        const { delivery, attempt } = effect;
        const forgery = attempt.faults?.find(({ action }) => FORGERIES.has(action));
        if (forgery !== undefined) this.#addForged(delivery, attempt, forgery.action);
        else if (sends && isAccepted(attempt)) this.#try(delivery);
      }
    });
  }

  /** Resolves when every forged copy has its response, or at a signal. */
  async settled(signal: AbortSignal): Promise<void> {
    await untilAborted(Promise.all(this.#open), signal).catch(() => undefined);
  }

  /** The problem and the fix for each receiver that is not known to verify signatures, and for no receiver at all where one is expected. */
  problems({ expectsDelivery }: { readonly expectsDelivery: boolean }): string[] {
    const unobserved = [...this.#unobserved].map(
      ([place, reason]) =>
        `${place} accepted an event, but did not respond to a forged copy (${reason}). Keep it running until exec ends it.`,
    );
    const problems = [...this.#accepted, ...unobserved];
    const isTried = this.#tried.size > 0 || problems.length > 0;
    return expectsDelivery && !isTried ? [NO_DELIVERY] : problems;
  }

  /** A delivery that a fault forged. */
  #addForged({ id, event }: Delivery, { number, status, error }: Attempt, forgery: string): void {
    if (status === null || error !== null) return;
    const response = answerText(this.#sandbox.records.get(id, number)?.result);
    this.#accepted.push(
      `${event.type} of ${event.resource.code}: attempt ${number} had a ${forgery} and was accepted with ${status}${response}. ${FIX}`,
    );
  }

  #try(delivery: Delivery): void {
    const endpoint = this.#sandbox.world.endpoints.get(delivery.endpointId);
    if (endpoint === undefined || endpoint === this.#sandbox.testReceiver.endpoint) return;
    const { url, description } = endpoint;
    if (this.#tried.has(url)) return;
    this.#tried.add(url);
    const place = listenerTarget(description)?.target ?? withoutUrlSecrets(url);
    const work = this.#send(delivery, url, place)
      .catch(() => undefined)
      .finally(() => this.#open.delete(work));
    this.#open.add(work);
  }

  async #send(delivery: Delivery, url: string, place: string): Promise<void> {
    const result = await this.#sandbox.sendForgedCopy(delivery);
    if (result === undefined || result.status === null) {
      // The next accepted delivery tries again.
      this.#tried.delete(url);
      this.#unobserved.set(place, result?.error ?? 'it was disconnected');
      return;
    }
    this.#unobserved.delete(place);
    const response = `${result.status}${answerText(result)}`;
    const { type } = delivery.event;
    if (result.error !== null) this.refused.push(`${place} refused a forged ${type} with ${response}`);
    else
      this.#accepted.push(
        `${place} accepted a forged ${type} (wrong signature, new webhook-id) with ${response}. ${FIX}`,
      );
  }
}

/** Whether the application itself accepted an attempt that was signed as it has to be. */
function isAccepted({ error, faults = [] }: Attempt): boolean {
  const isSimulated = faults.some(({ action }) => action === 'answer');
  return error === null && !isSimulated && forgeryOf(faults) === undefined;
}
