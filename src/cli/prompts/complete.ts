import type { Typed } from '../program/declaration.js';
import type { Answers, Asker } from './asker.js';
import { commandText } from './command-text.js';
import { terminalAsker } from './terminal-asker.js';

/** Asks, prints the equivalent command, and returns what was typed with the answers added. */
export async function completed(
  command: string,
  typed: Typed,
  ask: (asker: Asker) => Promise<Answers>,
  asker: Asker = terminalAsker(typed.io),
): Promise<Typed> {
  const { io } = typed;
  const { args, options: answered = {} } = await ask(asker);
  const answers = Object.entries(answered).filter(([, value]) => value !== undefined);
  const given = { ...typed.given, ...Object.fromEntries(answers) };
  io.note(io.colour.dim(`$ ${io.program} ${commandText(command, args, given)}`));
  return { io, args, given };
}
