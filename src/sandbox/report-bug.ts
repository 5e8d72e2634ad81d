/** Reports an unexpected error, with its trace, on our own output only. */
export function reportBug(error: unknown): void {
  process.emitWarning(error instanceof Error ? (error.stack ?? error.message) : String(error), 'SandboxBug');
}
