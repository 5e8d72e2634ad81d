import type { Environment } from '../../client/run-file.js';

type Paint = (text: string) => string;

/** Colors for texts, of which the terminal shows none at level 0. */
export interface Colors {
  readonly level: 0 | 1 | 2 | 3;
  readonly bold: Paint;
  readonly cyan: Paint;
  readonly dim: Paint;
  readonly green: Paint;
  readonly magenta: Paint;
  readonly red: Paint;
  readonly yellow: Paint;
}

/** The input and output of a command. Commands use this instead of `process`. */
export interface Io {
  readonly env: Environment;
  readonly cwd: string;
  /** This program as its user calls it, such as `npx sandbox`. */
  readonly program: string;
  /** `--json`: stdout carries only JSON. */
  readonly json: boolean;
  /** True if a user can answer questions. */
  readonly interactive: boolean;
  /** Columns of the terminal; 0 if the output is not a terminal. */
  readonly columns: number;
  readonly colors: Colors;
  /** All of stdin as bytes. Throws a usage error if stdin is a terminal. */
  readonly readInput: () => Promise<Buffer>;
  /** Prints the result as text on stdout. Does nothing with `--json`. */
  readonly say: (text: string) => void;
  /** Prints everything else on stderr. */
  readonly note: (text: string) => void;
  /** Prints a line on stderr, replaced by the next one; does nothing without a terminal on stderr. */
  readonly progress: (text: string) => void;
  /** Prints the result as one line of JSON on stdout. Does nothing without `--json`. */
  readonly emit: (value: object) => void;
  /** Aborts on the first Ctrl-C or SIGTERM: accept no more work, finish, exit. */
  readonly stopping: AbortSignal;
  /** Stops the command as SIGTERM does. */
  readonly stop: () => void;
}

/** An exit code that also counts after a signal, because it comes from a program that got the same signal. */
export class ExitCode {
  readonly code: number;

  constructor(code: number) {
    this.code = code;
  }
}
