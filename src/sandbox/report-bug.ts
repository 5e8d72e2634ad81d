import { isError } from '../text/errors.js';

/** Reports an unexpected error, with its trace, on our own output only. */
export function reportBug(error: unknown): void {
  process.emitWarning(isError(error) ? (error.stack ?? error.message) : String(error), 'SandboxBug');
}
