/** A named schema of a document. Its `json` refers to it. */
export interface NamedSchema {
  readonly name: string;
  readonly whole: JsonSchema;
}

export function nameSchema<Of extends Schema<unknown>>(name: string, schema: Of): Of & NamedSchema {
  return { ...schema, json: createReference(name), name, whole: schema.json };
}

/** The components that modules export, by name. Of two with the same name, the later one wins. */
export function collectComponents(...modules: readonly object[]): Readonly<Record<string, JsonSchema>> {
  const exported: unknown[] = modules.flatMap((module) => Object.values(module)).flat();
  return Object.fromEntries(exported.filter(isComponent).map(({ name, whole }) => [name, whole]));
}

function isComponent(value: unknown): value is NamedSchema {
  return typeof value === 'object' && value !== null && 'whole' in value;
}

/** A schema in JSON Schema 2020-12, as OpenAPI 3.1 takes it. */
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

/** A field allowed only as null or absent. */
export const NULL_ONLY = NULL;

/** Points to a schema among the components of an OpenAPI document. */
export function createReference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

export type Path = readonly (string | number)[];

/** A place in a text, both counted from 1; columns count UTF-16 units, as editors do. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

export function compareByPlace(a: TextPosition, b: TextPosition): number {
  return a.line - b.line || a.column - b.column;
}

/** Mistakes with the places of their paths, in the order of the text. */
export function sortByPlace<Mistake extends { readonly path: Path }>(
  issues: readonly Mistake[],
  placeOf: (path: Path) => TextPosition,
): (Mistake & TextPosition)[] {
  return issues.map((mistake) => ({ ...mistake, ...placeOf(mistake.path) })).sort(compareByPlace);
}

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;

/** A path as people write it: `steps[2].expect.events[0].type`. */
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

/** Problem of a value, as data; each caller words its own message. */
export type Issue = { readonly path: Path } & ProblemText;

export type ProblemText =
  /** `expected` is a noun, such as `a whole number from 1 to 9`; `known` are the words of a closed set. */
  | { readonly kind: 'value'; readonly expected: string; readonly got: unknown; readonly known?: Words }
  /** The path ends with a field that `owner` must have. */
  | { readonly kind: 'missing'; readonly owner: string; readonly expected: string; readonly known?: Words }
  /** The path ends with a field unknown to `owner`; `known` are its fields. */
  | { readonly kind: 'unknown'; readonly owner: string; readonly known: Words }
  /** `owner` has the fields `got` of `wanted`, such as `exactly one of charge, withdrawal`. */
  | { readonly kind: 'choice'; readonly owner: string; readonly wanted: string; readonly got: Words }
  | { readonly kind: 'rule'; readonly says: string };

/** Marks a value that could not be read; its mistakes have been noted. */
export const INVALID: unique symbol = Symbol('wrong');
export type ReadResult<Value> = Value | typeof INVALID;

/**
 * The declaration of a JSON value: reads the value, describes it, and gives it its type. `Json` is the type of what is
 * written, where reading converts it: `"10.00"` becomes 1000 cents.
 */
export interface Schema<out Value, out Json = Value> {
  readonly what: string;
  readonly json: JsonSchema;
  readonly read: (value: unknown, reading: ReadContext) => ReadResult<Value>;
  /** The words of a closed set, by which a variant is chosen. */
  readonly known?: Words | undefined;
  /** As a field it may be absent; `read` then turns undefined into its default. */
  readonly isOptional?: boolean | undefined;
  /** The name of the field in JSON, where the code uses another one. */
  readonly key?: string | undefined;
  /** Only in types. */
  readonly types?: { readonly input: Json };
}

/** A field omitted from the result if absent. */
export interface Optional<out Value, out Json = Value> extends Schema<Value | undefined, Json | undefined> {
  readonly isOptional: true;
}

export type Infer<Of extends Schema<unknown>> = Of extends Schema<infer Value, unknown> ? Value : never;
/** JSON input type of a schema. */
export type InputOf<Of extends Schema<unknown>> = Of extends Schema<unknown, infer Json> ? Json : never;

/** The current place, and the mistakes found before it. */
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

  /** The value of a field: undefined where it is absent. */
  field(object: Readonly<Record<string, unknown>>, key: string): unknown {
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    return value === null && this.#options.nullIsAbsent ? undefined : value;
  }

  expected(expected: string, got: unknown, known?: Words): typeof INVALID {
    return this.note({ kind: 'value', expected, got, ...(known && { known }) });
  }

  /** Notes a problem at this place, or further in. */
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
  /** Reports unknown fields as issues, the default, or lists them in `ignored`. */
  readonly unknown?: 'refuse' | 'ignore';
  readonly max?: number;
}

interface ReadOutcome<Value> {
  readonly value: Value | undefined;
  readonly issues: readonly Issue[];
  readonly ignored: readonly Path[];
}

/** Reads a JSON value. Throws nothing. */
export function read<Value>(
  schema: Schema<Value, unknown>,
  json: unknown,
  options: ReadOptions = {},
): ReadOutcome<Value> {
  const reading = new ReadContext(options);
  const value = schema.read(json, reading);
  const { issues, ignored } = reading;
  if (issues.length > 0) return { value: undefined, issues, ignored };
  if (value === INVALID) throw new TypeError(`${schema.what} was refused without a reason.`);
  return { value, issues, ignored };
}
