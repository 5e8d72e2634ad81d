import type { Reads } from './field-reader.js';
import { FieldReader } from './field-reader.js';
import type { JsonSchema } from './json-schema.js';
import { ABSENT, nullable } from './json-schema.js';
import type { Kind } from './kind.js';
import { choice } from './kinds.js';

export interface DescribeOptions {
  /** Whether fields that nobody asked for are refused. */
  readonly isClosed?: boolean | undefined;
  /** Whether null is as good as absent, as it is in JSON and is not in a query. */
  readonly hasNull?: boolean | undefined;
}

/** What an object has to look like. */
interface Shape {
  readonly properties: Map<string, JsonSchema>;
  readonly required: Set<string>;
  isClosed: boolean;
  /** No object looks like this: what was read together cannot be together. */
  isRefused: boolean;
  /** The field that was chosen last among several. */
  variant: string | undefined;
}

/**
 * Notes what is asked of it instead of reading a value. Where what is read depends on a choice, one describer follows one
 * way: `choices` says which to take at each fork, and is filled up with the first choices.
 */
class FieldDescriber extends FieldReader {
  readonly shape: Shape = {
    properties: new Map(),
    required: new Set(),
    isClosed: false,
    isRefused: false,
    variant: undefined,
  };
  readonly #options: DescribeOptions;
  readonly #choices: number[];
  readonly #forks: number[] = [];
  readonly #chosen = new Set<string>();

  constructor(options: DescribeOptions, choices: readonly number[]) {
    super();
    this.#options = options;
    this.#choices = [...choices];
    this.shape.isClosed = options.isClosed ?? false;
  }

  optional<Value>(field: string, kind: Kind<Value>): undefined {
    this.#note(field, this.#options.hasNull === false ? kind.schema : nullable(kind.schema));
  }

  required<Value>(field: string, kind: Kind<Value>): Value {
    this.#note(field, kind.schema);
    this.shape.required.add(field);
    return kind.standIn;
  }

  variant<Choice extends string>(field: string, known: readonly Choice[]): Choice {
    const chosen = this.#choose(known);
    return this.#vary(field, chosen);
  }

  optionalVariant<Choice extends string>(field: string, known: readonly Choice[]): Choice | undefined {
    const chosen = this.#choose([undefined, ...known]);
    if (chosen !== undefined) return this.#vary(field, chosen);
    this.absent(field);
    return undefined;
  }

  either<Field extends string>(fields: readonly [Field, ...Field[]]): Field {
    const chosen = this.#choose(fields);
    for (const field of fields) if (field !== chosen) this.absent(field);
    return chosen;
  }

  absent(field: string): void {
    this.#note(field, ABSENT);
  }

  check(): void {}

  nested<Value>(field: string, reads: Reads<Value>): Value {
    const options = { ...this.#options, isClosed: true };
    this.#note(field, nullable(describeFields(reads, options)));
    return reads(new FieldDescriber(options, []));
  }

  refuse(): void {
    this.shape.isRefused = true;
  }

  refuseUnknown(): void {
    this.shape.isClosed = true;
  }

  /** The choices of the next way; undefined when all have been followed. */
  next(): number[] | undefined {
    const next = this.#choices.slice(0, this.#forks.length);
    while (next.length > 0) {
      const last = (next.pop() ?? 0) + 1;
      if (last < (this.#forks[next.length] ?? 0)) return [...next, last];
    }
    return undefined;
  }

  /** What was chosen of a field stands, whatever is asked of it later. */
  #note(field: string, schema: JsonSchema): void {
    if (!this.#chosen.has(field)) this.shape.properties.set(field, schema);
  }

  #vary<Choice extends string>(field: string, chosen: Choice): Choice {
    this.required(field, choice([chosen]));
    this.#chosen.add(field);
    this.shape.variant = field;
    return chosen;
  }

  #choose<Choice>(known: readonly Choice[]): Choice {
    const fork = this.#forks.length;
    this.#forks.push(known.length);
    this.#choices[fork] ??= 0;
    const chosen = known[this.#choices[fork]];
    if (chosen === undefined && !known.includes(chosen as Choice)) throw new RangeError('No such choice.');
    return chosen as Choice;
  }
}

/** The schema of the objects whose fields can be read so. */
export function describeFields(reads: Reads<unknown>, options: DescribeOptions = {}): JsonSchema {
  const shapes: Shape[] = [];
  let choices: number[] | undefined = [];
  while (choices !== undefined) {
    const describer = new FieldDescriber(options, choices);
    reads(describer);
    const { shape } = describer;
    if (!shape.isRefused) shapes.push(shape);
    choices = describer.next();
  }
  const schemas = merged(shapes).map(schemaOf);
  const [only, ...others] = schemas;
  return only !== undefined && others.length === 0 ? only : { anyOf: schemas };
}

/** Shapes that differ in the choice of one field alone are one shape with several choices. */
function merged(shapes: readonly Shape[]): Shape[] {
  const alike = new Map<string, Shape>();
  for (const shape of shapes) {
    const key = JSON.stringify({ ...schemaOf(withoutVariant(shape)), variant: shape.variant ?? null });
    const earlier = alike.get(key);
    if (earlier === undefined) alike.set(key, shape);
    else addVariant(earlier, shape);
  }
  return [...alike.values()];
}

function withoutVariant(shape: Shape): Shape {
  const properties = new Map(shape.properties);
  const { variant } = shape;
  if (variant !== undefined && shape.required.has(variant)) properties.set(variant, {});
  return { ...shape, properties };
}

function addVariant(shape: Shape, { properties }: Shape): void {
  const { variant = '' } = shape;
  const choices = [shape.properties, properties].flatMap((own) => own.get(variant)?.['enum'] ?? []);
  shape.properties.set(variant, { ...shape.properties.get(variant), enum: choices });
}

function schemaOf({ properties, required, isClosed }: Shape): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.size === 0 ? {} : { required: [...required] }),
    ...(isClosed ? { additionalProperties: false } : {}),
  };
}
