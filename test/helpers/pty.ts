import { stripVTControlCharacters } from 'node:util';
import { onTestFailed } from 'vitest';
import type { Project } from './e2e.js';
import { BIN } from './e2e.js';
import { Shell } from './shell.js';

/** What keys send. */
export const KEYS = {
  enter: '\r',
  down: '\u001b[B',
  space: ' ',
  clearLine: '\u0015',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  ctrlZ: '\u001a',
} as const;

const COLUMNS = 80;

type Environment = Readonly<Record<string, string>>;

function environmentOf(project: Project, env: Environment): Environment {
  return {
    PATH: process.env.PATH ?? '',
    HOME: project.folder,
    XDG_STATE_HOME: project.stateHome,
    LANG: 'C.UTF-8',
    ...env,
  };
}

/** Runs the built command in a terminal of 80 columns. */
export function inTerminal(project: Project, args: readonly string[], env: Environment = {}): Shell {
  return told(
    `sandbox ${args.join(' ')}`,
    new Shell(process.execPath, [BIN, ...args], options(project, env)),
  );
}

/** Runs a script of bash in a terminal of 80 columns; `$SANDBOX` is the command. */
export function bashInTerminal(project: Project, script: string, env: Environment = {}): Shell {
  const command = { SANDBOX: `${process.execPath} ${BIN}`, ...env };
  const args = ['--norc', '--noprofile', '-c', script];
  return told(script, new Shell('bash', args, options(project, command)));
}

function options(project: Project, env: Environment) {
  return { cwd: project.folder, env: environmentOf(project, env), columns: COLUMNS };
}

/** The lines of what came, or of a part of it, that are wider than the terminal. */
export function wideLines(output: string): string[] {
  const lines = stripVTControlCharacters(output).split(/[\r\n]+/);
  return lines.filter((line) => line.length > COLUMNS);
}

/** Whether what came has colours; moving the cursor is none. */
export function hasColour({ output }: Shell): boolean {
  const [, ...sequences] = output.split('\u001b[');
  return sequences.some((sequence) => /^[\d;]*m/.test(sequence));
}

function told(name: string, shell: Shell): Shell {
  onTestFailed(() => {
    process.stderr.write(`\n$ ${name}\n${JSON.stringify(stripVTControlCharacters(shell.output))}\n`);
  });
  return shell;
}
