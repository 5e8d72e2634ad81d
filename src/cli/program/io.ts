import type { Environment } from '../../client/run-file.js';

type Paint = (text: string) => string;

/** Terminal text styles. At level 0, text is not styled. */
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

/** A command's input and output. Commands use this instead of `process`. */
export interface Io {
  readonly env: Environment;
  readonly cwd: string;
  /** The program name as typed by the user, e.g. `npx sandbox`. */
  readonly program: string;
  /** If set, stdout contains only JSON. */
  readonly json: boolean;
  /** Set if a user can respond to prompts. */
  readonly interactive: boolean;
  /** Terminal width; 0 if stdout is not a terminal. */
  readonly columns: number;
  readonly colors: Colors;
  /** Reads stdin to the end. Throws a usage error if stdin is a terminal. */
  readonly readInput: () => Promise<Buffer>;
  /** Prints the result as text on stdout. Does nothing with `--json`. */
  readonly say: (text: string) => void;
  /** Prints messages, warnings and errors on stderr. */
  readonly note: (text: string) => void;
  /** Replaces the progress line on stderr. Does nothing if stderr is not a terminal. */
  readonly progress: (text: string) => void;
  /** Prints the result as one line of JSON on stdout. Does nothing without `--json`. */
  readonly emit: (value: object) => void;
  /** Aborts on the first Ctrl-C or SIGTERM. Commands then finish their current work and exit. */
  readonly stopping: AbortSignal;
  /** Stops the command like SIGTERM. */
  readonly stop: () => void;
}

/** An exit code that a signal does not override, because a child program received the same signal. */
export class ExitCode {
  readonly code: number;

  constructor(code: number) {
    this.code = code;
  }
}
