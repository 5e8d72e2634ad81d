/** Describes a received value for an error message. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  const written = JSON.stringify(value) ?? typeof value;
  return typeof value === 'string' ? written.slice(0, 60) : `the ${typeof value} ${written}`;
}
