import { NotReachableError, SandboxError } from '../../client/control.js';
import { shortenSessionIds } from '../../core/identity/session.js';
import type { ErrorBody } from '../../http/operation/error-body.js';

const WEBHOOK_SECRET = /whsec_[\w+/=]+/g;

/** A step failed: why, in one or more lines, without the secrets that answers and paths may hold. */
export class StepFailure extends Error {
  readonly reasons: readonly string[];

  constructor(...reasons: readonly string[]) {
    const shown = reasons.map((reason) => shortenSessionIds(reason).replaceAll(WEBHOOK_SECRET, 'whsec_…'));
    super(shown.join('\n'));
    this.name = 'StepFailure';
    this.reasons = shown;
  }
}

/** What was refused, and why, in the sandbox's own words. */
export function refused(what: string, status: number, body: unknown): StepFailure {
  const { error } = (body ?? {}) as Partial<ErrorBody>;
  if (error === undefined) return new StepFailure(`${what} was answered ${status}.`);
  return new StepFailure(
    `${what} was answered ${status} ${error.code}: ${error.message}`,
    ...error.details.map(({ field, message }) => `  ${field}: ${message}`),
    ...(error.hint === undefined ? [] : [error.hint]),
  );
}

/** Turns a refusal of the control API, or its silence, into a step failure; any other error is returned unchanged. */
export function asFailure(error: unknown): unknown {
  if (error instanceof SandboxError) return refused(error.request, error.status, { error: error.body });
  if (!(error instanceof NotReachableError)) return error;
  const { cause } = error;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new StepFailure(`The sandbox does not answer: ${why}`);
}
