import { expect, test } from 'vitest';
import { listExitStatuses } from '../../../src/cli/program/errors.js';
import { runLine } from '../../helpers/cli/cli-line.js';
import { COMMANDS } from '../../helpers/cli/commands.js';
import { tempFolder } from '../../helpers/temp-folder.js';

/** Run until a signal or the end of stdin; test/e2e starts them. */
const isEnding = ({ name }: { readonly name: string }) => name !== 'start' && name !== 'mcp';

test.each(COMMANDS.filter(isEnding))('$name prints a result or a hint without arguments', async (command) => {
  using folder = tempFolder();
  folder.write('package.json', '{}');
  const env = { HOME: folder.path, SANDBOX_PORT: '0' };
  const { stdout, stderr, exitCode } = await runLine(command.name, { cwd: folder.path, env });
  expect(listExitStatuses(command).map(({ code }) => code)).toContain(String(exitCode));
  const done = exitCode === 0;
  expect(done ? stdout : stderr).toMatch(done ? /\S/ : /^error \S.*\n(?:hint {2}\S|Type `)/m);
});
