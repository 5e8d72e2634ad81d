/** What was checked, the result, and what to do about it. Only `fail` keeps the sandbox from working. */
export interface Check {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  /** One line with the finding. */
  readonly message: string;
  /** What to do or to type. */
  readonly advice?: string | undefined;
}

export function ok(name: string, message: string): Check {
  return { name, status: 'ok', message };
}

export function warn(name: string, message: string, advice: string): Check {
  return { name, status: 'warn', message, advice };
}

export function fail(name: string, message: string, advice: string): Check {
  return { name, status: 'fail', message, advice };
}
