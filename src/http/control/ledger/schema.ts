import { POSTINGS } from '../../../core/payments/ledger-entries.js';
import * as service from '../../../core/resources/resources.js';
import * as is from '../../../core/resources/values.js';
import { nullable } from '../../../schema/fields.js';
import type { Infer } from '../../../schema/schema.js';
import { described, oneOf } from '../../../schema/values.js';
import { BALANCE, NAMED_RESOURCE } from '../schema.js';

export const LEDGER_ENTRY = is.resource(
  'LedgerEntry',
  'A transaction with what it belongs to, and the balance of its account after it.',
  {
    ...service.TRANSACTION.fields,
    account_id: is.UUID,
    balance: BALANCE,
    what: described('Null where nothing explains it.', nullable(oneOf(POSTINGS))),
    resource: nullable(NAMED_RESOURCE),
  },
);
export type LedgerEntryView = Infer<typeof LEDGER_ENTRY>;

export const LEDGER = is.resource(
  'Ledger',
  'A page of the ledger, newest first, and what is wrong with the whole.',
  {
    data: is.listOf(LEDGER_ENTRY),
    paging: is.PAGING,
    problems: is.listOf(is.TEXT),
  },
);
export type LedgerView = Infer<typeof LEDGER>;
