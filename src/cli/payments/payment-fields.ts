import type { FailureReason } from '../../contract/failure-reasons.js';
import { FAILURE_REASON_CODES } from '../../contract/failure-reasons.js';
import { oneOfOrUsage } from '../program/closest.js';
import type { Options } from '../program/io.js';
import { parsePairs } from '../program/pairs.js';

/** The fields of a new charge or withdrawal that the options choose, as the control API takes them. */
export function paymentFields(options: Options): Record<string, unknown> {
  const metadata = options.list('metadata');
  const fields = {
    code: options.text('code'),
    amount: options.text('amount'),
    payer_name: options.text('payerName'),
    payer_document: options.text('payerDocument'),
    pix_key: options.text('pixKey'),
    metadata: metadata.length === 0 ? undefined : parsePairs('--metadata', metadata),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Why a payment fails: the given SPI code, or none; a usage error that names close ones where there is no such code. */
export function failureReason(options: Options): FailureReason | undefined {
  const code = options.text('reason');
  return code === undefined ? undefined : oneOfOrUsage('reason', code, FAILURE_REASON_CODES);
}
