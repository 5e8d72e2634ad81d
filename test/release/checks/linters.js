import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { run } from '../harness/commands.js';
import { ROOT } from '../harness/release.js';

/** @param {import('../harness/release.js').Release} release */
export async function lint({ tarball, packageJson }) {
  const bytes = readFileSync(tarball);
  const { messages } = await publint({ pack: { tarball: Uint8Array.from(bytes).buffer } });
  if (messages.length === 0) return 'no problems, and no suggestions';
  throw new Error(messages.map((one) => `${one.type}: ${formatMessage(one, packageJson)}`).join('\n'));
}

/**
 * What each kind of import finds of the types. Only resolvers that know no `exports` are not asked.
 * @param {import('../harness/release.js').Release} release
 */
export async function arethetypeswrong({ tarball, folder, env }) {
  const attw = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js');
  const options = ['--profile', 'node16', '--no-definitely-typed', '--no-color', '--no-emoji'];
  const command = [process.execPath, attw, tarball, '--format', 'ascii', ...options];
  await run(command, { cwd: folder, env });
  return 'no problems (profile node16)';
}
