import type { Options } from './io.js';
import { parsePairs } from './pairs.js';

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
