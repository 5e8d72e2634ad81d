import { shareAcrossRealms } from '../cross-realm.js';
import type { ErrorBody } from '../public-types.js';

/**
 * Thrown if the sandbox refuses a request. §7 defines `code` and `status`; `details` lists invalid fields,
 * and `hint` suggests the next step.
 */
export class SandboxError extends Error {
  /** Set explicitly, because minifiers rename classes. */
  static override readonly name = 'SandboxError';
  static {
    shareAcrossRealms(this, this.name);
  }
  readonly status: number;
  readonly code: string;
  readonly details: ErrorBody['error']['details'];
  readonly hint: string | undefined;
  /** The error in the sandbox's response. */
  readonly body: ErrorBody['error'];
  /** The request, e.g. `POST /_sandbox/charges`. */
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
