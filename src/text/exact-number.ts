const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?$/;

/** The number that a text writes as JSON does; undefined for another text, and for a whole number that would be rounded. */
export function exactNumber(text: string): number | undefined {
  if (!NUMBER.test(text)) return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  return /[.Ee]/.test(text) || BigInt(text) === BigInt(value) ? value : undefined;
}
