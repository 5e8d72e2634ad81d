/** SPI codes of a rejected or returned payment, with Bacen's meaning in short. */
export const FAILURE_REASONS = {
  AB03: 'settlement timed out in the SPI',
  AB09: 'error at the receiving participant',
  AC03: 'branch or account does not exist',
  AC06: 'account is blocked',
  AC07: 'account is closed',
  AG03: 'account type does not take this transaction',
  AM02: 'amount is over the limit of the account',
  AM04: 'balance of the paying participant is insufficient',
  BE01: 'document does not belong to the account holder',
  BE17: 'the QR code was refused by the receiver',
  DS04: 'order was refused by the receiving participant',
  DUPL: 'payment is a duplicate',
  ED05: 'settlement failed',
  FRAD: 'suspected fraud',
} as const;

export type FailureReason = keyof typeof FAILURE_REASONS;
export const FAILURE_REASON_CODES = Object.keys(FAILURE_REASONS) as FailureReason[];
/** The reason of a failure for which none is given. */
export const DEFAULT_FAILURE_REASON: FailureReason = 'AC03';
