import { Refusal } from '../../contract/refusals.js';
import { describe } from '../../text/describe.js';
import type { Metadata } from '../world.js';

/** A field of an earlier payment, and the same field of a request that repeats its code; the values as JSON shows them. */
type Pair = readonly [earlier: string | null, now: string | null];

/** Refuses with CODE_REUSED a request that repeats the code of an earlier payment with other fields, and names them (§2.1). */
export function checkSameFields(
  what: 'charge' | 'withdrawal',
  code: string,
  fields: Readonly<Record<string, Pair>>,
  metadata: readonly [earlier: Metadata, now: Metadata],
): void {
  const details = Object.entries(fields)
    .filter(([, [earlier, now]]) => earlier !== now)
    .map(([field, [earlier, now]]) => ({
      field,
      message: `Is ${describe(earlier)} in the ${what} that has this code; got ${describe(now)}.`,
    }));
  if (!sameMetadata(...metadata)) {
    details.push({ field: 'metadata', message: `Differs from that of the ${what} that has this code.` });
  }
  if (details.length === 0) return;
  const names = details.map(({ field }) => field).join(', ');
  throw new Refusal(
    'CODE_REUSED',
    `The code ${code} belongs to an earlier ${what} with other fields: ${names}.`,
    {
      details,
      hint: `Send the same fields to repeat a request; use a new code for a new ${what}.`,
    },
  );
}

function sameMetadata(a: Metadata, b: Metadata): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key])
  );
}
