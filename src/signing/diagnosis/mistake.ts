import type { Finding, KnownSecret } from './finding.js';
import { hash } from 'node:crypto';
import type { Bytes } from '../bytes.js';
import type { JsonBody } from './texts.js';

/** A finding that is visible in the message, without trying. @internal */
export function observed(id: string, did: string, expected: string, fix: string): Finding {
  return { id, did, expected, fix, certainty: 'observed', alike: [] };
}

/** The parts that can be signed. `id` is the nonce of a request and the message id of a webhook. */
export type PartName = 'timestamp' | 'id' | 'method' | 'path' | 'body';

/**
 * The form of the body in the signed content: unchanged, or made from its SHA-256, which is computed once for
 * each body.
 */
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

/** The input of the tables: the message as it arrived, and its context. */
export interface Subject {
  /** The correct way to sign the message; the tables list deviations from it. */
  readonly right: Plan;
  /** The Unix seconds that the timestamp header means, if that is clear. */
  readonly seconds: number | undefined;
  /** The request-target, empty for a webhook. */
  readonly target: string;
  readonly host: string | undefined;
  /** The bearer token that came with a request. */
  readonly token: string | undefined;
  readonly secrets: readonly KnownSecret[];
  /** The body as JSON, if it is JSON and short enough to rewrite. */
  readonly json: JsonBody | undefined;
}

/** One way of making a mistake, as a change to the correct plan. */
export interface Variant {
  readonly change: Partial<Plan>;
  /** Distinguishes this variant from the others of its mistake. */
  readonly detail?: string;
}

/** A named mistake and the ways of making it. `did` and `fix` are sentences for people. */
export interface Mistake {
  readonly id: string;
  readonly did: string;
  readonly fix: string;
  readonly variants: (subject: Subject) => readonly Variant[];
  /** More variants, too many for pairs; made and tried after those of all mistakes. */
  readonly rare?: (subject: Subject) => readonly Variant[];
}

/** Mistakes about one part of a signature, of which a message has at most one. */
export interface Dimension {
  readonly name: string;
  readonly expected: string;
  readonly mistakes: readonly Mistake[];
}

/** A row of a table. */
export function mistake(id: string, did: string, fix: string, variants: Mistake['variants']): Mistake {
  return { id, did, fix, variants };
}

/** The same row with rare variants. */
export function withRare(row: Mistake, rare: Mistake['variants']): Mistake {
  return { ...row, rare };
}

/**
 * Other values for one field of the plan: a list in which undefined ones are dropped, or by the words that
 * distinguish them.
 */
type Values<Field extends keyof Plan> =
  | readonly (Plan[Field] | undefined)[]
  | Readonly<Record<string, Plan[Field]>>;

/** Variants with other values in one field of the plan. */
export function variantsOf<Field extends keyof Plan>(field: Field, values: Values<Field>): Variant[] {
  const isNamed = !Array.isArray(values);
  return Object.entries<Plan[Field] | undefined>(values).flatMap(([detail, value]) => {
    if (value === undefined) return [];
    const change = fieldChange(field, value);
    return [isNamed ? { change, detail } : { change }];
  });
}

/** Makes the rows of a table about one field of the plan; they share their fix. */
export function rowsAbout<Field extends keyof Plan>(field: Field, fix: string) {
  return (id: string, did: string, valuesFor: (subject: Subject) => Values<Field>): Mistake =>
    mistake(id, did, fix, (subject) => variantsOf(field, valuesFor(subject)));
}

/** The same, for values made from the correct text; a field with characters outside ASCII has none. */
export function rowsFromText(field: 'id' | 'method' | 'path', fix: string) {
  const row = rowsAbout(field, fix);
  return (id: string, did: string, forms: (text: string) => Values<typeof field>): Mistake =>
    row(id, did, ({ right }) => {
      const text = right[field];
      return typeof text === 'string' ? forms(text) : [];
    });
}

function fieldChange<Field extends keyof Plan>(field: Field, value: Plan[Field]): Partial<Plan> {
  const change: { -readonly [Key in keyof Plan]?: Plan[Key] } = {};
  change[field] = value;
  return change;
}

/** Texts that programs write for an unset value. */
export const UNSET_TEXTS = ['', 'undefined', 'null', 'None', 'nil'] as const;

/** Texts that programs make of a value without an encoding. */
export const OBJECT_TEXTS = ['[object Object]', 'Array', '[object Promise]', '[object ArrayBuffer]'] as const;
