import { once } from 'node:events';
import { splitLine } from '../../../src/cli/completion/complete.js';
import { runOn } from '../../../src/cli/program/run-command.js';
import { runProgram } from '../../../src/cli/program/program.js';
import type { FakeIo, FakeIoOptions, Ran } from './cli-io.js';
import { fakeIo } from './cli-io.js';

/** A command line at work in this process. */
export interface RunningLine extends FakeIo {
  readonly exitCode: Promise<number>;
  /** Resolves when stdout or stderr holds the text; throws when it ends before. */
  readonly said: (text: string) => Promise<void>;
}

const AFTER_CTRL_C = 130;

/** The words of a line as a shell would hand them over; what is redirected, and where to, is left out. */
export function wordsOf(line: string): readonly string[] {
  const words = splitLine(line).words.filter((word) => word !== '');
  const redirect = words.indexOf('>');
  return redirect < 0 ? words : words.slice(0, redirect);
}

/** Starts a command line, parsed, run and reported as by the program. Under `--json` its Io is one of JSON. */
export function startLine(line: string | readonly string[], options: FakeIoOptions = {}): RunningLine {
  const words = typeof line === 'string' ? wordsOf(line) : line;
  const end = words.indexOf('--');
  const json = words.slice(0, end < 0 ? undefined : end).includes('--json');
  const fake = fakeIo({ ...options, json });
  const texts = {
    out: (text: string) => {
      // A line that makes no sense is told in JSON, too.
      if (json && text.startsWith('{')) fake.io.emit(JSON.parse(text) as object);
      else fake.io.say(text.trimEnd());
    },
    err: (text: string) => fake.io.note(text.trimEnd()),
    program: fake.io.program,
  };
  let hasEnded = false;
  const signalExitCode = () => (fake.io.stopping.aborted ? AFTER_CTRL_C : undefined);
  const exitCode = runProgram(
    words,
    (spec, args, given) => runOn({ io: fake.io, signalExitCode }, spec, args, given),
    texts,
  ).finally(() => {
    hasEnded = true;
    fake.progress.emit('progress');
  });
  const said = async (text: string) => {
    while (!`${fake.stdout()}${fake.stderr()}`.includes(text)) {
      if (hasEnded) throw new Error(`${words.join(' ')} ended before it said ${text}: ${fake.stderr()}`);
      await once(fake.progress, 'progress');
    }
  };
  return { ...fake, exitCode, said };
}

/** Runs a command line to its end. */
export async function runLine(line: string | readonly string[], options: FakeIoOptions = {}): Promise<Ran> {
  const running = startLine(line, options);
  const exitCode = await running.exitCode;
  return { stdout: running.stdout(), stderr: running.stderr(), exitCode };
}
