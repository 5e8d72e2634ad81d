import { EXIT } from './errors.js';
import { runProgram } from './program.js';

process.exitCode = await runProgram(
  process.argv.slice(2),
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
