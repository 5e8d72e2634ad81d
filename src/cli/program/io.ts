import type { ChalkInstance } from 'chalk';
import type { Environment } from '../../client/run-file.js';

/** Where a command speaks and listens. Commands use this and nothing of `process`. */
export interface Io {
  readonly env: Environment;
  readonly cwd: string;
  /** `--json`: stdout carries JSON alone. */
  readonly json: boolean;
  /** Somebody sits there who can answer a question. */
  readonly interactive: boolean;
  /** Columns of the terminal; 0 when the output is no terminal. */
  readonly columns: number;
  readonly colour: ChalkInstance;
  /** All of stdin, byte for byte. Throws a usage error where stdin is a terminal, because nothing is piped in. */
  readonly readInput: () => Promise<Buffer>;
  /** The answer, for people: one or more lines on stdout. Nothing under `--json`. */
  readonly say: (text: string) => void;
  /** Everything else: one or more lines on stderr. */
  readonly note: (text: string) => void;
  /** One line on stderr that the next one takes the place of; nothing where stderr is no terminal. */
  readonly progress: (text: string) => void;
  /** The answer as JSON: one line on stdout. Nothing without `--json`. */
  readonly emit: (value: object) => void;
  /** Aborts at the first Ctrl-C or SIGTERM: take no more work, finish, leave. */
  readonly stopping: AbortSignal;
}

/** What a command is given: its arguments, its options by name, and the Io. */
export interface Invocation {
  readonly io: Io;
  readonly args: readonly string[];
  readonly options: Options;
}

/** Options as commander parsed them, read with their kinds checked. */
export class Options {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  get url(): string | undefined {
    return this.text('url');
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** A repeatable option. */
  list(name: string): readonly string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.map(String) : [];
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  /** Every option, by name. */
  all(): Readonly<Record<string, unknown>> {
    return this.#values;
  }

  /** An option as it was read, to be passed on; undefined where nobody gave it. */
  value(name: string): unknown {
    return this.#values[name];
  }
}

/** An exit code that counts also after a signal, because it is the one of a program that got the signal, too. */
export class FinalCode {
  readonly code: number;

  constructor(code: number) {
    this.code = code;
  }
}

/** Runs a command; what it returns is the exit code, 0 by default. A signal's code takes its place, unless it is final. */
export type CommandBody = (invocation: Invocation) => Promise<number | FinalCode | void>;
