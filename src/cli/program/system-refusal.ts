import { ForeignStateError, NoHomeError } from '../../client/run-file.js';
import { systemErrorOf } from '../../text/system-errors.js';
import { CliError, EXIT } from './errors.js';

/** A system error as an expected failure of a command; undefined for any other error. */
export function systemRefusal(error: unknown): CliError | undefined {
  if (!(error instanceof Error) || !('syscall' in error)) return undefined;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  const known = systemErrorOf(code);
  if (known === undefined) return undefined;
  const what = path === undefined ? syscall : `${syscall} ${path}`;
  const message = `The system refused ${what}: ${known.reason} (${code}).`;
  return new CliError(EXIT.usage, 'SYSTEM_REFUSED', message, { hint: known.remedy });
}

/** Why the state directory cannot be written, as text; undefined for any other error. */
export function unwritableReason(error: unknown): string | undefined {
  if (error instanceof NoHomeError || error instanceof ForeignStateError) return error.message;
  if (!(error instanceof Error)) return undefined;
  const { code, path } = error as NodeJS.ErrnoException;
  const known = systemErrorOf(code);
  return known && `${path ?? 'the state directory'} cannot be written (${known.reason})`;
}
