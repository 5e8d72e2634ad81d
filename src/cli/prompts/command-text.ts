import { flagOf } from '../program/declaration.js';
import { shellQuoted } from '../../text/shell/words.js';

/** A command line without the program, quoted for a POSIX shell, from arguments and options as commander reads them. */
export function commandText(
  command: string,
  args: readonly string[],
  options: Readonly<Record<string, unknown>>,
): string {
  const flags = Object.entries(options).flatMap(([name, value]) => flagWords(name, value));
  // After `--` nothing is an option.
  const isOptionLike = args.some((arg) => arg.startsWith('-'));
  const words = isOptionLike ? [...flags, '--', ...args] : [...args, ...flags];
  return [command, ...words.map(shellQuoted)].join(' ');
}

function flagWords(name: string, value: unknown): string[] {
  const flag = flagOf(name);
  if (typeof value === 'string') return [flag, value];
  if (Array.isArray(value)) return value.flatMap((item) => [flag, String(item)]);
  if (value === false) return [flag.replace('--', '--no-')];
  // `--color` and `--input` cannot be typed: they hold unless `--no-color` or `--no-input` was.
  return value === true && name !== 'color' && name !== 'input' ? [flag] : [];
}
