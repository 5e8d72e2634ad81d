import { suggest } from '../text/closest.js';
import { type Issue as SchemaMistake, type Path, read, type Schema } from './schema.js';

/** An issue formatted as a sentence. */
export interface IssueSentence {
  readonly path: Path;
  readonly message: string;
}

const LONGEST_SHOWN = 60;

/** Lists all issues in a value; `at` is the path of the value. */
export function findIssues(schema: Schema<unknown>, value: unknown, at: Path = []): IssueSentence[] {
  return read(schema, value).issues.map((mistake) => ({
    path: [...at, ...mistake.path],
    message: sentenceOf(mistake),
  }));
}

function sentenceOf(mistake: SchemaMistake): string {
  const field = String(mistake.path.at(-1));
  switch (mistake.kind) {
    case 'value': {
      const { expected, got, known } = mistake;
      if (typeof got !== 'string' || known === undefined)
        return `Expected ${expected}; got ${describe(got)}.`;
      const words = known.join(', ');
      const named = expected.endsWith(words) ? expected : `${expected}: ${words}`;
      return `Expected ${named}; got ${describe(got)}.${suggest(got, known)}`;
    }
    case 'missing': {
      return `Expected ${mistake.owner} with the field ${field}; the field is missing.`;
    }
    case 'unknown': {
      const hint = suggest(field, mistake.known) || ` Known fields: ${mistake.known.join(', ')}.`;
      return `Unknown field ${JSON.stringify(field)} in ${mistake.owner}.${hint}`;
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
