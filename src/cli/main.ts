import { EXIT } from './errors.js';
import { runProgram } from './program.js';

const argv = process.argv.slice(2);
if (argv[0] === '__complete') {
  // What the scripts of `sandbox completion` ask; whoever presses TAB wants an answer or nothing.
  const { answer } = await import('./completion/answer.js');
  const typist = { env: process.env, cwd: process.cwd() };
  process.stdout.write(await answer(argv.slice(1), typist).catch(() => ''));
} else {
  process.exitCode = await runProgram(
    argv,
    async (spec, args, options) => {
      const { runCommand } = await import('./run-command.js');
      return runCommand(spec, args, options);
    },
    {
      out: (text) => process.stdout.write(text),
      err: (text) => process.stderr.write(text),
    },
  ).catch((error: unknown) => {
    process.stderr.write(`A bug of the sandbox: ${error instanceof Error ? error.stack : String(error)}\n`);
    return EXIT.bug;
  });
}
