import { formatAmount } from '../../contract/money.js';
import { isoTime } from '../../contract/time.js';
import { idFor } from '../ids.js';
import { attemptsEnded } from '../webhooks/deliveries.js';
import { withOverrides } from '../webhooks/overrides.js';
import type { AnnouncedEvent, Charge, Delivery, Endpoint, Transaction, Withdrawal, World } from '../world.js';
import type * as shown from './resources.js';

/** Who is paid by a BR Code. */
interface Merchant {
  /** At most 25 characters of printable ASCII. */
  merchantName: string;
  /** At most 15 characters of printable ASCII. */
  merchantCity: string;
}

const NAME_CHARACTERS = 25;
const CITY_CHARACTERS = 15;
const URL_CHARACTERS = 77;
const URL_FORM = /^[a-z\d.-]+(?::\d+)?(?:\/[!-~]*)?$/i;

const FORMAT = field('00', '01');
const DYNAMIC = field('01', '12');
const PIX_DOMAIN = field('00', 'br.gov.bcb.pix');
const CATEGORY = field('52', '0000');
const CURRENCY = field('53', '986');
const COUNTRY = field('58', 'BR');
const NO_REFERENCE = field('62', field('05', '***'));
/** The CRC covers its own tag and length. */
const CRC_HEAD = '6304';

/**
 * Returns a function from urls to the copy-and-paste payloads of one merchant, `qr_code` of §2.1: dynamic BR Codes, all
 * ASCII, without the amount. Names lose their accents and any other character outside ASCII, and are cut to their lengths.
 * Throws a RangeError when nothing is left of a name; the function throws one when the url is not scheme-less ASCII of at
 * most 77 characters.
 */
export function brCodeWriter({ merchantName, merchantCity }: Merchant): (url: string) => string {
  const name = field('59', requireName(merchantName, NAME_CHARACTERS));
  const city = field('60', requireName(merchantCity, CITY_CHARACTERS));
  const head = FORMAT + DYNAMIC;
  const tail = CATEGORY + CURRENCY + COUNTRY + name + city + NO_REFERENCE + CRC_HEAD;
  return (url) => {
    if (!isUrl(url)) {
      const rule = `Expected a url without scheme, such as "pix.example/1", of at most ${URL_CHARACTERS} characters`;
      throw new RangeError(`${rule}, got ${JSON.stringify(url)}`);
    }
    const text = head + field('26', PIX_DOMAIN + field('25', url)) + tail;
    return text + crc16(text);
  };
}

/**
 * CRC-16/CCITT-FALSE (polynomial 0x1021, start 0xFFFF) of an ASCII text, as four upper-case hex digits.
 * Uses shifts instead of the usual table, because they are as fast here.
 */
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
  return tag + twoDigits(value.length) + value;
}

function twoDigits(n: number): string {
  return String(n).padStart(2, '0');
}

function isUrl(text: string): boolean {
  return text.length <= URL_CHARACTERS && URL_FORM.test(text);
}

function requireName(name: string, characters: number): string {
  const folded = foldName(name, characters);
  if (folded === '') {
    throw new RangeError(
      `Expected a name with at least one letter that ASCII has, got ${JSON.stringify(name)}`,
    );
  }
  return folded;
}

function foldName(name: string, characters: number): string {
  const ascii = name
    .normalize('NFD')
    .replaceAll(/\s/g, ' ')
    .replaceAll(/[^ -~]/g, '');
  return ascii.replaceAll(/ +/g, ' ').trim().slice(0, characters).trimEnd();
}

const ENVIRONMENT = 'TEST';
const brCodeOf = brCodeWriter({ merchantName: 'PIX SANDBOX', merchantCity: 'SAO PAULO' });

/** Draws the PNG of a BR Code as bare base64; null where the image is left out. */
export type DrawQr = ((brCode: string) => string) | null;

/** The copy-and-paste payload of a charge: it follows from the id, so it is not stored. */
export function qrCode(charge: Readonly<Charge>): string {
  return brCodeOf(`pix.sandbox.localhost/qr/v2/${charge.id}`);
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
