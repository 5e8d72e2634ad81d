const IN_MESSAGE: Readonly<Record<string, string>> = { '%': '%25', '\r': '%0D', '\n': '%0A' };
const IN_PROPERTY: Readonly<Record<string, string>> = { ...IN_MESSAGE, ':': '%3A', ',': '%2C' };

/** The line that marks an error in GitHub Actions, with its special characters escaped. */
export function githubError(title: string, message: string): string {
  return `::error title=${escaped(title, IN_PROPERTY)}::${escaped(message, IN_MESSAGE)}`;
}

function escaped(text: string, codes: Readonly<Record<string, string>>): string {
  return text.replaceAll(/[%\r\n:,]/g, (character) => codes[character] ?? character);
}
