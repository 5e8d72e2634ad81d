/** Tells our own output, and nobody else, of an error that should not have been, with its trace. */
export function reportBug(error: unknown): void {
  process.emitWarning(error instanceof Error ? (error.stack ?? error.message) : String(error), 'SandboxBug');
}
