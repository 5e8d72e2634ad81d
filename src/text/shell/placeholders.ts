/** Values for placeholders. A new order has no id yet; only a new order has an amount. */
export interface PlaceholderValues {
  readonly code: string;
  readonly id: string;
  /** A decimal such as `73.19`. If undefined, `{amount}` is not replaced. */
  readonly amount?: string | undefined;
}

/** A command without placeholders, or a problem. */
type ExpandedCommand = { readonly command: string } | { readonly problem: string };

export type Placeholder = '{code}' | '{id}' | '{amount}';

const VARIABLES: Readonly<Record<Placeholder, string>> = {
  '{code}': 'SANDBOX_CODE',
  '{id}': 'SANDBOX_ID',
  '{amount}': 'SANDBOX_AMOUNT',
};
const PLACEHOLDERS = Object.keys(VARIABLES) as readonly Placeholder[];
const PLACEHOLDER = /\{(?:code|id|amount)\}/g;
/** Matches text that no shell interprets, inside or outside quotes. */
const SAFE = /^[\w.:@/+-]*$/;
/** Matches commands that run their arguments as a script, and syntax with its own quoting rules. */
const UNCLEAR = /(?:^|[\s;&|(/])(?:(?:ba|da|z|k)?sh|su|eval|ssh|trap)\s|\$[(']|\$\{|`|<<|(?:^|\s)#/;
/** Matches an escaped character, a quote or a placeholder. */
const TOKEN = /\\[^]|['"]|\{(?:code|id|amount)\}/g;
const METHOD = /^(GET|POST|PUT|PATCH|DELETE)\s+(?=https?:\/\/)/i;

/** Returns the environment variables that commands can use instead of placeholders. */
export function listPlaceholderVariables({
  code,
  id,
  amount,
}: PlaceholderValues): Record<string, string | undefined> {
  return { SANDBOX_CODE: code, SANDBOX_ID: id === '' ? undefined : id, SANDBOX_AMOUNT: amount };
}

/** Returns true for an HTTP URL, which is requested instead of run as a command. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** Parses a request such as `PUT http://localhost:3000/orders/{code}`. Returns undefined for a command. */
export function parseRequest(
  text: string,
  defaultMethod: string,
): { readonly method: string; readonly url: string } | undefined {
  const url = text.replace(METHOD, '');
  if (!isHttpUrl(url)) return undefined;
  return { method: (METHOD.exec(text)?.[1] ?? defaultMethod).toUpperCase(), url };
}

/**
 * Returns true if a text contains one of these placeholders, or a command contains the variable for a
 * placeholder.
 */
export function containsPlaceholder(text: string, placeholders: readonly Placeholder[]): boolean {
  const isRequest = parseRequest(text, 'GET') !== undefined;
  return placeholders.some((one) => text.includes(one) || (!isRequest && text.includes(VARIABLES[one])));
}

/** Replaces the placeholders in a URL with percent-encoded values. */
export function fillUrlPlaceholders(url: string, values: PlaceholderValues): string {
  return url.replaceAll(PLACEHOLDER, (one) => {
    const value = valueOf(one, values);
    return value === undefined ? one : encodeURIComponent(value);
  });
}

/**
 * Replaces the placeholders in a shell command. Inserts safe values directly, and other values as variable
 * expansions that match the surrounding quotes, so that the shell cannot run the values. Returns a problem if
 * the command or cmd.exe prevents safe quoting.
 */
export function expandCommand(
  command: string,
  values: PlaceholderValues,
  platform: NodeJS.Platform = process.platform,
): ExpandedCommand {
  const unsafe = PLACEHOLDERS.find((one) => command.includes(one) && !SAFE.test(valueOf(one, values) ?? ''));
  if (unsafe !== undefined && (platform === 'win32' || UNCLEAR.test(command))) {
    const use = `use the variable ${VARIABLES[unsafe]} instead.`;
    return { problem: `The value of ${unsafe} cannot be quoted safely in this command; ${use}` };
  }
  let quotes = '';
  const expanded = command.replaceAll(TOKEN, (token) => {
    const placeholder = PLACEHOLDERS.find((one) => one === token);
    if (placeholder !== undefined) {
      const value = valueOf(placeholder, values) ?? token;
      return SAFE.test(value) || value === token ? value : expansionOf(placeholder, quotes);
    }
    // Single-quoted text has no escapes, so a quote after a backslash ends the text.
    const quote = quotes === "'" ? token.slice(-1) : token;
    if (quote === quotes) quotes = '';
    else if (quotes === '' && !quote.startsWith('\\')) quotes = quote;
    return token;
  });
  return { command: expanded };
}

function expansionOf(placeholder: Placeholder, quotes: string): string {
  const variable = `\${${VARIABLES[placeholder]}}`;
  if (quotes === '"') return variable;
  return quotes === "'" ? `'"${variable}"'` : `"${variable}"`;
}

function valueOf(placeholder: string, { code, id, amount }: PlaceholderValues): string | undefined {
  if (placeholder === '{amount}') return amount;
  return placeholder === '{code}' ? code : id;
}
