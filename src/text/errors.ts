/**
 * Recognizes errors, also of another realm: in a test file of Jest, Node's own errors are not instances of
 * its `Error`.
 */
export function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  return isError(error) ? error.message : String(error);
}
