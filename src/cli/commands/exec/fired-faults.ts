import type { Planted } from '../../faults/planted.js';
import type { Io } from '../../program/io.js';
import { oneLine } from '../../terminal/text.js';

/** Prints which faults of `--faults` fired, and then which did not. */
export function noteFaults(io: Io, { outcomes }: Planted): void {
  const { green, yellow } = io.colour;
  const all = outcomes();
  for (const { words } of all.filter(({ hasFired }) => hasFired))
    io.note(`${green('fired')} ${oneLine(words, 0)}`);
  for (const { words } of all.filter(({ hasFired }) => !hasFired))
    io.note(`${yellow('not fired')} ${oneLine(words, 0)}`);
}
