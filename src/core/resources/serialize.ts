import { formatAmount } from '../../contract/money.js';
import { isoTime } from '../../contract/time.js';
import { idFor } from '../ids.js';
import { attemptsEnded } from '../webhooks/deliveries.js';
import { withOverrides } from '../webhooks/overrides.js';
import type { AnnouncedEvent, Charge, Delivery, Endpoint, Transaction, Withdrawal, World } from '../world.js';
import type * as shown from './resources.js';

/**
 * Writes the copy-and-paste payload `qr_code` of §2.1: a dynamic BR Code without the amount, all ASCII, for a
 * url without scheme of at most 77 characters. The CRC covers its own tag and length.
 */
export function brCode(url: string): string {
  const account = field('26', field('00', 'br.gov.bcb.pix') + field('25', url));
  const merchant = field('59', 'PIX SANDBOX') + field('60', 'SAO PAULO');
  const text = `000201010212${account}5204000053039865802BR${merchant}62070503***6304`;
  return text + crc16(text);
}

/** CRC-16/CCITT-FALSE (polynomial 0x1021, start 0xFFFF) of an ASCII text, as four upper-case hex digits. */
export function crc16(text: string): string {
  let crc = 0xffff;
  for (let i = 0; i < text.length; i += 1) {
    let x = ((crc >> 8) ^ text.charCodeAt(i)) & 0xff;
    x ^= x >> 4;
    crc = ((crc << 8) ^ (x << 12) ^ (x << 5) ^ x) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

function field(tag: string, value: string): string {
  return tag + String(value.length).padStart(2, '0') + value;
}

const ENVIRONMENT = 'TEST';

/** Draws the PNG of a BR Code as bare base64; null where the image is left out. */
export type DrawQr = ((brCode: string) => string) | null;

/** The copy-and-paste payload of a charge: it follows from the id, so it is not stored. */
export function qrCode(charge: Readonly<Charge>): string {
  return brCode(`pix.sandbox.localhost/qr/v2/${charge.id}`);
}

/** A charge as the API shows it (§2.1). */
export function presentCharge(charge: Readonly<Charge>, drawQr: DrawQr): shown.ChargeResource {
  const code = qrCode(charge);
  const feesCents = charge.providerFeeCents + charge.partnerFeeCents;
  return {
    id: charge.id,
    code: charge.code,
    status: charge.status,
    environment: ENVIRONMENT,
    account_id: charge.accountId,
    amount: formatAmount(charge.amountCents),
    asset_code: 'BRL',
    qr_code: code,
    qr_code_base64: drawQr === null ? null : drawQr(code),
    expires_at: isoTime(charge.expiresAt),
    fees: {
      provider_fee: formatAmount(charge.providerFeeCents),
      partner_fee: formatAmount(charge.partnerFeeCents),
      net_amount: formatAmount(charge.amountCents - feesCents),
    },
    payer_name: charge.payerName,
    payer_document: charge.payerDocument,
    metadata: charge.metadata,
    created_at: isoTime(charge.createdAt),
  };
}

/** A withdrawal as the API shows it (§2.2). */
export function presentWithdrawal(withdrawal: Readonly<Withdrawal>): shown.WithdrawalResource {
  return {
    id: withdrawal.id,
    code: withdrawal.code,
    account_id: withdrawal.accountId,
    amount: formatAmount(withdrawal.amountCents),
    net_amount: formatAmount(withdrawal.amountCents - withdrawal.feeCents),
    fee: formatAmount(withdrawal.feeCents),
    status: withdrawal.status,
    environment: ENVIRONMENT,
    destination: {
      rail: 'PIX',
      pix_key: withdrawal.pixKey,
      pix_key_type: withdrawal.pixKeyType,
      beneficiary_document: withdrawal.beneficiaryDocument,
      beneficiary_name: withdrawal.beneficiaryName,
    },
    metadata: withdrawal.metadata,
    created_at: isoTime(withdrawal.createdAt),
  };
}

/** A line of the ledger as the API shows it (§2.5). */
export function presentTransaction(
  world: Pick<World, 'seed'>,
  transaction: Transaction,
): shown.TransactionResource {
  return {
    id: idFor(world, 'transaction', transaction.ordinal),
    code: transaction.code,
    amount: formatAmount(transaction.amountCents),
    status: 'POSTED',
    direction: transaction.direction,
    created_at: isoTime(transaction.createdAt),
  };
}

/** An endpoint as the API shows it, without its secret (§2.3). */
export function presentEndpoint(endpoint: Endpoint): shown.EndpointResource {
  return {
    id: endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    events: endpoint.events,
    status: endpoint.status,
    created_at: isoTime(endpoint.createdAt),
    updated_at: isoTime(endpoint.updatedAt),
  };
}

/** A delivery as the API shows it (§2.4). While an attempt is under way, it speaks of the one before. */
export function presentDelivery(delivery: Delivery): shown.DeliveryResource {
  const { event, inFlight, log } = delivery;
  const lastAttemptAt = inFlight ? (log.at(-1)?.startedAt ?? null) : delivery.lastAttemptAt;
  return {
    id: delivery.id,
    event_id: event.id,
    event_type: event.type,
    resource: { type: resourceType(event), id: event.resource.id },
    status: delivery.status,
    attempts: attemptsEnded(delivery),
    last_attempt_at: isoOrNull(lastAttemptAt),
    last_response_status: delivery.lastStatus,
    last_error: delivery.lastError,
    next_attempt_at: isoOrNull(delivery.nextAttemptAt),
    delivered_at: isoOrNull(delivery.deliveredAt),
    created_at: isoTime(delivery.createdAt),
  };
}

export function resourceType(event: AnnouncedEvent): 'pix' | 'withdrawal' {
  return event.type.startsWith('pix.') ? 'pix' : 'withdrawal';
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}

/** The resource of an event as the transition left it. */
export function presentResource(event: AnnouncedEvent, drawQr: DrawQr) {
  const { resource } = event;
  return 'pixKey' in resource ? presentWithdrawal(resource) : presentCharge(resource, drawQr);
}

/** The envelope of an event (§6), without overrides. */
export function presentEnvelope(event: AnnouncedEvent, drawQr: DrawQr): shown.Envelope {
  return {
    id: event.id,
    type: event.type,
    schema_version: 1,
    timestamp: isoTime(event.at),
    environment: ENVIRONMENT,
    data: { object: presentResource(event, drawQr) },
  };
}

/** The payload of an event. Its JSON is the body of every attempt. */
export function presentEvent(event: AnnouncedEvent, drawQr: DrawQr): object {
  const envelope = presentEnvelope(event, drawQr);
  return event.overrides === undefined ? envelope : withOverrides(envelope, event.overrides);
}

/** The image in an event's body, by assumption `event.qr_image`. */
export function eventDrawQr(world: World, drawQr: DrawQr): DrawQr {
  return world.assumed['event.qr_image'] === 'full' ? drawQr : null;
}
