import { webhookKey } from '../../webhook-secret.js';
import type { Variant } from '../mistake.js';
import { contentOf, formedBody, type Plan } from '../plan.js';
import { webhookCase } from './diagnose-webhook.js';
import { WEBHOOK_DIMENSIONS } from './dimensions.js';

/** A webhook to sign; the timestamp is its header's text. */
export interface WebhookParts {
  readonly id: string;
  readonly timestamp: string;
  readonly body: Uint8Array;
  readonly secret: string;
}

/** A mistake of the tables and the number of its variant: `body-key-order#1` is the second one, no number the first. */
export type MistakeName = string;

/** Computes the HMAC with named mistakes, as a program that makes them would; undefined where the webhook allows none of a kind. */
export type MistakenSigner = (mistakes: readonly MistakeName[]) => Buffer | undefined;

const MISTAKES = new Map(
  WEBHOOK_DIMENSIONS.flatMap(({ mistakes }) => mistakes).map((mistake) => [mistake.id, mistake]),
);

/** Signs a webhook with mistakes from the tables of the diagnosis. The signer throws TypeError for an unknown mistake. */
export function mistakenSigner({ id, timestamp, body, secret }: WebhookParts): MistakenSigner {
  const webhook = { body, headers: { id, timestamp, signature: '' } };
  const { task } = webhookCase(webhook, { secrets: [{ secret }], nowS: Number(timestamp) });
  const { subject } = task;
  const right: Plan = { ...subject.right, key: webhookKey(secret) };
  const variantOf = (name: MistakeName): Variant | undefined => {
    const [id = '', number = '0'] = name.split('#');
    const mistake = MISTAKES.get(id);
    if (mistake === undefined) throw new TypeError(`The tables have no mistake ${id}.`);
    return mistake.variants(subject)[Number(number)];
  };
  return (mistakes) => {
    const variants = mistakes.map(variantOf).filter((variant) => variant !== undefined);
    if (variants.length < mistakes.length) return undefined;
    const plan: Plan = Object.assign({}, right, ...variants.map(({ change }) => change));
    return plan.algorithm(plan.key, contentOf(plan, formedBody(plan)));
  };
}
