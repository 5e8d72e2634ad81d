/**
 * Returns true for errors, including errors from another realm: in Jest test files, Node errors are not
 * instances of the global `Error`.
 */
export function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

/** Returns a message for any thrown value. */
export function getErrorMessage(error: unknown): string {
  return isError(error) ? error.message : String(error);
}

/** Describes a received value for an error message. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  const written = JSON.stringify(value) ?? typeof value;
  return typeof value === 'string' ? written.slice(0, 60) : `the ${typeof value} ${written}`;
}

/** Maximum length of a quoted value: recognizable, but too short to reveal a misplaced secret. */
const BRIEF = 24;

/** Quotes a value, truncated. */
export function quoteBriefly(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= BRIEF ? text : `${text.slice(0, BRIEF)}…`;
}
