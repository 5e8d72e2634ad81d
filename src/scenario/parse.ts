import { type JsonText, readJsonText } from '../schema/json-text.js';
import { LIMITS } from '../contract/limits.js';
import { type JsonSchema, formatPath, type TextPosition, sortByPosition } from '../schema/schema.js';
import { PREDEFINED_NAMES, type Scenario, SCENARIO_SCHEMA, type Step, VERB_NAMES, getVerb } from './steps.js';
import { listReferences, findReferenceIssues } from './references.js';
import { type IssueSentence, findIssues } from '../schema/sentences.js';

/** An issue in a file. Line and column are numbered from 1; `path` is a JSON path. */
interface LocatedIssue extends TextPosition {
  readonly path: string;
  readonly message: string;
}

/** A scenario with the line of each step, or all issues in the file. Steps and lines are numbered from 1. */
type ParsedScenario =
  | { readonly scenario: Scenario; readonly issues: readonly []; readonly lineOf: (step: number) => number }
  | { readonly scenario: undefined; readonly issues: readonly LocatedIssue[] };

/** Maximum depth of a body, plus the levels of the surrounding step. */
const MOST_LEVELS = LIMITS.jsonDepth + 8;

export function parseScenario(text: string): ParsedScenario {
  const json = readJsonText(text.replace(/^\uFEFF/, ''), MOST_LEVELS);
  if (!json.isJson)
    return { scenario: undefined, issues: [{ ...json.place, path: '', message: `This ${json.problem}.` }] };
  const issues = sortByPosition(findScenarioIssues(json), json.placeOf);
  if (issues.length > 0) {
    const shown = issues.map(({ path, message, line, column }) => {
      return { path: formatPath(path), message, line, column };
    });
    return { scenario: undefined, issues: shown };
  }
  const lineOf = (step: number) => json.placeOf(['steps', step - 1]).line;
  return { scenario: json.value as Scenario, issues: [], lineOf };
}

function findScenarioIssues({
  value,
  repeated,
}: Extract<JsonText, { readonly isJson: true }>): IssueSentence[] {
  const twice = repeated.map((path) => ({ path, message: `The key ${path.at(-1)} appears twice.` }));
  const wrong = findIssues(SCENARIO_SCHEMA, value);
  if (wrong.length > 0) return [...twice, ...wrong];
  const scenario = value as Scenario;
  return [...twice, ...findNameIssues(scenario), ...findReceiverIssues(scenario)];
}

/** Finds repeated names, and references to names that no earlier step defines. */
function findNameIssues({ steps }: Scenario): IssueSentence[] {
  const known: string[] = [...PREDEFINED_NAMES];
  return steps.flatMap((step, index) => {
    const path = ['steps', index];
    const verb = getVerb(step);
    const issues = findReferenceIssues(step[verb], [...path, verb], known);
    const { as } = step;
    if (as === undefined) return issues;
    const isGiven = PREDEFINED_NAMES.some((given) => given === as);
    const message = `The name ${as} is already used ${isGiven ? 'by the sandbox' : 'by an earlier step'}.`;
    const isTaken = known.includes(as);
    known.push(as);
    return isTaken ? [...issues, { path: [...path, 'as'], message }] : issues;
  });
}

/** Finds uses of the receiver before its declaration, and settings valid only in its first declaration. */
function findReceiverIssues({ receiver, steps }: Scenario): IssueSentence[] {
  let isConnected = receiver !== undefined;
  return steps.flatMap((step, index) => {
    const path = ['steps', index];
    if (step.receiver !== undefined) {
      const fixed = (['events', 'retries'] as const).filter((field) => step.receiver?.[field] !== undefined);
      const late = isConnected ? fixed : [];
      isConnected = true;
      return late.map((field) => ({
        path: [...path, 'receiver', field],
        message: `The receiver is already connected: set ${field} in its first declaration.`,
      }));
    }
    if (isConnected || !usesReceiver(step)) return [];
    const message = 'No receiver is declared. Add "receiver": {} next to "steps".';
    return [{ path: [...path, getVerb(step)], message }];
  });
}

function usesReceiver(step: Step): boolean {
  const used = VERB_NAMES.flatMap((verb) => listReferences(step[verb]));
  return step.expect?.received !== undefined || used.includes('receiver');
}

/** Returns the JSON Schema of scenario files, derived from the parser's schema. */
export function createScenarioSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A scenario for pix-sandbox',
    description:
      'Steps with expectations for `sandbox run`. ' +
      'Any string can refer to the result of an earlier step, e.g. ${order.id}.',
    ...SCENARIO_SCHEMA.json,
  };
}
