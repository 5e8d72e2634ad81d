/** The result of a check, and what to do about it. Only `fail` keeps the sandbox from working. */
export interface Check {
  readonly status: 'ok' | 'warn' | 'fail';
  /** One line with the finding. */
  readonly message: string;
  readonly advice?: string | undefined;
}

export function ok(message: string): Check {
  return { status: 'ok', message };
}

export function warn(message: string, advice: string): Check {
  return { status: 'warn', message, advice };
}

export function fail(message: string, advice: string): Check {
  return { status: 'fail', message, advice };
}
