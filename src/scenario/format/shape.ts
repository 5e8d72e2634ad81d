import type { Schema } from '../../schema/schema.js';

/** Any text may hold a reference such as `${order.id}`, whose value is not known before the step runs. */
const REFERENCE = /\$\{/;

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
