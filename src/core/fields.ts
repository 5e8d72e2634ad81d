import { normaliseDocument } from './documents.js';
import { isUuid } from './ids.js';
import { LIMITS } from './limits.js';
import { parseAmount } from './money.js';
import type { FieldProblem } from './refusal.js';
import { Refusal } from './refusal.js';
import type { Metadata } from './world.js';

/** No separator of any script, and nothing that cannot be seen. */
const CODE = /^[^\p{Z}\p{Cc}\p{Cf}\p{Cs}]+$/u;
const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * Reads the fields of a JSON object one by one and gathers what is wrong, so that one answer names every problem.
 * `done` refuses with INVALID_REQUEST when there was any. Fields that nobody asked for end up in `unknown`.
 */
export class Fields {
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #read = new Set<string>();
  readonly #problems: FieldProblem[] = [];

  constructor(body: unknown) {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new Refusal('INVALID_REQUEST', `The body must be a JSON object; got ${describe(body)}.`);
    }
    this.#values = new Map(Object.entries(body));
  }

  /** The value; null and absent are the same, because absent optional fields are null in every resource. */
  take(field: string): unknown {
    this.#read.add(field);
    return this.#values.get(field) ?? undefined;
  }

  problem(field: string, message: string): undefined {
    this.#problems.push({ field, message });
    return undefined;
  }

  optionalText(field: string, maxLength: number): string | undefined {
    const value = this.take(field);
    if (value === undefined) return undefined;
    if (typeof value !== 'string') return this.problem(field, `Must be a string; got ${describe(value)}.`);
    if (value === '' || value.length > maxLength) {
      return this.problem(field, `Must have 1 to ${maxLength} characters; got ${value.length}.`);
    }
    if (CONTROL_CHARACTER.test(value)) return this.problem(field, 'Must not hold control characters.');
    return value;
  }

  text(field: string, maxLength: number): string {
    return this.optionalText(field, maxLength) ?? this.#missing(field);
  }

  optionalCode(field: string): string | undefined {
    const code = this.optionalText(field, LIMITS.codeLength);
    if (code === undefined || CODE.test(code)) return code;
    return this.problem(field, `Must be printable and without space; got ${JSON.stringify(code)}.`);
  }

  code(field: string): string {
    return this.optionalCode(field) ?? this.#missing(field);
  }

  optionalUuid(field: string): string | undefined {
    const value = this.optionalText(field, LIMITS.nameLength);
    if (value === undefined || isUuid(value)) return value?.toLowerCase();
    return this.problem(field, `Must be a UUID; got ${JSON.stringify(value)}.`);
  }

  uuid(field: string): string {
    return this.optionalUuid(field) ?? this.#missing(field);
  }

  /** Cents. */
  optionalAmount(field: string): number | undefined {
    const value = this.take(field);
    if (value === undefined) return undefined;
    const parsed = parseAmount(value);
    return 'cents' in parsed ? parsed.cents : this.problem(field, `The amount ${parsed.problem}.`);
  }

  amount(field: string): number {
    const cents = this.optionalAmount(field);
    if (cents !== undefined) return cents;
    this.#missing(field);
    return 0;
  }

  /** A CPF or CNPJ, without its punctuation. */
  optionalDocument(field: string): string | undefined {
    const value = this.optionalText(field, LIMITS.nameLength);
    if (value === undefined) return undefined;
    return (
      normaliseDocument(value) ?? this.problem(field, 'Must be a CPF or CNPJ whose check digits are right.')
    );
  }

  optionalMetadata(field: string): Metadata | undefined {
    const value = this.take(field);
    if (value === undefined) return undefined;
    const parsed = parseMetadata(value);
    return typeof parsed === 'string' ? this.problem(field, parsed) : parsed;
  }

  metadata(field: string): Metadata {
    return this.optionalMetadata(field) ?? NO_METADATA;
  }

  oneOf<Choice extends string>(field: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.take(field);
    if (value === undefined) return undefined;
    const choice = choices.find((known) => known === value);
    return choice ?? this.problem(field, `Must be one of ${choices.join(', ')}; got ${describe(value)}.`);
  }

  /** One of the choices; the first one stands in where none came, which is a problem. */
  required<Choice extends string>(field: string, choices: readonly [Choice, ...Choice[]]): Choice {
    const choice = this.oneOf(field, choices);
    if (choice === undefined) this.#missing(field);
    return choice ?? choices[0];
  }

  /** Whether the field came with a value. */
  has(field: string): boolean {
    return (this.#values.get(field) ?? undefined) !== undefined;
  }

  listOf<Choice extends string>(field: string, choices: readonly Choice[]): readonly Choice[] {
    const value = this.take(field);
    if (value === undefined) {
      this.#missing(field);
      return [];
    }
    if (!Array.isArray(value) || value.length === 0) {
      this.problem(field, `Must be a list of one or more of ${choices.join(', ')}.`);
      return [];
    }
    const unknown = value.filter((item) => !choices.some((choice) => choice === item));
    if (unknown.length > 0) {
      const names = unknown.map(describe).join(', ');
      this.problem(field, `Must hold only ${choices.join(', ')}; got ${names}.`);
    }
    return choices.filter((choice) => value.includes(choice));
  }

  /** The names of the fields that nothing asked for. */
  unknown(): string[] {
    return [...this.#values.keys()].filter((field) => !this.#read.has(field));
  }

  done(): void {
    if (this.#problems.length === 0) return;
    const names = this.#problems.map(({ field }) => field).join(', ');
    throw new Refusal('INVALID_REQUEST', `Not valid: ${names}.`, { details: this.#problems });
  }

  #missing(field: string): string {
    const isReported = this.#problems.some((problem) => problem.field === field);
    if (!isReported) this.problem(field, 'Is required.');
    return '';
  }
}

const NO_METADATA: Metadata = Object.freeze({});

/** The metadata, or what is wrong with it. */
function parseMetadata(value: unknown): Metadata | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return `Must be an object of strings; got ${describe(value)}.`;
  }
  const entries: [string, unknown][] = Object.entries(value);
  if (entries.length > LIMITS.metadataKeys) return `Must have at most ${LIMITS.metadataKeys} keys.`;
  const texts: [string, string][] = [];
  for (const [key, item] of entries) {
    if (key === '' || key.length > LIMITS.metadataKeyLength) {
      return `Keys must have 1 to ${LIMITS.metadataKeyLength} characters; got ${key.length}.`;
    }
    if (typeof item !== 'string') return `The value of ${key} must be a string; got ${describe(item)}.`;
    if (item.length > LIMITS.metadataValueLength) {
      return `The value of ${key} must have at most ${LIMITS.metadataValueLength} characters.`;
    }
    texts.push([key, item]);
  }
  return Object.fromEntries(texts);
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  const text = JSON.stringify(value) ?? typeof value;
  return typeof value === 'string' ? text.slice(0, 60) : `the ${typeof value} ${text}`;
}
