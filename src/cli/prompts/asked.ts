import type { Invocation } from '../program/io.js';
import type { Questions } from './questions.js';

/**
 * What a command runs with: the words that were typed, or, where some are missing and somebody sits there, those that the
 * questions complete them to. Neither the questions nor what asks them is loaded before.
 */
export async function askedFor(
  isMissing: boolean,
  invocation: Invocation,
  load: () => Promise<Questions>,
): Promise<Invocation> {
  if (!isMissing || !invocation.io.interactive) return invocation;
  const { complete } = await import('./complete.js');
  return complete(invocation, await load());
}
