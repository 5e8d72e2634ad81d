import { shellQuoted } from '../../text/shell/words.js';

type OptionValue = string | number | boolean | readonly string[] | undefined;

/** A command line after `npx sandbox `: its name, arguments and options; an option that is undefined, false or empty is left out. */
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
  if (value === undefined || value === false || value === '') return [];
  if (value === true) return [`--${option}`];
  const text = typeof value === 'object' ? value.join(',') : String(value);
  if (text === '') return [];
  return text.startsWith('-') ? [`--${option}=${shellQuoted(text)}`] : [`--${option}`, shellQuoted(text)];
}
