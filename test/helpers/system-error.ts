/** An error as the operating system reports it. */
export function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: a system error`), { code });
}
