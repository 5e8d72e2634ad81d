/** Named schema of a document; `json` refers to the component. */
export interface NamedSchema {
  readonly name: string;
  readonly whole: JsonSchema;
}

export function nameSchema<Of extends Schema<unknown>>(name: string, schema: Of): Of & NamedSchema {
  return { ...schema, json: createReference(name), name, whole: schema.json };
}

/** Collects exported components by name; if a name repeats, the last component wins. */
export function collectComponents(...modules: readonly object[]): Readonly<Record<string, JsonSchema>> {
  const exported: unknown[] = modules.flatMap((module) => Object.values(module)).flat();
  return Object.fromEntries(exported.filter(isComponent).map(({ name, whole }) => [name, whole]));
}

function isComponent(value: unknown): value is NamedSchema {
  return typeof value === 'object' && value !== null && 'whole' in value;
}

/** JSON Schema 2020-12, as used by OpenAPI 3.1. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

const NULL: JsonSchema = { type: 'null' };

export function nullableJson(schema: JsonSchema): JsonSchema {
  const { type, enum: choices } = schema;
  if (typeof type !== 'string') return { anyOf: [schema, NULL] };
  return {
    ...schema,
    type: [type, 'null'],
    ...(Array.isArray(choices) ? { enum: [...choices, null] } : {}),
  };
}

/** Omits undefined keywords. */
export function omitEmpty(keywords: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined));
}

/** Allows only null or an absent field. */
export const NULL_ONLY = NULL;

/** Creates a reference to a component of an OpenAPI document. */
export function createReference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

export type Path = readonly (string | number)[];

/** Position in a text. Lines and columns start at 1; columns count UTF-16 code units, as editors do. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

export function compareByPosition(a: TextPosition, b: TextPosition): number {
  return a.line - b.line || a.column - b.column;
}

/** Adds text positions to issues and sorts the issues by position. */
export function sortByPosition<Mistake extends { readonly path: Path }>(
  issues: readonly Mistake[],
  placeOf: (path: Path) => TextPosition,
): (Mistake & TextPosition)[] {
  return issues.map((mistake) => ({ ...mistake, ...placeOf(mistake.path) })).sort(compareByPosition);
}

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;

/** Formats a path, e.g. `steps[2].expect.events[0].type`. */
export function formatPath(path: Path): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      if (!PLAIN_KEY.test(part)) return `[${JSON.stringify(part)}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join('');
}

type Words = readonly string[];

/** Validation issue as data; each caller formats its own message. */
export type Issue = { readonly path: Path } & ProblemText;

export type ProblemText =
  /** `expected` is a noun phrase, e.g. `a whole number from 1 to 9`; `known` lists the allowed values. */
  | { readonly kind: 'value'; readonly expected: string; readonly got: unknown; readonly known?: Words }
  /** `owner` lacks the required field at the end of the path. */
  | { readonly kind: 'missing'; readonly owner: string; readonly expected: string; readonly known?: Words }
  /** The last field of the path is unknown to `owner`; `known` lists the valid fields. */
  | { readonly kind: 'unknown'; readonly owner: string; readonly known: Words }
  /** `owner` has the fields `got` instead of `wanted`, e.g. `exactly one of charge, withdrawal`. */
  | { readonly kind: 'choice'; readonly owner: string; readonly wanted: string; readonly got: Words }
  | { readonly kind: 'rule'; readonly says: string };

/** Marks an invalid value whose issues have been recorded. */
export const INVALID: unique symbol = Symbol('wrong');
export type ReadResult<Value> = Value | typeof INVALID;

/**
 * Declares how to parse and describe a JSON value, and its type. `Json` is the input type if parsing converts
 * the value, e.g. `"10.00"` to 1000 cents.
 */
export interface Schema<out Value, out Json = Value> {
  readonly what: string;
  readonly json: JsonSchema;
  readonly read: (value: unknown, reading: ReadContext) => ReadResult<Value>;
  /** Allowed values of a closed set, used to select variants. */
  readonly known?: Words | undefined;
  /** Allows the field to be absent; `read` then converts undefined to the default. */
  readonly isOptional?: boolean | undefined;
  /** Schema of a list's items. */
  readonly item?: Schema<unknown> | undefined;
  /** JSON name of the field, if different from the name in code. */
  readonly key?: string | undefined;
  /** Exists only at the type level. */
  readonly types?: { readonly input: Json };
}

/** Schema of a field that is omitted from the result if absent. */
export interface Optional<out Value, out Json = Value> extends Schema<Value | undefined, Json | undefined> {
  readonly isOptional: true;
}

export type Infer<Of extends Schema<unknown>> = Of extends Schema<infer Value, unknown> ? Value : never;
/** JSON input type of a schema. */
export type InputOf<Of extends Schema<unknown>> = Of extends Schema<unknown, infer Json> ? Json : never;

/** Tracks the current path and the issues found so far. */
export class ReadContext {
  readonly issues: Issue[] = [];
  readonly ignored: Path[] = [];
  readonly #path: (string | number)[] = [];
  readonly #options: ReadOptions;

  constructor(options: ReadOptions) {
    this.#options = options;
  }

  within<Value>(part: string | number, schema: Schema<Value, unknown>, value: unknown): ReadResult<Value> {
    this.#path.push(part);
    const readValue = schema.read(value, this);
    this.#path.pop();
    return readValue;
  }

  /** Returns the value of a field, or undefined if absent. */
  field(object: Readonly<Record<string, unknown>>, key: string): unknown {
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    return value === null && this.#options.nullIsAbsent ? undefined : value;
  }

  expected(expected: string, got: unknown, known?: Words): typeof INVALID {
    return this.note({ kind: 'value', expected, got, ...(known && { known }) });
  }

  /** Records an issue at the current path, extended by `further`. */
  note(problem: ProblemText, ...further: Path): typeof INVALID {
    const { max = Infinity } = this.#options;
    if (this.issues.length < max) this.issues.push({ path: [...this.#path, ...further], ...problem });
    return INVALID;
  }

  unknown(owner: string, field: string, known: Words): void {
    if (this.#options.unknown === 'ignore') this.ignored.push([...this.#path, field]);
    else this.note({ kind: 'unknown', owner, known }, field);
  }
}

export interface ReadOptions {
  /** Treats null fields as absent. */
  readonly nullIsAbsent?: boolean;
  /** Reports unknown fields as issues (default) or lists them in `ignored`. */
  readonly unknown?: 'refuse' | 'ignore';
  readonly max?: number;
}

interface ReadOutcome<Value> {
  readonly value: Value | undefined;
  readonly issues: readonly Issue[];
  readonly ignored: readonly Path[];
}

/** Reads a JSON value. Never throws for invalid input. */
export function read<Value>(
  schema: Schema<Value, unknown>,
  json: unknown,
  options: ReadOptions = {},
): ReadOutcome<Value> {
  const reading = new ReadContext(options);
  const value = schema.read(json, reading);
  const { issues, ignored } = reading;
  if (issues.length > 0) return { value: undefined, issues, ignored };
  if (value === INVALID) throw new TypeError(`${schema.what} was rejected without an issue.`);
  return { value, issues, ignored };
}
