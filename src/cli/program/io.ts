import type { ChalkInstance } from 'chalk';
import type { Environment } from '../../client/run-file.js';

/** Where a command speaks and listens. Commands use this and nothing of `process`. */
export interface Io {
  readonly env: Environment;
  readonly cwd: string;
  /** `--json`: stdout carries JSON alone. */
  readonly json: boolean;
  /** A person can answer a question. */
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

/** An exit code that counts also after a signal, because it is the one of a program that got the signal, too. */
export class FinalCode {
  readonly code: number;

  constructor(code: number) {
    this.code = code;
  }
}

/** The texts of options, by name. */
export interface Options {
  readonly text: (name: string) => string | undefined;
}
