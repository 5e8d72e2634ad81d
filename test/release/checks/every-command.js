import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { observe } from '../harness/commands.js';
import { withNode } from '../harness/release.js';

/** Printed by a command that keeps running; SIGTERM follows. */
const READY = 'is ready at';
const TERMINATED = 143;
const USAGE = 2;
const BUG = 70;
const STACK_OR_BUG = /^ +at .+:\d+:\d+\)?$|\bbug of the sandbox:/m;
const ERROR_AND_HINT = /^error \S.*\n(?:hint {2}\S|Type `)/m;
const PAGE = /^NAME\n.*\n[^]*^SYNOPSIS$/m;

/**
 * Returns the differences between a result and its expectation, as text.
 * @param {{ exitCodes: readonly (number | undefined)[], stdout?: RegExp, stderr?: RegExp }} expected
 * @param {{ exitCode?: number, stdout: string, stderr: string }} ran
 */
export function problemsOf({ exitCodes, stdout, stderr }, ran) {
  const isDone = ran.exitCode === 0 || ran.exitCode === TERMINATED;
  const out = stdout ?? (isDone ? /\S/ : /^/);
  const error = stderr ?? (isDone ? /^/ : ERROR_AND_HINT);
  const code = exitCodes.includes(ran.exitCode) ? [] : [`exit code ${exitCodes.join(' or ')}`];
  return [
    ...code,
    ...(STACK_OR_BUG.test(`${ran.stdout}\n${ran.stderr}`) ? ['no stack trace'] : []),
    ...(out.test(ran.stdout) ? [] : [`${out} on stdout`]),
    ...(error.test(ran.stderr) ? [] : [`${error} on stderr`]),
  ];
}

/**
 * Returns the documented exit codes of a command, without the one of a bug.
 * @param {string} help
 */
export function exitCodesIn(help) {
  const [, section = ''] = /^EXIT STATUS\n((?: {4}.*\n?)*)/m.exec(help) ?? [];
  const codes = Array.from(section.matchAll(/^ {4}(\d+)(\+n)? /gm), ([, code, isSignal]) =>
    isSignal ? TERMINATED : Number(code),
  );
  return codes.filter((code) => code !== BUG);
}

/**
 * Types every command of the installed package, alone and with `--help`, in an empty project of a user with an empty home.
 * @param {import('../harness/release.js').Release} release
 * @param {string} node the path of its binary
 */
export async function everyCommandOn(release, node) {
  const { userFolder, packageJson } = release;
  const bin = join(userFolder, 'node_modules', packageJson.name, packageJson.bin.sandbox);
  const { temporary, ...options } = emptyProject(release, node);
  const problems = [];
  let count = 0;
  const type = async (words, expected) => {
    count += 1;
    const ran = await observe([node, bin, ...words], options, READY);
    const wrong = problemsOf(expected, ran);
    if (wrong.length > 0) {
      const got = `exit code ${ran.exitCode}\n${ran.stdout}${ran.stderr}`.trimEnd();
      problems.push(`sandbox ${words.join(' ')}: expected ${wrong.join(', ')}; got ${got}`);
    }
    return ran.stdout;
  };
  const list = await type(['help', '--all', '--json'], { exitCodes: [0] });
  const queue = linesOf(JSON.parse(list).commands, packageJson.version, type).values();
  const work = async () => {
    for (const line of queue) await line();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  for (const name of readdirSync(temporary)) problems.push(`${name} was left in the temporary directory`);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return `${count} command lines end as documented`;
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

/** Returns a function for each command line, or for several of one command. */
function linesOf(commands, version, type) {
  const names = commands.map(({ name }) => name.split(' '));
  const groups = new Set(names.filter((words) => words.length > 1).map(([group]) => group));
  const [longest] = names.map(([first]) => first).sort((a, b) => b.length - a.length);
  const [group, verb] = names.find((words) => words.length > 1);
  const typo = (word, ...before) => {
    const stderr = new RegExp(`^error unknown command .*\\n\\(Did you mean .*\\b${word}\\b`);
    return type([...before, word.slice(0, -1)], { exitCodes: [USAGE], stderr });
  };
  const help = (words) => type([...words, '--help'], { exitCodes: [0], stdout: PAGE, stderr: /^$/ });
  const escaped = version.replaceAll('.', '\\.');
  return [
    () => type([], { exitCodes: [USAGE], stderr: /^Usage: /m }),
    () => type(['--help'], { exitCodes: [0], stdout: /^Usage: /m, stderr: /^$/ }),
    () => type(['--version'], { exitCodes: [0], stdout: new RegExp(`^${escaped}$`), stderr: /^$/ }),
    () => typo(longest),
    () => typo(verb, group),
    ...Array.from(groups, (group) => async () => {
      await help([group]);
      await type([group], { exitCodes: [USAGE], stderr: PAGE });
    }),
    ...names.map((words) => async () => type(words, { exitCodes: exitCodesIn(await help(words)) })),
  ];
}
