import type { Invocation } from '../program/io.js';
import { Options } from '../program/io.js';
import type { LegacyQuestions } from './questions.js';

export async function askedFor(
  isMissing: boolean,
  invocation: Invocation,
  load: () => Promise<LegacyQuestions>,
): Promise<Invocation> {
  if (!isMissing || !invocation.io.interactive) return invocation;
  const { completed } = await import('./complete.js');
  const { io, args, options } = invocation;
  const { command, ask } = await load();
  const typed = await completed(command, { io, args, given: options.all() }, (asker) =>
    ask(invocation, asker),
  );
  return { io, args: typed.args, options: new Options(typed.given) };
}
