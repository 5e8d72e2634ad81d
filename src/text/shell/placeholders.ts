/** The values for `{code}` and `{id}` in a command or URL; an order without a charge has no id yet. */
export interface PlaceholderValues {
  readonly code: string;
  readonly id: string;
}

/** A command with its placeholders replaced, or the reason why that is impossible. */
export type Expanded = { readonly command: string } | { readonly problem: string };

export type Placeholder = '{code}' | '{id}';

const VARIABLES: Readonly<Record<Placeholder, string>> = { '{code}': 'SANDBOX_CODE', '{id}': 'SANDBOX_ID' };
/** Characters without meaning to any shell, inside and outside of quotes. */
const SAFE = /^[\w.:@/+-]*$/;
/** Commands that run their arguments as a script, whatever the quotes, and syntax with quotes of its own. */
const UNCLEAR = /(?:^|[\s;&|(/])(?:(?:ba|da|z|k)?sh|su|eval|ssh|trap)\s|\$[(']|\$\{|`|<<|(?:^|\s)#/;
/** An escaped character, a quote or a placeholder. */
const TOKEN = /\\[^]|['"]|\{(?:code|id)\}/g;

/** The environment variables of a command with placeholders. */
export function placeholderVariables({ code, id }: PlaceholderValues): Record<string, string | undefined> {
  return { SANDBOX_CODE: code, SANDBOX_ID: id === '' ? undefined : id };
}

/** Whether a text is a URL to fetch, not a command. */
export function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** Whether a URL contains one of these placeholders, or a command one of them or its variable. */
export function refersTo(text: string, placeholders: readonly Placeholder[]): boolean {
  return placeholders.some((one) => text.includes(one) || (!isUrl(text) && text.includes(VARIABLES[one])));
}

/** Fills the placeholders of a URL, percent-encoded. */
export function urlWithValues(url: string, values: PlaceholderValues): string {
  return url.replaceAll(/\{(?:code|id)\}/g, (one) => encodeURIComponent(valueOf(one, values)));
}

/**
 * Replaces the placeholders of a shell command. Safe values are inserted as they are. Others stay out of the command's text, so that the
 * shell cannot run them: they become expansions of their variables, written for the quotes around them. cmd.exe cannot quote reliably.
 */
export function expandCommand(
  command: string,
  values: PlaceholderValues,
  platform: NodeJS.Platform = process.platform,
): Expanded {
  const unsafe = (['{code}', '{id}'] as const).find(
    (one) => command.includes(one) && !SAFE.test(valueOf(one, values)),
  );
  if (unsafe !== undefined && (platform === 'win32' || UNCLEAR.test(command))) {
    const use = `use the variable ${VARIABLES[unsafe]} instead.`;
    return { problem: `The value of ${unsafe} cannot be quoted safely in this command; ${use}` };
  }
  let quotes = '';
  const expanded = command.replaceAll(TOKEN, (token) => {
    if (token === '{code}' || token === '{id}') {
      const value = valueOf(token, values);
      return SAFE.test(value) ? value : expansionOf(token, quotes);
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

function valueOf(placeholder: string, { code, id }: PlaceholderValues): string {
  return placeholder === '{code}' ? code : id;
}
