import type { ChargeDetail } from '../../http/control/payments.js';
import type { ChargeView, WithdrawalView } from '../../http/control/schema.js';
import type { Io } from '../program/io.js';
import type { Column } from '../terminal/text.js';
import { oneLine, SHORT_ID } from '../terminal/text.js';
import type { Fact } from '../terminal/facts.js';
import { facts } from '../terminal/facts.js';
import { paintStatus, statusColumn } from '../terminal/status.js';
import { ageText, relativeText, whenText } from '../terminal/when.js';

type Payment = ChargeView | WithdrawalView;

function paymentColumns<View extends Payment>(io: Io, nowMs: number): readonly Column<View>[] {
  return [
    { title: 'CODE', value: ({ code }) => code, leastWidth: 8 },
    statusColumn(io),
    { title: 'AMOUNT', value: ({ amount }) => amount },
    { title: 'ID', value: ({ id }) => id, leastWidth: SHORT_ID },
    { title: 'AGE', value: ({ created_at }) => ageText(created_at, nowMs) },
  ];
}

export function chargeColumns(io: Io, nowMs: number): readonly Column<ChargeView>[] {
  return [
    ...paymentColumns<ChargeView>(io, nowMs),
    {
      title: 'EXPIRES',
      value: (charge) => (charge.status === 'PENDING' ? relativeText(charge.expires_at, nowMs) : ''),
      optional: true,
    },
    { title: 'REASON', value: ({ reason }) => reason ?? '', optional: true },
  ];
}

export function withdrawalColumns(io: Io, nowMs: number): readonly Column<WithdrawalView>[] {
  return [
    ...paymentColumns<WithdrawalView>(io, nowMs),
    { title: 'REASON', value: ({ reason }) => reason ?? '', optional: true },
    { title: 'PIX KEY', value: ({ destination }) => destination.pix_key, optional: true },
  ];
}

function headFacts(io: Io, what: string, { code, id, status }: Payment): Fact[] {
  return [
    [what, code],
    ['id', id],
    ['status', status, (text) => paintStatus(io, status, text)],
  ];
}

function tailFacts({ reason, metadata, account_id, created_at }: Payment, nowMs: number): Fact[] {
  return [
    ['reason', reason ?? ''],
    ...Object.entries(metadata).map(([key, value]): Fact => ['metadata', `${key}=${value}`]),
    ['account', account_id],
    ['created', whenText(created_at, nowMs)],
  ];
}

/** All details of a charge, except its QR image, which only `--json` prints. */
export function chargeText(io: Io, charge: ChargeDetail, nowMs: number): string {
  const { fees } = charge;
  return facts(io, [
    ...headFacts(io, 'charge', charge),
    ['amount', `${charge.amount} ${charge.asset_code}, net ${fees.net_amount}`],
    ['fees', `provider ${fees.provider_fee}, partner ${fees.partner_fee}`],
    ['payer', [charge.payer_name, charge.payer_document].filter((part) => part !== null).join(', ')],
    ...tailFacts(charge, nowMs),
    ['expires', whenText(charge.expires_at, nowMs)],
    ['pay page', charge.pay_url],
    ['pix code', charge.qr_code, undefined, true],
  ]);
}

export function withdrawalText(io: Io, withdrawal: WithdrawalView, nowMs: number): string {
  const { destination } = withdrawal;
  const beneficiary = [destination.beneficiary_name, destination.beneficiary_document];
  return facts(io, [
    ...headFacts(io, 'withdrawal', withdrawal),
    ['amount', `${withdrawal.amount} BRL, fee ${withdrawal.fee}, net ${withdrawal.net_amount}`],
    ['to', `${destination.pix_key} (${destination.pix_key_type})`],
    ['beneficiary', beneficiary.filter((part) => part !== null).join(', ')],
    ...tailFacts(withdrawal, nowMs),
  ]);
}

export function movedText(io: Io, what: string, { code, status, amount, reason }: Payment): string {
  const because = reason === null ? '' : ` (${reason})`;
  return `${what} ${oneLine(code, 0)} of ${amount} is ${paintStatus(io, status)}${because}.`;
}
