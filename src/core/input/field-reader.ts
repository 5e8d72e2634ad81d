import type { Kind } from './kind.js';
import { choice, choices, FLAG, METADATA, number, PAIRS, TEXTS, valuesByName, wholeNumber } from './kinds.js';
import type { TextForm } from './text-kinds.js';
import { AMOUNT, CODE, DOCUMENT, duration, RAW_TEXT, text, UUID } from './text-kinds.js';
import type { Metadata } from '../world.js';

/** How the fields of something are read: written once, run to read a value and run to describe what it accepts. */
export type Reads<Value> = (fields: FieldReader) => Value;

/**
 * Reads fields one by one. What reads them by this cannot tell whether there is a value behind it: `Fields` reads one and
 * gathers what is wrong, `FieldDescriber` notes what is asked for. So it asks for the same fields whatever comes, except
 * after `variant` and `either`, decides nothing by the values of others, and takes stand-ins for what is missing.
 */
export abstract class FieldReader {
  /** The value of a field that may be absent or null, or undefined. */
  abstract optional<Value>(field: string, kind: Kind<Value>): Value | undefined;

  /** The value of a field that must be there. */
  abstract required<Value>(field: string, kind: Kind<Value>): Value;

  /** One of the choices, on which depends what else is read; a wrong one is refused at once. */
  abstract variant<Choice extends string>(field: string, known: readonly Choice[]): Choice;

  /** The same of a field that may be absent. */
  abstract optionalVariant<Choice extends string>(
    field: string,
    known: readonly Choice[],
  ): Choice | undefined;

  /** Which of the fields is there, on which depends what else is read. Exactly one must be, else `message` is said of the first. */
  abstract either<Field extends string>(fields: readonly [Field, ...Field[]], message: string): Field;

  /** A field that must be absent, because it goes with others. */
  abstract absent(field: string, message: string): void;

  /** What is read of an object in a field; one that is absent has no fields. */
  abstract nested<Value>(field: string, reads: Reads<Value>, noun: string): Value;

  /** After `variant`: what was chosen cannot be without more, so that no value looks like this. */
  abstract refuse(field: string, message: string): void;

  /** Refuses fields that nothing asked for, as probable slips of the pen. */
  abstract refuseUnknown(message?: string): void;

  /** A rule between fields, beyond the shape of each; where values are only described, it is passed over. */
  abstract check(holds: boolean, field: string, message: string): void;

  optionalText(field: string, maxLength: number, form?: TextForm): string | undefined {
    return this.optional(field, text(maxLength, form));
  }

  text(field: string, maxLength: number, form?: TextForm): string {
    return this.required(field, text(maxLength, form));
  }

  /** Any text, of any length and with any characters. */
  optionalRawText(field: string): string | undefined {
    return this.optional(field, RAW_TEXT);
  }

  optionalCode(field: string): string | undefined {
    return this.optional(field, CODE);
  }

  code(field: string): string {
    return this.required(field, CODE);
  }

  optionalUuid(field: string): string | undefined {
    return this.optional(field, UUID);
  }

  uuid(field: string): string {
    return this.required(field, UUID);
  }

  /** Cents. */
  optionalAmount(field: string): number | undefined {
    return this.optional(field, AMOUNT);
  }

  amount(field: string): number {
    return this.required(field, AMOUNT);
  }

  /** A CPF or CNPJ, without its punctuation. */
  optionalDocument(field: string): string | undefined {
    return this.optional(field, DOCUMENT);
  }

  optionalMetadata(field: string): Metadata | undefined {
    return this.optional(field, METADATA);
  }

  metadata(field: string): Metadata {
    return this.optionalMetadata(field) ?? METADATA.standIn;
  }

  oneOf<Choice extends string>(field: string, known: readonly Choice[]): Choice | undefined {
    return this.optional(field, choice(known));
  }

  /** One of the choices; the first one stands in where none came, which is a problem. */
  oneOfRequired<Choice extends string>(field: string, known: readonly Choice[]): Choice {
    return this.required(field, choice(known));
  }

  optionalListOf<Choice extends string>(
    field: string,
    known: readonly Choice[],
  ): readonly Choice[] | undefined {
    return this.optional(field, choices(known));
  }

  listOf<Choice extends string>(field: string, known: readonly Choice[]): readonly Choice[] {
    return this.required(field, choices(known));
  }

  texts(field: string): readonly string[] {
    return this.required(field, TEXTS);
  }

  optionalPairs(field: string): readonly (readonly [string, string])[] | undefined {
    return this.optional(field, PAIRS);
  }

  flag(field: string): boolean | undefined {
    return this.optional(field, FLAG);
  }

  wholeNumber(field: string, least: number, most: number): number | undefined {
    return this.optional(field, wholeNumber(least, most));
  }

  number(field: string, range: Parameters<typeof number>[0]): number | undefined {
    return this.optional(field, number(range));
  }

  /** Milliseconds of a duration. */
  duration(field: string, wanted: Parameters<typeof duration>[0]): number | undefined {
    return this.optional(field, duration(wanted));
  }

  /** An object with values of any kind. */
  values(field: string, example: object): Readonly<Record<string, unknown>> {
    return this.optional(field, valuesByName(example)) ?? {};
  }
}
