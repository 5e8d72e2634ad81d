/** What a command's exit says to a script. */
export const EXIT = {
  done: 0,
  /** The answer is no: a signature does not hold, an expectation is not met, a delivery failed. */
  no: 1,
  /** Usage or configuration. */
  usage: 2,
  notRunning: 3,
  timedOut: 4,
  portTaken: 5,
  bug: 70,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An expected end of a command: what was expected, what came, and what to type next. */
export class CliError extends Error {
  readonly exitCode: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly details: readonly { readonly field: string; readonly message: string }[];

  constructor(
    exitCode: number,
    code: string,
    message: string,
    more: { hint?: string | undefined; details?: CliError['details'] } = {},
  ) {
    super(message);
    this.name = 'CliError';
    this.exitCode = exitCode;
    this.code = code;
    this.hint = more.hint;
    this.details = more.details ?? [];
  }
}

export function usageError(message: string, hint?: string): CliError {
  return new CliError(EXIT.usage, 'USAGE', message, { hint });
}

/** For a command that would read stdin where nobody pipes anything in. */
export function nothingPiped(): CliError {
  return usageError(
    'Expected bytes on stdin, got a terminal.',
    'Name a file, or pipe one in: `… < body.json`.',
  );
}
