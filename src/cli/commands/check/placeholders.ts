import { type Placeholder, refersTo } from '../../../text/shell/placeholders.js';
import { usageError } from '../../program/errors.js';

/** Throws a usage error for a command without these placeholders. */
export function checkPlaceholders(
  flag: '--probe' | '--order',
  text: string | undefined,
  placeholders: readonly Placeholder[],
): void {
  if (text === undefined) return;
  const example = `For example: ${flag} 'curl -s ${flag === '--order' ? '-X PUT ' : ''}localhost:3000/orders/{code}'`;
  if (!refersTo(text, placeholders))
    throw usageError(
      `${flag} has to say which order it means, with ${placeholders.join(' or ')}; got ${text}`,
      example,
    );
}
