import type { Reads } from './field-reader.js';
import { FieldReader } from './field-reader.js';
import type { Kind } from './kind.js';
import { describe, isObject } from './kind.js';
import { choice } from './kinds.js';
import type { FieldProblem } from '../../contract/refusals.js';
import { Refusal } from '../../contract/refusals.js';

/** Where the fields of an object within another tell their problems. */
interface Within {
  readonly problems: FieldProblem[];
  readonly prefix: string;
}

/**
 * Reads the fields of a JSON object one by one and gathers what is wrong, so that one answer names every problem.
 * `done` refuses with INVALID_REQUEST when there was any. Fields that nobody asked for end up in `unknown`.
 */
export class Fields extends FieldReader {
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #read = new Set<string>();
  readonly #problems: FieldProblem[];
  /** What stands before the names of fields where problems are told. */
  readonly #prefix: string;

  constructor(body: unknown, within: Within = { problems: [], prefix: '' }) {
    super();
    if (!isObject(body)) {
      throw new Refusal('INVALID_REQUEST', `The body must be a JSON object; got ${describe(body)}.`);
    }
    this.#values = new Map(Object.entries(body));
    this.#problems = within.problems;
    this.#prefix = within.prefix;
  }

  /** The value; null and absent are the same, because absent optional fields are null in every resource. */
  take(field: string): unknown {
    this.#read.add(field);
    return this.#values.get(field) ?? undefined;
  }

  /** Whether the field came with a value. */
  has(field: string): boolean {
    return (this.#values.get(field) ?? undefined) !== undefined;
  }

  problem(field: string, message: string): undefined {
    this.#problems.push({ field: this.#prefix + field, message });
    return undefined;
  }

  optional<Value>(field: string, kind: Kind<Value>): Value | undefined {
    const value = this.take(field);
    if (value === undefined) return undefined;
    const found = kind.parse(value);
    return 'problem' in found ? this.problem(field, found.problem) : found.value;
  }

  required<Value>(field: string, kind: Kind<Value>): Value {
    const value = this.optional(field, kind);
    if (value !== undefined) return value;
    if (!this.has(field)) {
      this.problem(field, kind.wanted === undefined ? 'Is required.' : `Is required: ${kind.wanted}.`);
    }
    return kind.standIn;
  }

  variant<Choice extends string>(field: string, known: readonly Choice[]): Choice {
    const chosen = this.required(field, choice(known));
    this.done();
    return chosen;
  }

  optionalVariant<Choice extends string>(field: string, known: readonly Choice[]): Choice | undefined {
    return this.take(field) === undefined ? undefined : this.variant(field, known);
  }

  either<Field extends string>(fields: readonly [Field, ...Field[]], message: string): Field {
    const [field = fields[0], ...others] = fields.filter((one) => this.take(one) !== undefined);
    if (others.length > 0 || !this.has(field)) {
      this.problem(fields[0], message);
      this.done();
    }
    return field;
  }

  absent(field: string, message: string): void {
    if (this.take(field) !== undefined) this.problem(field, message);
  }

  refuse(field: string, message: string): void {
    this.problem(field, message);
  }

  check(holds: boolean, field: string, message: string): void {
    if (!holds) this.problem(field, message);
  }

  nested<Value>(field: string, reads: Reads<Value>, noun: string): Value {
    const value = this.take(field) ?? {};
    if (!isObject(value)) this.problem(field, `Must be an object with the fields of a ${noun}.`);
    const inner = new Fields(isObject(value) ? value : {}, {
      problems: this.#problems,
      prefix: `${this.#prefix}${field}.`,
    });
    const read = reads(inner);
    inner.refuseUnknown(`Is not a field of a ${noun}.`);
    return read;
  }

  /** The names of the fields that nothing asked for. */
  unknown(): string[] {
    return [...this.#values.keys()].filter((field) => !this.#read.has(field));
  }

  refuseUnknown(message = 'Is not a known field.'): void {
    for (const field of this.unknown()) {
      this.problem(field, message);
      this.#read.add(field);
    }
  }

  done(): void {
    if (this.#problems.length === 0) return;
    const names = this.#problems.map(({ field }) => field).join(', ');
    throw new Refusal('INVALID_REQUEST', this.refusalMessage(names), { details: this.#problems });
  }

  protected refusalMessage(names: string): string {
    return `Not valid: ${names}.`;
  }
}
