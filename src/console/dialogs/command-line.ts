import { shellQuoted } from '../../text/shell/words.js';

/** An option of a command: a text, each of several texts, or whether a flag is there; undefined is left out. */
type Given = string | readonly string[] | boolean | undefined;

/** The command with its options as a shell reads them; names are in camelCase. */
export function commandLine(words: readonly string[], options: Readonly<Record<string, Given>>): string {
  const given = Object.entries(options).flatMap(([name, value]) => {
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === undefined || value === false) return [];
    if (value === true) return [flag];
    return [value].flat().map((text) => optionText(flag, text));
  });
  return [...words.map(shellQuoted), ...given].join(' ');
}

/** A value that looks like a flag itself is bound to its flag. */
function optionText(flag: string, text: string): string {
  return text.startsWith('-') ? shellQuoted(`${flag}=${text}`) : `${flag} ${shellQuoted(text)}`;
}
