/**
 * Whether it is an error, also one of another realm: in a test file of Jest, Node's own errors are not
 * instances of its `Error`.
 */
export function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return isError(error) ? error.message : String(error);
}
