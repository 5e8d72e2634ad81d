import { calledAs } from './program/called-as.js';
import { EXIT } from './program/errors.js';
import { runProgram } from './program/program.js';
import { systemRefusal } from './program/system-refusal.js';

const [, script = '', ...argv] = process.argv;
void (argv[0] === '__complete' ? complete(argv.slice(1)) : run());

/** Called by the scripts of `sandbox completion`; a TAB gets candidates or nothing. */
async function complete(words: readonly string[]): Promise<void> {
  const { answer } = await import('./completion/answer.js');
  const typist = { env: process.env, cwd: process.cwd() };
  process.stdout.write(await answer(words, typist).catch(() => ''));
}

async function run(): Promise<void> {
  const program = calledAs({ env: process.env, script, cwd: process.cwd() });
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
      columns: process.stderr.isTTY ? process.stderr.columns : 0,
    },
  ).catch((error: unknown): number => {
    const refused = systemRefusal(error);
    const code = refused?.exitCode ?? EXIT.bug;
    const bug = `A bug of the sandbox: ${error instanceof Error ? error.stack : String(error)}`;
    const text = refused === undefined ? bug : `error ${refused.message}\nhint  ${refused.hint}`;
    // After an unexpected error, open handles could keep this process alive.
    process.stderr.write(`${text}\n`, () => process.exit(code));
    return code;
  });
}
