import type { RunScenario, StepOutcome } from '../../../scenario/run.js';
import type { Io } from '../../program/io.js';
import { harmless, oneLine } from '../../terminal/text.js';

/** One scenario: a line, and its steps if it failed. */
export function scenarioText(io: Io, { name, passed, steps, durationMs }: RunScenario): string {
  const { green, red, dim, bold } = io.colour;
  const verdict = passed ? green('passed') : red('failed');
  const head = `${verdict}  ${bold(oneLine(name, 0))}  ${dim(`${durationMs} ms`)}`;
  return passed ? head : [head, ...steps.flatMap((step) => stepLines(io, step))].join('\n');
}

const MARKS = { passed: 'ok', failed: 'failed', skipped: 'skipped' } as const;

function stepLines(io: Io, { number, title, note, status, reasons }: StepOutcome): string[] {
  const { red, dim, green } = io.colour;
  const paint = { passed: green, failed: red, skipped: dim }[status];
  const about = note === undefined || status === 'skipped' ? '' : `  ${dim(oneLine(note, 0))}`;
  const mark = paint(MARKS[status]) + ' '.repeat(MARKS.skipped.length - MARKS[status].length);
  const head = `  ${String(number).padStart(3)}  ${mark}  ${oneLine(title, 0)}${about}`;
  return [head, ...reasons.map((reason) => `         ${harmless(reason).replaceAll('\n', '\n         ')}`)];
}

/** Why a scenario failed, in one sentence. */
export function failureText({ name, steps }: Pick<RunScenario, 'name' | 'steps'>): string {
  const failed = steps.find(({ status }) => status === 'failed');
  return oneLine(`${name}, step ${failed?.number} (${failed?.title}): ${failed?.reasons[0] ?? ''}`, 0);
}

export function totalText({ colour }: Io, results: readonly RunScenario[]): string {
  const failed = results.filter(({ passed }) => !passed).length;
  const passed = `${results.length - failed} passed`;
  return failed === 0 ? `${passed}.` : `${passed}, ${colour.red(`${failed} failed`)}.`;
}

export function scenarioJson({ name, file, passed, steps, notes, durationMs }: RunScenario) {
  return {
    name,
    file,
    passed,
    duration_ms: durationMs,
    notes,
    steps,
  };
}
