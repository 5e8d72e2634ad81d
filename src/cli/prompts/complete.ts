import type { Invocation } from '../program/io.js';
import { Options } from '../program/io.js';
import type { Asker } from './asker.js';
import { commandText } from './command-text.js';
import { terminalAsker } from './terminal-asker.js';
import type { Questions } from './questions.js';

/** Asks the questions, says which command the answers amount to, and returns what it would have been given. */
export async function complete(
  invocation: Invocation,
  { command, ask }: Questions,
  asker: Asker = terminalAsker(invocation.io),
): Promise<Invocation> {
  const { io } = invocation;
  const { args, options: answered = {} } = await ask(invocation, asker);
  const given = Object.entries(answered).filter(([, value]) => value !== undefined);
  const options = { ...invocation.options.all(), ...Object.fromEntries(given) };
  io.note(io.colour.dim(`$ npx pix-sandbox ${commandText(command, args, options)}`));
  return { io, args, options: new Options(options) };
}
