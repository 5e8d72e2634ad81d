import { inspect } from 'node:util';
import type { Failure } from '../../explore/explore.js';
import { isError, messageOf } from '../../text/errors.js';

/** Parts of the paths of third-party code. */
const FOREIGN = ['node:', 'node_modules'];

/** A failure of a scenario, named by the line that threw, because messages hold what differs from run to run. @internal */
export function failureOf(error: unknown): Failure {
  const message = messageOf(error);
  const kind = isError(error) ? error.name : 'thrown';
  const place = isError(error) ? placeIn(error.stack ?? '', message) : undefined;
  const name = place === undefined ? `${kind}: ${message.split('\n')[0]}` : `${kind} at ${place}`;
  return { category: 'test', name, message: [message, ...valuesOf(error, message)].join('\n') };
}

/** The values of an assertion that its message does not show whole. */
function valuesOf(error: unknown, message: string): string[] {
  if (!isError(error) || !('actual' in error) || !('expected' in error)) return [];
  const texts = [`expected: ${valueText(error.expected)}`, `actual: ${valueText(error.actual)}`];
  const isShown = [error.expected, error.actual].every((value) => message.includes(valueText(value)));
  return isShown ? [] : texts;
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  return inspect(value, { depth: null, maxArrayLength: null, maxStringLength: null, breakLength: 100 });
}

/** `file:line` of the first frame in the user's code. */
function placeIn(stack: string, message: string): string | undefined {
  // The message may have been changed after the stack was written.
  const start = Math.max(stack.indexOf(message), 0);
  const frames = stack.slice(start === 0 ? 0 : start + message.length).split('\n');
  const own = frames.find(
    (frame) => frame.includes('    at ') && !FOREIGN.some((part) => frame.includes(part)),
  );
  const [file, line] =
    own
      ?.split(/[/\\(]/)
      .at(-1)
      ?.split(':') ?? [];
  return line === undefined ? undefined : `${file}:${line}`;
}
