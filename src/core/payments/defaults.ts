import type { ChargeInput } from './charges.js';
import type { WithdrawalInput } from './withdrawals.js';
import type { App } from '../world.js';

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
