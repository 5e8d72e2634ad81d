import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { observe } from '../harness/commands.js';
import { withNode } from '../harness/release.js';

/** Printed by a command that keeps running; SIGTERM follows. */
const READY = 'is ready at';
const TERMINATED = 143;
const BUG = 70;
const STACK_OR_BUG = /^ +at .+:\d+:\d+\)?$|\bbug in the sandbox:/m;

/**
 * Runs every command of the installed package, without arguments and with `--help`, in an empty project of a user with an empty home.
 * @param {import('../harness/release.js').Release} release
 * @param {string} node the path of its binary
 */
export async function everyCommandOn(release, node) {
  const { userFolder, packageJson } = release;
  const bin = join(userFolder, 'node_modules', packageJson.name, packageJson.bin.sandbox);
  const { temporary, ...options } = emptyProject(release, node);
  const problems = [];
  const type = async (words, exitCodes) => {
    const ran = await observe([node, bin, ...words], options, READY);
    const printed = `${ran.stdout}\n${ran.stderr}`;
    if (!exitCodes.includes(ran.exitCode) || STACK_OR_BUG.test(printed) || printed.trim() === '')
      problems.push(
        `sandbox ${words.join(' ')}: expected exit code ${exitCodes.join(' or ')}, and no stack; got ${ran.exitCode}\n${printed}`,
      );
    return ran.stdout;
  };
  // The first things that anybody types.
  for (const [typed, exitCode] of [
    ['', 2],
    ['--help', 0],
    ['--version', 0],
    ['statsu', 2],
  ])
    await type(typed === '' ? [] : [typed], [exitCode]);
  const { commands } = JSON.parse(await type(['help', '--all', '--json'], [0]));
  const queue = commands.map(({ name }) => name.split(' ')).values();
  const work = async () => {
    for (const words of queue) await type(words, exitCodesIn(await type([...words, '--help'], [0])));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  for (const name of readdirSync(temporary)) problems.push(`${name} was left in the temporary directory`);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return `${commands.length} commands end as documented`;
}

/** Returns the documented exit codes of a command, without the one of a bug. */
function exitCodesIn(help) {
  const [, section = ''] = /^Exit codes:\n((?: {2}.*\n?)*)/m.exec(help) ?? [];
  const codes = Array.from(section.matchAll(/^ {2}(\d+)(\+n)? /gm), ([, code, isSignal]) =>
    isSignal ? TERMINATED : Number(code),
  );
  return codes.filter((code) => code !== BUG);
}

/** Returns the options of its commands: a package.json, and no environment except the path. */
function emptyProject({ folder, env }, node) {
  const root = join(folder, `commands-${readdirSync(folder).length}`);
  const [cwd, home, temporary] = ['project', 'home', 'tmp'].map((name) => join(root, name));
  for (const path of [root, cwd, home, temporary]) mkdirSync(path);
  writeFileSync(join(cwd, 'package.json'), '{ "private": true }\n');
  const { PATH } = withNode(env, node);
  return { cwd, temporary, env: { PATH, HOME: home, TMPDIR: temporary, SANDBOX_PORT: '0' } };
}
