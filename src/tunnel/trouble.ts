/** Why a tunnel could not be opened, or broke, in one sentence. Expected, and worth another try. */
export class TunnelTrouble extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TunnelTrouble';
  }
}

/** The error code or message of the innermost cause of a `fetch` error. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'it did not answer in time';
  const { cause } = error;
  if (cause instanceof Error) return causeOf(cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
