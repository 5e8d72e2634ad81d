import type { EXIT_CODES } from './program/errors.js';
import { enablePrivateCompileCache, detectProgramName } from './program/start-up.js';

const [, script = '', ...argv] = process.argv;
const BUG: typeof EXIT_CODES.bug = 70;
void main(argv.join(' '));

/** Handles `--version`, the overview and completion first, without loading the rest of the CLI. */
async function main(line: string): Promise<void> {
  const program = detectProgramName({ env: process.env, script, cwd: process.cwd() });
  if (line === '--version' || line === '-V') {
    process.stdout.write(`${__VERSION__}\n`);
  } else if (line === '--help' || line === '-h' || line === 'help') {
    const { renderOverview } = await import('./commands/table.js');
    process.stdout.write(`${renderOverview(program)}\n`);
  } else if (argv[0] === '__complete') {
    // Called by completion scripts. Prints candidates or nothing.
    const { printCompletions } = await import('./completion/complete.js');
    const typist = { env: process.env, cwd: process.cwd() };
    process.stdout.write(await printCompletions(argv.slice(1), typist).catch(() => ''));
  } else {
    await run(program);
  }
}

async function run(program: string): Promise<void> {
  enablePrivateCompileCache();
  const { runProgram } = await import('./program/program.js');
  process.exitCode = await runProgram(
    argv,
    async (spec, args, options) => {
      const { runCommand } = await import('./program/run-command.js');
      return runCommand(spec, args, options, program);
    },
    {
      out: (text) => process.stdout.write(text),
      err: (text) => process.stderr.write(text),
      program,
    },
  ).catch(async (error: unknown): Promise<number> => {
    const { toSystemError } = await import('./program/errors.js');
    const refused = toSystemError(error);
    const code = refused?.exitCode ?? BUG;
    const text =
      refused === undefined ? await describeBug(error) : `error ${refused.message}\nhint  ${refused.hint}`;
    // Exit explicitly: after an unexpected error, open handles could keep this process alive.
    process.stderr.write(`${text}\n`, () => process.exit(code));
    return code;
  });
}

/** Describes an unexpected error, and where to report it. The entry script also uses this function. */
export async function describeBug(error: unknown): Promise<string> {
  const { BUG_HINT } = await import('../text/bug-report.js');
  return `A bug in the sandbox: ${error instanceof Error ? error.stack : String(error)}\nhint  ${BUG_HINT}`;
}
