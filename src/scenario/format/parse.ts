import type { JsonText, Path, Place } from '../../schema/json-text.js';
import { byPlace, pathText, readJsonText } from '../../schema/json-text.js';
import { LIMITS } from '../../contract/limits.js';
import type { Scenario, Step } from './steps.js';
import { GIVEN_NAMES, SCENARIO, VERB_NAMES, verbOf } from './steps.js';
import { namesIn, referenceMistakes } from './references.js';
import type { Mistake } from './shape.js';

/** A mistake in a file: line and column from 1, the JSON path, and what was expected. */
export interface PlacedMistake extends Place {
  readonly path: string;
  readonly message: string;
}

/** A scenario, or everything that is wrong with its text. */
export type ParsedScenario =
  | { readonly scenario: Scenario; readonly mistakes: readonly [] }
  | { readonly scenario: undefined; readonly mistakes: readonly PlacedMistake[] };

/** The deepest body that the service takes, with the steps around it. */
const MOST_LEVELS = LIMITS.jsonDepth + 8;
const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** Reads a scenario's text. All mistakes come together; nothing of it runs. */
export function parseScenario(text: string): ParsedScenario {
  const read = readJsonText(text.replace(/^\uFEFF/, ''), MOST_LEVELS);
  if (!read.isJson) {
    return { scenario: undefined, mistakes: [{ ...read.place, path: '', message: `This ${read.problem}.` }] };
  }
  const mistakes = mistakesIn(read);
  if (mistakes.length === 0) return { scenario: read.value as Scenario, mistakes: [] };
  const placed = mistakes.map(({ path, message }) => {
    const { line, column } = read.placeOf(path);
    return { line, column, path: pathText(path), message };
  });
  return { scenario: undefined, mistakes: placed.sort(byPlace) };
}

function mistakesIn({ value, repeated }: Extract<JsonText, { readonly isJson: true }>): Mistake[] {
  const mistakes: Mistake[] = repeated.map((path) => {
    return { path, message: `The key ${path.at(-1)} stands here twice.` };
  });
  const report = (path: Path, message: string) => void mistakes.push({ path, message });
  if (!SCENARIO.holds(value, [], report)) return mistakes;
  return [...mistakes, ...nameMistakes(value), ...receiverMistakes(value)];
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
