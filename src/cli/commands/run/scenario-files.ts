import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Refusal } from '../../../contract/refusals.js';
import type { ServerOptions } from '../../../http/server/start.js';
import { annotate } from '../exec/github.js';
import { failureText } from './text.js';
import type { ScenarioOutcome } from '../../../scenario/run.js';
import type { Scenario } from '../../../scenario/steps.js';
import { parseScenario } from '../../../scenario/parse.js';
import { oneOfOrUsage } from '../../program/closest.js';
import { CliError, EXIT, usageError } from '../../program/errors.js';
import { readBytes, STDIN } from '../../program/input-bytes.js';
import type { Io } from '../../program/io.js';
import { builtInNames, builtInPath } from './built-in.js';
import { freshOptions } from './scenario-target.js';
import { oneLine } from '../../terminal/text.js';

/** A valid scenario and its source. */
export interface LoadedScenario {
  readonly name: string;
  /** The name or path as typed. */
  readonly file: string;
  readonly scenario: Scenario;
  /** The options of a fresh sandbox for it. */
  readonly fresh: ServerOptions;
  /** The line on which a step begins, both from 1. */
  readonly lineOf: (step: number) => number;
}

const TITLE = 'scenario';
const SUFFIX = '.json';
const LARGEST_BYTES = 1024 * 1024;
const LONGEST_MESSAGE = 300;

/** Reads all the scenarios; throws a usage error that names every mistake in all of them. */
export async function loadScenarios(io: Io, files: readonly string[]): Promise<readonly LoadedScenario[]> {
  const loaded: LoadedScenario[] = [];
  const details: { field: string; message: string }[] = [];
  for (const file of files) {
    const outcome = await load(io, file);
    if ('scenario' in outcome) loaded.push(outcome);
    else details.push(...outcome.mistakes);
  }
  if (details.length === 0) return loaded;
  const count = details.length === 1 ? 'is a mistake' : `are ${details.length} mistakes`;
  throw new CliError(EXIT.usage, 'INVALID_SCENARIO', `There ${count} in ${files.join(', ')}; nothing ran.`, {
    details,
    hint: 'An editor finds them while you write with "$schema": `npx sandbox fixtures show scenario.schema` prints it.',
  });
}

/** Marks a failed scenario in GitHub Actions, at its failed step if it is a file of the user. */
export function annotateFailure(
  io: Io,
  loaded: LoadedScenario,
  { steps }: Pick<ScenarioOutcome, 'steps'>,
): void {
  const { name, file, lineOf } = loaded;
  const line = lineOf(steps.find(({ status }) => status === 'failed')?.number ?? 1);
  annotate(io, TITLE, failureText({ name, steps }), isOwnFile(file) ? { file, line } : undefined);
}

export function builtInScenarios() {
  return builtInNames().map((name) => {
    const file = builtInPath(name);
    const { scenario } = parseScenario(readBuiltIn(name));
    return { name, description: scenario?.description ?? '', file };
  });
}

export function readBuiltIn(name: string): string {
  return readFileSync(builtInPath(name), 'utf8');
}

type Loaded = LoadedScenario | { readonly mistakes: readonly { field: string; message: string }[] };

async function load(io: Io, file: string): Promise<Loaded> {
  const bytes = await readBytes(
    io,
    isPath(file) ? file : builtInPath(oneOfOrUsage('built-in scenario', file, builtInNames())),
  );
  if (bytes.length > LARGEST_BYTES) throw usageError(`${file} is larger than a scenario may be (1 MiB).`);
  const parsed = parseScenario(bytes.toString());
  if (parsed.scenario === undefined) {
    for (const { message, line } of parsed.mistakes) {
      annotate(io, TITLE, oneLine(message, LONGEST_MESSAGE), isOwnFile(file) ? { file, line } : undefined);
    }
    return {
      mistakes: parsed.mistakes.map(({ line, column, path, message }) => ({
        field: `${file}:${line}:${column}${path === '' ? '' : ` ${oneLine(path, LONGEST_MESSAGE)}`}`,
        message: oneLine(message, LONGEST_MESSAGE),
      })),
    };
  }
  const { scenario, lineOf } = parsed;
  try {
    const name = scenario.name ?? basename(file, SUFFIX);
    return { name, file, scenario, fresh: freshOptions(scenario.sandbox), lineOf };
  } catch (error) {
    if (error instanceof Refusal || error instanceof CliError) {
      return { mistakes: [{ field: `${file} sandbox`, message: oneLine(error.message, LONGEST_MESSAGE) }] };
    }
    throw error;
  }
}

function isOwnFile(file: string): boolean {
  return isPath(file) && file !== STDIN;
}

/** A built-in scenario has a name without a folder or extension. */
function isPath(file: string): boolean {
  return file === STDIN || file.includes('/') || file.includes('\\') || file.endsWith(SUFFIX);
}
