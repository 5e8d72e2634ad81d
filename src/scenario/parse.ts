import type { Scenario, Step } from './format.js';
import { GIVEN_NAMES, SCENARIO, VERB_NAMES, verbOf } from './format.js';
import type { Mistake, Path } from './json-text.js';
import { pathText, readJson } from './json-text.js';
import { namesIn, referenceMistakes } from './references.js';

/** A mistake in a file: line and column from 1, the JSON path, and what was expected. */
export interface PlacedMistake {
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
}

/** A scenario, or everything that is wrong with its text. */
export type ParsedScenario =
  | { readonly scenario: Scenario; readonly mistakes: readonly [] }
  | { readonly scenario: undefined; readonly mistakes: readonly PlacedMistake[] };

const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** Reads a scenario's text. All mistakes come together; nothing of it runs. */
export function parseScenario(text: string): ParsedScenario {
  const { value, mistakes: unread, placeOf } = readJson(text.replace(/^\uFEFF/, ''));
  const mistakes = [...unread, ...(value === undefined ? [] : mistakesIn(value))];
  if (mistakes.length === 0) return { scenario: value as Scenario, mistakes: [] };
  const placed = mistakes.map(({ path, message }) => {
    const { line, column } = placeOf(path);
    return { line, column, path: pathText(path), message };
  });
  return {
    scenario: undefined,
    mistakes: placed.sort((a, b) => a.line - b.line || a.column - b.column),
  };
}

function mistakesIn(value: unknown): Mistake[] {
  const mistakes: Mistake[] = [];
  const report = (path: Path, message: string) => void mistakes.push({ path, message });
  if (!SCENARIO.holds(value, [], report)) return mistakes;
  return [...nameMistakes(value), ...receiverMistakes(value)];
}

/** Names that mean two things, and references to what is not there yet. */
function nameMistakes({ steps }: Scenario): Mistake[] {
  const known: string[] = [...GIVEN_NAMES];
  return steps.flatMap((step, index) => {
    const path = ['steps', index];
    const verb = verbOf(step);
    const mistakes = referenceMistakes(step[verb], [...path, verb], known);
    const { as } = step;
    if (as === undefined) return mistakes;
    const wrong = !NAME.test(as)
      ? 'A name holds no reference.'
      : known.includes(as)
        ? `The name ${as} is taken ${GIVEN_NAMES.some((given) => given === as) ? 'by the sandbox' : 'by an earlier step'}.`
        : undefined;
    known.push(as);
    return wrong === undefined ? mistakes : [...mistakes, { path: [...path, 'as'], message: wrong }];
  });
}

/** Uses of the built-in receiver where there is none, and what can be said only when it connects. */
function receiverMistakes({ receiver, steps }: Scenario): Mistake[] {
  let isConnected = receiver !== undefined;
  return steps.flatMap((step, index) => {
    const path = ['steps', index];
    if (step.receiver !== undefined) {
      const fixed = (['events', 'retries'] as const).filter((field) => step.receiver?.[field] !== undefined);
      const late = isConnected ? fixed : [];
      isConnected = true;
      return late.map((field) => ({
        path: [...path, 'receiver', field],
        message: `The receiver is connected already: give ${field} where it is declared first.`,
      }));
    }
    if (isConnected || !usesReceiver(step)) return [];
    const message = 'There is no receiver here. Declare one: "receiver": {} beside "steps".';
    return [{ path: [...path, verbOf(step)], message }];
  });
}

function usesReceiver(step: Step): boolean {
  const used = VERB_NAMES.flatMap((verb) => namesIn(step[verb]));
  return step.expect?.received !== undefined || used.includes('receiver');
}
