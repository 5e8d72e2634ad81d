import { execFileSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { onTestFailed } from 'vitest';
import type { Project } from '../e2e/e2e.js';
import { BIN, CACHE_HOME } from '../e2e/e2e.js';
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
/** Says how the command ended, and keeps the terminal open: what was written last is lost where it closes too soon. */
const KEEP_OPEN = '"$@"; printf "\\n[ended %s]\\n" "$?"; read -r _';

/** A command in a terminal of 80 columns; it is killed when its `using` ends. */
export class Terminal implements Disposable {
  readonly #shell: Shell;

  constructor(project: Project, words: readonly string[], env: Readonly<Record<string, string>>) {
    this.#shell = new Shell('bash', ['--norc', '--noprofile', '-c', KEEP_OPEN, 'bash', ...words], {
      cwd: project.folder,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: project.folder,
        XDG_STATE_HOME: project.stateHome,
        XDG_CACHE_HOME: CACHE_HOME,
        LANG: 'C.UTF-8',
        ...env,
      },
      columns: COLUMNS,
    });
    onTestFailed(() => {
      const seen = JSON.stringify(stripVTControlCharacters(this.output));
      process.stderr.write(`\n$ ${words.slice(1).join(' ')}\n${seen}\n`);
    });
  }

  /** All that came, with its escape sequences. */
  get output(): string {
    return this.#shell.output;
  }

  type(keys: string): void {
    this.#shell.type(keys);
  }

  /** As `shows` of a shell. */
  shows(wanted: string | RegExp): Promise<string> {
    return this.#shell.shows(wanted);
  }

  /** Sends a signal to the command itself. */
  signal(name: NodeJS.Signals): void {
    const child = execFileSync('pgrep', ['-P', String(this.#shell.pid)], { encoding: 'utf8' });
    process.kill(Number(child), name);
  }

  /** Resolves to the exit code, 128 and more for a signal. */
  async ended(): Promise<number> {
    const text = await this.#shell.shows(/\[ended \d+\]/);
    return Number(/\[ended (\d+)\]/.exec(text)?.[1]);
  }

  [Symbol.dispose](): void {
    this.#shell[Symbol.dispose]();
  }
}

/** Runs the built command. */
export function inTerminal(
  project: Project,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Terminal {
  return new Terminal(project, [process.execPath, BIN, ...args], env);
}

/** Runs a script of bash; `$SANDBOX` is the command. */
export function bashInTerminal(
  project: Project,
  script: string,
  env: Readonly<Record<string, string>> = {},
): Terminal {
  const command = { SANDBOX: `${process.execPath} ${BIN}`, ...env };
  return new Terminal(project, ['bash', '--norc', '--noprofile', '-c', script], command);
}

/** The lines of what came, or of a part of it, that are wider than the terminal. One that is drawn anew is a new line. */
export function wideLines(output: string): string[] {
  const [first = '', ...sequences] = output.split('\u001b[');
  const drawn = sequences.map((text) =>
    text.replace(/^[?\d;]*([A-Za-z])/, (_, kind) => (kind === 'm' ? '' : '\n')),
  );
  return [first, ...drawn]
    .join('')
    .split(/[\r\n]+/)
    .filter((line) => line.length > COLUMNS);
}

/** Whether what came has colors; moving the cursor is none. */
export function hasColour({ output }: Terminal): boolean {
  const [, ...sequences] = output.split('\u001b[');
  return sequences.some((sequence) => /^[\d;]*m/.test(sequence));
}
