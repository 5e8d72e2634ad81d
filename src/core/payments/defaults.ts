import { Refusal } from '../../contract/refusals.js';
import { describe } from '../../text/describe.js';
import type { App, Metadata } from '../world.js';
import type { ChargeInput } from './charges.js';
import type { WithdrawalInput } from './withdrawals.js';

/**
 * A field of an earlier payment, and the same field of a request that repeats its code; the values as JSON
 * shows them.
 */
type Pair = readonly [earlier: string | null, now: string | null];

/**
 * Refuses with CODE_REUSED a request that repeats the code of an earlier payment with other fields, and names
 * them (§2.1).
 */
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

const AMOUNT_CENTS = 10_000;
const PERSON = { name: 'Maria da Silva', document: '52998224725' };

/** Fills in the missing fields of a charge with test defaults. */
export function draftCharge(app: App, chosen: Partial<ChargeInput>): ChargeInput {
  return {
    code: chosen.code ?? freeCode('charge', app.chargesByCode),
    accountId: app.accountId,
    amountCents: AMOUNT_CENTS,
    payerName: PERSON.name,
    payerDocument: PERSON.document,
    metadata: {},
    ...chosen,
  };
}

/** Fills in the missing fields of a withdrawal with test defaults. */
export function draftWithdrawal(app: App, chosen: Partial<WithdrawalInput>): WithdrawalInput {
  return {
    code: chosen.code ?? freeCode('withdrawal', app.withdrawalsByCode),
    accountId: app.accountId,
    amountCents: AMOUNT_CENTS,
    pixKey: PERSON.document,
    pixKeyType: 'CPF',
    beneficiaryDocument: PERSON.document,
    beneficiaryName: PERSON.name,
    metadata: {},
    ...chosen,
  };
}

function freeCode(what: string, taken: ReadonlyMap<string, unknown>): string {
  let number = taken.size + 1;
  while (taken.has(`${what}-${number}`)) number += 1;
  return `${what}-${number}`;
}
