import { didYouMean } from '../../text/closest.js';
import type { Path } from '../../schema/place.js';
import type { Mistake as SchemaMistake, Schema } from '../../schema/schema.js';
import { read } from '../../schema/schema.js';

/** A mistake in a document, as a sentence. */
export interface Mistake {
  readonly path: Path;
  readonly message: string;
}

/** Any text may hold a reference such as `${order.id}`, whose value is not known before the step runs. */
const REFERENCE = /\$\{/;
const LONGEST_SHOWN = 60;

/** One of a set of words, or a text with a reference. */
export function word<Word extends string>(what: string, known: readonly Word[]): Schema<Word> {
  return {
    what: `${what} (${known.join(', ')})`,
    known,
    json: { anyOf: [{ enum: known }, { type: 'string', pattern: REFERENCE.source }] },
    read: (value, reading) => {
      const isReference = typeof value === 'string' && REFERENCE.test(value);
      return isReference || known.some((one) => one === value)
        ? (value as Word)
        : reading.expected(what, value, known);
    },
  };
}

/** All mistakes in the value at the path. */
export function mistakesIn(schema: Schema<unknown>, value: unknown, at: Path = []): Mistake[] {
  return read(schema, value).mistakes.map((mistake) => ({
    path: [...at, ...mistake.path],
    message: sentenceOf(mistake),
  }));
}

function sentenceOf(mistake: SchemaMistake): string {
  const field = String(mistake.path.at(-1));
  switch (mistake.kind) {
    case 'value': {
      const { expected, got, known } = mistake;
      return typeof got === 'string' && known !== undefined
        ? `Expected ${expected}: ${known.join(', ')}; got ${describe(got)}.${didYouMean(got, known)}`
        : `Expected ${expected}; got ${describe(got)}.`;
    }
    case 'missing': {
      return `Expected ${mistake.owner} with the field ${field}; it is missing.`;
    }
    case 'unknown': {
      const hint = didYouMean(field, mistake.known) || ` It has ${mistake.known.join(', ')}.`;
      return `There is no field ${JSON.stringify(field)} in ${mistake.owner}.${hint}`;
    }
    case 'choice': {
      return `Expected ${mistake.owner} with ${mistake.wanted}; got ${mistake.got.join(' and ') || 'none'}.`;
    }
    case 'rule': {
      return mistake.says;
    }
  }
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}
