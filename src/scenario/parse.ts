import { type JsonText, readJsonText } from '../schema/json-text.js';
import { LIMITS } from '../contract/limits.js';
import { type JsonSchema, formatPath, type TextPosition, sortByPlace } from '../schema/schema.js';
import { PREDEFINED_NAMES, type Scenario, SCENARIO_SCHEMA, type Step, VERB_NAMES, getVerb } from './steps.js';
import { listReferences, findReferenceIssues } from './references.js';
import { type IssueSentence, findIssues } from '../schema/sentences.js';

/** An issue in a file: line and column from 1, the JSON path, and the expectation. */
interface PlacedMistake extends TextPosition {
  readonly path: string;
  readonly message: string;
}

/** A scenario and the line on which each step begins, both numbered from 1, or all mistakes in its text. */
type ParsedScenario =
  | { readonly scenario: Scenario; readonly issues: readonly []; readonly lineOf: (step: number) => number }
  | { readonly scenario: undefined; readonly issues: readonly PlacedMistake[] };

/** Deepest body accepted by the service, plus the steps around it. */
const MOST_LEVELS = LIMITS.jsonDepth + 8;

export function parseScenario(text: string): ParsedScenario {
  const json = readJsonText(text.replace(/^\uFEFF/, ''), MOST_LEVELS);
  if (!json.isJson)
    return { scenario: undefined, issues: [{ ...json.place, path: '', message: `This ${json.problem}.` }] };
  const issues = sortByPlace(mistakesOf(json), json.placeOf);
  if (issues.length > 0) {
    const shown = issues.map(({ path, message, line, column }) => {
      return { path: formatPath(path), message, line, column };
    });
    return { scenario: undefined, issues: shown };
  }
  const lineOf = (step: number) => json.placeOf(['steps', step - 1]).line;
  return { scenario: json.value as Scenario, issues: [], lineOf };
}

function mistakesOf({ value, repeated }: Extract<JsonText, { readonly isJson: true }>): IssueSentence[] {
  const twice = repeated.map((path) => ({ path, message: `The key ${path.at(-1)} appears here twice.` }));
  const wrong = findIssues(SCENARIO_SCHEMA, value);
  if (wrong.length > 0) return [...twice, ...wrong];
  const scenario = value as Scenario;
  return [...twice, ...nameMistakes(scenario), ...receiverMistakes(scenario)];
}

/** Finds repeated names, and references to names not defined by an earlier step. */
function nameMistakes({ steps }: Scenario): IssueSentence[] {
  const known: string[] = [...PREDEFINED_NAMES];
  return steps.flatMap((step, index) => {
    const path = ['steps', index];
    const verb = getVerb(step);
    const issues = findReferenceIssues(step[verb], [...path, verb], known);
    const { as } = step;
    if (as === undefined) return issues;
    const isGiven = PREDEFINED_NAMES.some((given) => given === as);
    const message = `The name ${as} is taken ${isGiven ? 'by the sandbox' : 'by an earlier step'}.`;
    const isTaken = known.includes(as);
    known.push(as);
    return isTaken ? [...issues, { path: [...path, 'as'], message }] : issues;
  });
}

/** Finds uses of the built-in receiver before its declaration, and settings only valid when it connects. */
function receiverMistakes({ receiver, steps }: Scenario): IssueSentence[] {
  let isConnected = receiver !== undefined;
  return steps.flatMap((step, index) => {
    const path = ['steps', index];
    if (step.receiver !== undefined) {
      const fixed = (['events', 'retries'] as const).filter((field) => step.receiver?.[field] !== undefined);
      const late = isConnected ? fixed : [];
      isConnected = true;
      return late.map((field) => ({
        path: [...path, 'receiver', field],
        message: `The receiver is already connected: give ${field} where it is declared first.`,
      }));
    }
    if (isConnected || !usesReceiver(step)) return [];
    const message = 'There is no receiver here. Declare one: "receiver": {} next to "steps".';
    return [{ path: [...path, getVerb(step)], message }];
  });
}

function usesReceiver(step: Step): boolean {
  const used = VERB_NAMES.flatMap((verb) => listReferences(step[verb]));
  return step.expect?.received !== undefined || used.includes('receiver');
}

/** Returns the JSON Schema of scenario files, from the parser's declaration. */
export function createScenarioSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A scenario of pix-sandbox',
    description:
      'Steps with expectations for `sandbox run`. Any text may refer to the result of an earlier step: ${order.id}.',
    ...SCENARIO_SCHEMA.json,
  };
}
