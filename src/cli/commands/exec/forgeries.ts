import type { Attempt, Delivery } from '../../../core/world.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { answerText } from './answer-text.js';

const FORGERIES = new Set(['wrong-signature', 'stale-timestamp']);

/** The forged deliveries that a receiver answered, collected as they end, because a reset empties the world. */
export class Forgeries {
  /** How many were answered. */
  tried = 0;
  /** What is wrong with each that was accepted: its receiver does not verify signatures. */
  readonly accepted: string[] = [];
  readonly #sandbox: Sandbox;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
    sandbox.subscribe((effects) => {
      for (const effect of effects) {
        if (effect.type === 'attempt.ended') this.#look(effect.delivery, effect.attempt);
      }
    });
  }

  #look({ id, event }: Delivery, { number, status, error, faults = [] }: Attempt): void {
    const forgery = faults.find(({ action }) => FORGERIES.has(action));
    if (forgery === undefined || status === null) return;
    this.tried += 1;
    if (error !== null) return;
    const answer = answerText(this.#sandbox.records.get(id, number)?.result);
    this.accepted.push(
      `${event.type} of ${event.resource.code}: attempt ${number} had a ${forgery.action} and was accepted with ${status}${answer}`,
    );
  }
}
