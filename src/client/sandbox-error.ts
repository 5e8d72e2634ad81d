import { shareAcrossCopies } from '../cross-realm.js';
import type { ErrorBody } from '../public-types.js';

/** The sandbox refused: `code` and `status` as in §7, `details` by field, and `hint` for what to do next. */
export class SandboxError extends Error {
  /** Written out, because minifiers rename classes. */
  static override readonly name = 'SandboxError';
  static {
    shareAcrossCopies(this, this.name);
  }
  readonly status: number;
  readonly code: string;
  readonly details: ErrorBody['error']['details'];
  readonly hint: string | undefined;
  /** The error in the sandbox's response. */
  readonly body: ErrorBody['error'];
  /** The request, such as `POST /_sandbox/charges`. */
  readonly request: string;

  constructor(status: number, body: ErrorBody['error'], request: string) {
    const { code, message, details, hint } = body;
    const problems = details.map(({ field, message: problem }) => `\n  ${field}: ${problem}`);
    super(`${message}${problems.join('')}${hint === undefined ? '' : `\n${hint}`}`);
    this.name = SandboxError.name;
    this.status = status;
    this.code = code;
    this.details = details;
    this.hint = hint;
    this.body = body;
    this.request = request;
  }
}
