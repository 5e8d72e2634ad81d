import { hash } from 'node:crypto';
import type { Bytes } from '../bytes.js';

/** The parts that can be signed. `id` is the nonce of a request and the message id of a webhook. */
export type PartName = 'timestamp' | 'id' | 'method' | 'path' | 'body';

/** The form of the body in the signed content: unchanged, or made from its SHA-256, which is computed once for each body. */
export type BodyForm = (body: Uint8Array, sha256: () => Buffer) => Bytes;

/** Computes the bytes of a signature from key and content. */
export type Algorithm = (key: Bytes, content: readonly Bytes[]) => Buffer;

/** One complete way of making a signature: the correct one, or one with mistakes. */
export interface Plan {
  readonly key: Bytes;
  readonly algorithm: Algorithm;
  readonly order: readonly PartName[];
  readonly separator: string;
  readonly ending: string;
  readonly timestamp: Bytes;
  readonly id: Bytes;
  readonly method: Bytes;
  readonly path: Bytes;
  readonly body: Uint8Array;
  readonly bodyForm: BodyForm;
}

/** The body of a plan in the form that is signed. */
export function formedBody({ body, bodyForm }: Pick<Plan, 'body' | 'bodyForm'>): Bytes {
  return bodyForm(body, () => hash('sha256', body, 'buffer'));
}

/** The signed content of a plan in chunks, for a body in the form that is signed. */
export function contentOf(plan: Plan, body: Bytes): Bytes[] {
  const chunks: Bytes[] = [];
  let text = '';
  for (const [index, name] of plan.order.entries()) {
    if (index > 0) text += plan.separator;
    const part = name === 'body' ? body : plan[name];
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    chunks.push(text, part);
    text = '';
  }
  chunks.push(text + plan.ending);
  return chunks;
}

/** The size of chunks in bytes, precise enough for a budget. */
export function sizeOf(chunks: readonly Bytes[]): number {
  let size = 0;
  for (const chunk of chunks) size += chunk.length;
  return size;
}

/** The plans that count as correct: a malformed timestamp may have been signed as sent, or in its correct form. */
export function basesOf(asSent: Plan, seconds: number | undefined): Plan[] {
  if (seconds === undefined || String(seconds) === asSent.timestamp) return [asSent];
  return [asSent, { ...asSent, timestamp: String(seconds) }];
}
