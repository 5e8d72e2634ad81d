import { NOT_A_SANDBOX, NotReachableError, SandboxError } from '../../client/control.js';
import { isConfigured } from '../../config/configured-commands.js';
import { Refusal } from '../../contract/refusals.js';
import { asCalled } from '../../text/program-name.js';
import type { Command, Given } from './declaration.js';
import type { ConfiguredOptions } from './configured-options.js';
import { CliError, EXIT, notRunning, passedOn } from './errors.js';
import type { Io } from './io.js';
import { FinalCode } from './io.js';
import { keepingError } from '../commands/start/keeping.js';
import { processIo } from './process-io.js';
import { systemRefusal } from './system-refusal.js';
import { hanging, indented, oneLine } from '../terminal/text.js';

/** Loads and runs a command, and turns its errors into a message and an exit code. */
export async function runCommand(
  command: Command,
  args: readonly string[],
  options: Given,
  program: string,
): Promise<number> {
  const { io, signalExitCode, release } = await processIo(options, program);
  try {
    return await runOn({ io, signalExitCode }, command, args, options);
  } finally {
    release();
  }
}

/** The same on any Io. `signalExitCode` is the exit code of the signal that stopped it, if any. */
export async function runOn(
  { io, signalExitCode }: { readonly io: Io; readonly signalExitCode: () => number | undefined },
  command: Command,
  args: readonly string[],
  options: Given,
): Promise<number> {
  let settings: ConfiguredOptions = { options, origins: [] };
  try {
    settings = await settingsFor(command, options, io);
    const exitCode = (await command.invoke({ io, args, given: settings.options })) ?? EXIT.done;
    return exitCode instanceof FinalCode ? exitCode.code : (signalExitCode() ?? exitCode);
  } catch (error) {
    const stoppedBy = signalExitCode();
    const isLoss = error instanceof CliError && error.code === 'DATA_NOT_SAVED';
    if (stoppedBy !== undefined && io.stopping.aborted && !isLoss) return stoppedBy;
    return report(withOrigins(asCliError(error, io), settings.origins), io);
  }
}

/** The options of a command. Commands without settings read no files. */
async function settingsFor({ name }: Command, options: Given, io: Io): Promise<ConfiguredOptions> {
  if (!isConfigured(name)) return { options, origins: [] };
  const { configuredOptions } = await import('./configured-options.js');
  return configuredOptions(name, options, io);
}

/** Adds the source of an option that was not typed to an error about it. */
function withOrigins(error: CliError, origins: readonly string[]): CliError {
  if (error.exitCode !== EXIT.usage || origins.length === 0) return error;
  const { exitCode, code, message, details, hint } = error;
  const note = `Not from the command line: ${origins.join(', ')}.`;
  return passedOn(exitCode, { code, message, details, hint: hint === undefined ? note : `${hint} ${note}` });
}

/** Maps an expected failure to our error type; anything else is a bug and is rethrown. */
export function asCliError(error: unknown, io: Pick<Io, 'program'>): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof NotReachableError) return notRunning(`No sandbox answers at ${error.url}.`);
  if (error instanceof SandboxError) {
    const isUsage = error.status === 400 && error.code !== NOT_A_SANDBOX;
    return passedOn(isUsage ? EXIT.usage : EXIT.no, error.body);
  }
  if (error instanceof Refusal) return passedOn(EXIT.usage, error);
  const expected = keepingError(error, io) ?? systemRefusal(error);
  if (expected !== undefined) return expected;
  throw error;
}

/** Aligns further lines of a message with its first word. */
const INDENT = ' '.repeat('error '.length);

function report(error: CliError, io: Io): number {
  const { code, message, details, exitCode } = error;
  const hint = error.hint === undefined ? undefined : asCalled(error.hint, io.program);
  if (io.json) {
    io.emit({ error: { code, message, details, hint }, exit_code: exitCode });
    return exitCode;
  }
  const { colour, columns } = io;
  io.note(`${colour.red('error')} ${indented(message, INDENT, columns)}`);
  for (const { field, message: problem } of details) {
    io.note(`  ${indented(`${field}: ${problem}`, INDENT, columns)}`);
  }
  if (hint !== undefined) io.note(`${colour.cyan('hint')}  ${hanging(oneLine(hint, 0), columns, INDENT)}`);
  return exitCode;
}
