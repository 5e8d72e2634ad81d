/** Single quotes first, because they expand nothing. */
const QUOTES = ["'", '`', '"'];

/** A line of a dotenv file; undefined for a value with every kind of quote, which such a file cannot hold. */
export function dotenvLine(name: string, value: string): string | undefined {
  if (/^[\w.:/@%+=,-]*$/.test(value)) return `${name}=${value}`;
  const quote = QUOTES.find((one) => !value.includes(one));
  return quote === undefined ? undefined : `${name}=${quote}${value}${quote}`;
}
