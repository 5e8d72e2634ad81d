import type { JsonBody } from './json-forms.js';
import type { Plan } from './plan.js';

/** A secret that the diagnosis may try. Without a note it counts as current. */
export interface KnownSecret {
  readonly name?: string;
  readonly secret: string;
  readonly note?: 'current' | 'previous' | 'other';
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
  /** Never tried in pairs, because there are too many of its kind. */
  readonly alone?: boolean;
}

/** A named mistake and the ways of making it. `did` and `fix` are sentences for people. */
export interface Mistake {
  readonly id: string;
  readonly did: string;
  readonly fix: string;
  readonly variants: (subject: Subject) => readonly Variant[];
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

/** Variants with other values in one field of the plan; undefined ones are dropped. */
export function variantsOf<Field extends keyof Plan>(
  field: Field,
  ...values: readonly (Plan[Field] | undefined)[]
): Variant[] {
  return values
    .filter((value) => value !== undefined)
    .map((value) => ({ change: fieldChange(field, value) }));
}

/** Variants of one field of the plan, each with the words that distinguish it. */
export function namedVariants<Field extends keyof Plan>(
  field: Field,
  values: readonly (readonly [detail: string, value: Plan[Field]])[],
): Variant[] {
  return values.map(([detail, value]) => ({ change: fieldChange(field, value), detail }));
}

function fieldChange<Field extends keyof Plan>(field: Field, value: Plan[Field]): Partial<Plan> {
  const change: { -readonly [Key in keyof Plan]?: Plan[Key] } = {};
  change[field] = value;
  return change;
}

/** Texts that programs write for an unset value. */
export const UNSET_TEXTS = ['', 'undefined', 'null', 'None', 'nil'] as const;
