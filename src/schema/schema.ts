import type { JsonSchema } from './json-schema.js';
import type { Path } from './place.js';

/** What is wrong with a value, as data: who shows it puts it into the words of their door. */
export type Mistake = { readonly path: Path } & Problem;

export type Problem =
  /** Another value was expected: `expected` is a noun, such as `a whole number from 1 to 9`. */
  | {
      readonly kind: 'value';
      readonly expected: string;
      readonly got: unknown;
      /** The words of a closed set, for a suggestion. */
      readonly known?: readonly string[] | undefined;
    }
  /** The last part of the path names a field that `owner` must have. */
  | {
      readonly kind: 'missing';
      readonly owner: string;
      readonly expected: string;
      readonly known?: readonly string[] | undefined;
    }
  /** The last part of the path names a field that `owner` does not have; `known` are those that it has. */
  | { readonly kind: 'unknown'; readonly owner: string; readonly known: readonly string[] }
  /** Of the fields of `owner`, another number of them was wanted: `exactly one of charge, withdrawal`. */
  | {
      readonly kind: 'choice';
      readonly owner: string;
      readonly wanted: string;
      readonly got: readonly string[];
    }
  /** A rule of its own, as a whole sentence. */
  | { readonly kind: 'rule'; readonly says: string };

/** Stands for a value that could not be read; what is wrong with it has been noted. */
export const WRONG: unique symbol = Symbol('wrong');
export type Read<Value> = Value | typeof WRONG;

/** One declaration of what a JSON value may be: it reads the value, describes it, and gives it its type. */
export interface Schema<out Value> {
  /** How a message calls such a value, as a noun. */
  readonly what: string;
  readonly json: JsonSchema;
  readonly read: (value: unknown, reading: Reading) => Read<Value>;
  /** The values of a closed set, by which a variant is chosen. */
  readonly known?: readonly string[] | undefined;
  /** As a field it may be absent; `read` then makes what stands for it of undefined. */
  readonly isOptional?: boolean | undefined;
  /** The name of the field in JSON, where it is another than in the code. */
  readonly key?: string | undefined;
}

/** A field that is left out of what was read when it is absent. */
export interface Optional<out Value> extends Schema<Value | undefined> {
  readonly isOptional: true;
  readonly mayLack: true;
}

/** The type of what a schema reads. */
export type Infer<Of extends Schema<unknown>> = Of extends Schema<infer Value> ? Value : never;

/** Where a reading stands, and what it has found to be wrong so far. */
export class Reading {
  readonly mistakes: Mistake[] = [];
  /** Fields that nothing asks for, where they are let be. */
  readonly ignored: Path[] = [];
  readonly #path: (string | number)[] = [];
  readonly #options: ReadOptions;

  constructor(options: ReadOptions) {
    this.#options = options;
  }

  /** Reads what stands one level further in. */
  within<Value>(part: string | number, schema: Schema<Value>, value: unknown): Read<Value> {
    this.#path.push(part);
    const read = schema.read(value, this);
    this.#path.pop();
    return read;
  }

  /** What a field holds: undefined where it is absent. */
  field(object: Readonly<Record<string, unknown>>, key: string): unknown {
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    return value === null && this.#options.nullIsAbsent ? undefined : value;
  }

  expected(expected: string, got: unknown, known?: readonly string[]): typeof WRONG {
    return this.note({ kind: 'value', expected, got, known });
  }

  rule(says: string): typeof WRONG {
    return this.note({ kind: 'rule', says });
  }

  /** Notes a problem here, or of a field that begins here. */
  note(problem: Problem, ...further: Path): typeof WRONG {
    const { most = Infinity } = this.#options;
    if (this.mistakes.length < most) this.mistakes.push({ path: [...this.#path, ...further], ...problem });
    return WRONG;
  }

  /** A field that nothing asks for. Returns whether it is let be. */
  unknown(owner: string, field: string, known: readonly string[]): boolean {
    const { unknown = 'refuse' } = this.#options;
    if (unknown === 'ignore') this.ignored.push([...this.#path, field]);
    else this.note({ kind: 'unknown', owner, known }, field);
    return unknown === 'ignore';
  }
}

export interface ReadOptions {
  /** Whether a field that is null is as good as absent. */
  readonly nullIsAbsent?: boolean;
  /** What becomes of fields that nothing asks for: a mistake, or a note in `ignored`. */
  readonly unknown?: 'refuse' | 'ignore';
  /** So many mistakes are noted; the others are the same kind of news. */
  readonly most?: number;
}

/** What a value turned out to be, or everything that is wrong with it. */
export type Outcome<Value> =
  | { readonly value: Value; readonly mistakes: readonly []; readonly ignored: readonly Path[] }
  | {
      readonly value: undefined;
      readonly mistakes: readonly [Mistake, ...Mistake[]];
      readonly ignored: readonly Path[];
    };

/** Reads a JSON value. Throws nothing. */
export function read<Value>(schema: Schema<Value>, json: unknown, options: ReadOptions = {}): Outcome<Value> {
  const reading = new Reading(options);
  const value = schema.read(json, reading);
  const { ignored } = reading;
  const [first, ...others] = reading.mistakes;
  if (first !== undefined) return { value: undefined, mistakes: [first, ...others], ignored };
  if (value === WRONG) throw new TypeError(`${schema.what} was refused without a reason.`);
  return { value, mistakes: [], ignored };
}
