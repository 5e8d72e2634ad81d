import { randomBytes } from 'node:crypto';
import type { Answer } from '../check.js';
import type { Message, Parts, ToSign } from '../exchange/message.js';
import { signatureOf } from '../exchange/message.js';
import type { Finding } from '../judge.js';
import type { Bench } from './bench.js';
import { answersText, isAccepted } from './bench.js';
import type { EventChanges, Paid } from './events.js';
import { eventAbout } from './events.js';

export type Plan = (bench: Bench) => Promise<Finding>;
export type Right = Parts & ToSign;
/** Changes a rightly signed webhook. */
export type Variant = (right: Right) => Parts;

export interface Sending {
  readonly variants?: readonly Variant[];
  readonly changes?: EventChanges;
  readonly more?: Partial<Message>;
}

const AS_IT_IS: readonly Variant[] = [(right) => right];

/** Sends a `pix.settled` of a charge in each variant, each with a webhook-id of its own, so that none is a repeat. */
export async function sendEach(bench: Bench, charge: Paid, sending: Sending): Promise<Answer[]> {
  const { variants = AS_IT_IS, changes, more } = sending;
  const answers: Answer[] = [];
  for (const variant of variants) {
    const right = bench.right(eventAbout('pix.settled', charge, Date.now(), changes));
    answers.push(await bench.send(variant(right), more));
  }
  return answers;
}

/** Signs again with some parts changed; the headers stay as they were unless they are among the changed. */
export function signedAs(right: Right, changed: Partial<ToSign>): string {
  return `v1,${signatureOf({ ...right, ...changed })}`;
}

/** A secret that no receiver has. */
export function otherSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Whether all were accepted; the answers shown are those that were not. */
export function allAccepted(sent: string, answers: readonly Answer[]): Finding {
  const refused = answers.filter((answer) => !isAccepted(answer));
  const got = answersText(refused.length > 0 ? refused : answers);
  return { outcome: refused.length > 0 ? 'fails' : 'holds', sent, got };
}
