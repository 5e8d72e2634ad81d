import { holdsDeliveries } from '../../contract/fault-kinds.js';
import { formatIsoTime, isInstant } from '../../contract/time.js';
import { createInvalidRequest } from '../input/bodies.js';
import type { FaultInput } from '../world.js';

/** Replaces `forMs` with the end of the window. Throws INVALID_REQUEST for a window that cannot be met. */
export function resolveWindow<Input extends FaultInput>({ forMs, ...fault }: Input, now: number): Input {
  const { from, action } = fault;
  const startAt = Math.max(from ?? now, now);
  const until = fault.until ?? (forMs === undefined ? undefined : (from ?? now) + forMs);
  const refuse = (field: string, message: string) => {
    throw createInvalidRequest('Invalid fields', [{ field, message }]);
  };
  const field = forMs === undefined ? 'until' : 'for';
  if (fault.until !== undefined && forMs !== undefined) refuse('for', 'Must not be combined with until.');
  if (until === undefined) {
    if (holdsDeliveries(action))
      refuse('until', `Is required for ${action}, or \`for\`: the fault holds deliveries until it ends.`);
  } else if (!isInstant(until)) refuse(field, 'Must end the fault before the year 10000.');
  else if (until <= startAt) {
    const start = `${from === startAt ? 'from' : 'the current sandbox time'}, ${formatIsoTime(startAt)}`;
    refuse(field, `Must end the fault after ${start}; got ${formatIsoTime(until)}.`);
  }
  return omitUndefined({ ...fault, until }) as Input;
}

/** Omits undefined fields, which JSON cannot represent. */
export function omitUndefined<Fields extends object>(fields: Fields): Fields {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Fields;
}
