/**
 * The values for the placeholders in a command or URL; a new order has no id yet, and only a new order has an
 * amount.
 */
export interface PlaceholderValues {
  readonly code: string;
  readonly id: string;
  /** A decimal such as `73.19`; without it, `{amount}` stays as it is. */
  readonly amount?: string | undefined;
}

/** A command with its placeholders replaced, or the problem with it. */
type ExpandedCommand = { readonly command: string } | { readonly problem: string };

export type Placeholder = '{code}' | '{id}' | '{amount}';

const VARIABLES: Readonly<Record<Placeholder, string>> = {
  '{code}': 'SANDBOX_CODE',
  '{id}': 'SANDBOX_ID',
  '{amount}': 'SANDBOX_AMOUNT',
};
const PLACEHOLDERS = Object.keys(VARIABLES) as readonly Placeholder[];
const PLACEHOLDER = /\{(?:code|id|amount)\}/g;
/** Characters without meaning to any shell, inside and outside of quotes. */
const SAFE = /^[\w.:@/+-]*$/;
/** Commands that run their arguments as a script, whatever the quotes, and syntax with quotes of its own. */
const UNCLEAR = /(?:^|[\s;&|(/])(?:(?:ba|da|z|k)?sh|su|eval|ssh|trap)\s|\$[(']|\$\{|`|<<|(?:^|\s)#/;
/** An escaped character, a quote or a placeholder. */
const TOKEN = /\\[^]|['"]|\{(?:code|id|amount)\}/g;
const METHOD = /^(GET|POST|PUT|PATCH|DELETE)\s+(?=https?:\/\/)/i;

/** The environment variables of a command with placeholders. */
export function listPlaceholderVariables({
  code,
  id,
  amount,
}: PlaceholderValues): Record<string, string | undefined> {
  return { SANDBOX_CODE: code, SANDBOX_ID: id === '' ? undefined : id, SANDBOX_AMOUNT: amount };
}

/** Recognizes a URL to fetch instead of a command. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** Splits a request such as `PUT http://localhost:3000/orders/{code}`; undefined for a command. */
export function parseRequest(
  text: string,
  defaultMethod: string,
): { readonly method: string; readonly url: string } | undefined {
  const url = text.replace(METHOD, '');
  if (!isHttpUrl(url)) return undefined;
  return { method: (METHOD.exec(text)?.[1] ?? defaultMethod).toUpperCase(), url };
}

/** Checks whether a URL contains one of these placeholders, or a command one of them or its variable. */
export function containsPlaceholder(text: string, placeholders: readonly Placeholder[]): boolean {
  const isRequest = parseRequest(text, 'GET') !== undefined;
  return placeholders.some((one) => text.includes(one) || (!isRequest && text.includes(VARIABLES[one])));
}

/** Fills the placeholders of a URL, percent-encoded. */
export function fillUrlPlaceholders(url: string, values: PlaceholderValues): string {
  return url.replaceAll(PLACEHOLDER, (one) => {
    const value = valueOf(one, values);
    return value === undefined ? one : encodeURIComponent(value);
  });
}

/**
 * Replaces the placeholders of a shell command. Safe values are inserted as they are. Others stay out of the
 * command's text, so that the shell cannot run them: they become expansions of their variables, written for
 * the quotes around them. cmd.exe cannot quote reliably.
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
    // Single quotes know no escapes: a quote after a backslash ends them.
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
