/** Result of a check. Only `fail` means that the sandbox cannot work. */
export interface DoctorCheck {
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly advice?: string | undefined;
}

export const ok = (message: string): DoctorCheck => ({ status: 'ok', message });
export const warn = (message: string, advice: string): DoctorCheck => ({ status: 'warn', message, advice });
export const fail = (message: string, advice: string): DoctorCheck => ({ status: 'fail', message, advice });

/** Returns the problems, or the message if there are none. */
export function summarizeChecks(problems: readonly DoctorCheck[], message: string): readonly DoctorCheck[] {
  return problems.length === 0 ? [ok(message)] : problems;
}
