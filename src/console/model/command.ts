import { shellQuoted } from '../../text/shell/words.js';

type OptionValue = string | number | boolean | readonly string[] | undefined;

/**
 * A command line after `npx sandbox `: its name, arguments and options, whose names may be in camelCase. An option that is
 * undefined, false or empty is left out; a list is given item by item.
 */
export function commandLine(
  name: string,
  args: readonly string[],
  options: Readonly<Record<string, OptionValue>> = {},
): string {
  const flags = Object.entries(options).flatMap(([option, value]) => optionWords(option, value));
  const words = args.map(shellQuoted);
  const ordered = args.some((arg) => arg.startsWith('-')) ? [...flags, '--', ...words] : [...words, ...flags];
  return [name, ...ordered].join(' ');
}

function optionWords(option: string, value: OptionValue): string[] {
  const flag = `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if (value === undefined || value === false || value === '') return [];
  if (value === true) return [flag];
  return [value].flat().map((one) => {
    const text = String(one);
    return text.startsWith('-') ? shellQuoted(`${flag}=${text}`) : `${flag} ${shellQuoted(text)}`;
  });
}
