import { toCamelCase } from '../../contract/fields.js';
import { formatAmount } from '../../contract/money.js';
import { formatIsoTime } from '../../contract/time.js';
import type { FieldSchemas, ObjectSchema, ValuesOf } from '../../schema/object.js';
import { createId } from '../ids.js';
import { countEndedAttempts } from '../webhooks/deliveries.js';
import { withOverrides } from '../webhooks/overrides.js';
import type { AnnouncedEvent, Charge, Delivery, Endpoint, Transaction, Withdrawal, World } from '../world.js';
import * as shown from './resources.js';

/**
 * Creates the copy-and-paste `qr_code` (§2.1): an ASCII dynamic BR Code without an amount. `url` has no
 * scheme and at most 77 characters. The CRC also covers the CRC field's tag and length.
 */
export function createBrCode(url: string): string {
  const account = field('26', field('00', 'br.gov.bcb.pix') + field('25', url));
  const merchant = field('59', 'PIX SANDBOX') + field('60', 'SAO PAULO');
  const text = `000201010212${account}5204000053039865802BR${merchant}62070503***6304`;
  return text + computeCrc16(text);
}

/**
 * Computes the CRC-16/CCITT-FALSE (polynomial 0x1021, initial value 0xFFFF) of an ASCII text as four
 * uppercase hex digits.
 */
export function computeCrc16(text: string): string {
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

type Row = Readonly<Record<string, unknown>>;

/** Formats a row's field for the API: amounts as decimals, instants in ISO 8601. */
export function presentField(name: string, value: unknown): readonly [name: string, value: unknown] {
  const bare = name.replace(/Cents$/, '');
  const key = bare.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  if (bare !== name) return [key, formatAmount(value as number)];
  return [key, name.endsWith('At') && typeof value === 'number' ? formatIsoTime(value) : value];
}

/**
 * Creates a serializer that reads each field from `rest`, the schema's constant or the row, in this order.
 */
export function createPresenter<Of extends FieldSchemas>({ fields }: ObjectSchema<Of>) {
  const plan = Object.entries(fields).map(([key, { json }]) => {
    const name = toCamelCase(key);
    return {
      key,
      only: json['const'],
      name,
      cents: `${name}Cents`,
      isInstant: json['format'] === 'date-time',
    };
  });
  return (row: object, rest: Partial<ValuesOf<Of>> = {}): ValuesOf<Of> => {
    const stored = row as Row;
    const given = rest as Row;
    const shown: Record<string, unknown> = {};
    for (const { key, only, name, cents, isInstant } of plan) {
      const value = key in given ? given[key] : (only ?? stored[name] ?? null);
      if (cents in row) shown[key] = formatAmount(stored[cents] as number);
      else shown[key] = isInstant && typeof value === 'number' ? formatIsoTime(value) : value;
    }
    return shown as ValuesOf<Of>;
  };
}

/** Renders a BR Code as a base64 PNG; null omits the image. */
export type QrRenderer = ((brCode: string) => string) | null;

/** Derives a charge's copy-and-paste payload from the charge id, so the payload isn't stored. */
export function createQrCode(charge: Readonly<Charge>): string {
  return createBrCode(`pix.sandbox.localhost/qr/v2/${charge.id}`);
}

const writeCharge = createPresenter(shown.CHARGE);
const writeFees = createPresenter(shown.CHARGE_FEES);
const writeWithdrawal = createPresenter(shown.WITHDRAWAL);
const writeDestination = createPresenter(shown.DESTINATION);
const writeTransaction = createPresenter(shown.TRANSACTION);
const writeDelivery = createPresenter(shown.DELIVERY);

export function presentCharge(charge: Readonly<Charge>, drawQr: QrRenderer): shown.ChargeResource {
  const { amountCents, providerFeeCents, partnerFeeCents } = charge;
  const code = createQrCode(charge);
  const netAmountCents = amountCents - providerFeeCents - partnerFeeCents;
  return writeCharge(charge, {
    qr_code: code,
    qr_code_base64: drawQr === null ? null : drawQr(code),
    fees: writeFees({ providerFeeCents, partnerFeeCents, netAmountCents }),
  });
}

export function presentWithdrawal(withdrawal: Readonly<Withdrawal>): shown.WithdrawalResource {
  const { amountCents, feeCents } = withdrawal;
  return writeWithdrawal(withdrawal, {
    net_amount: formatAmount(amountCents - feeCents),
    destination: writeDestination(withdrawal),
  });
}

export function presentTransaction(
  world: Pick<World, 'seed'>,
  transaction: Transaction,
): shown.TransactionResource {
  return writeTransaction(transaction, { id: createId(world, 'transaction', transaction.ordinal) });
}

export const presentEndpoint: (endpoint: Endpoint) => shown.EndpointResource = createPresenter(
  shown.ENDPOINT,
);

/** Serializes a delivery for the API (§2.4), ignoring any attempt in flight. */
export function presentDelivery(delivery: Delivery): shown.DeliveryResource {
  const { event, inFlight, log, lastStatus } = delivery;
  const lastAttemptAt = inFlight ? (log.at(-1)?.startedAt ?? null) : delivery.lastAttemptAt;
  return writeDelivery(
    { ...delivery, lastAttemptAt },
    {
      event_id: event.id,
      event_type: event.type,
      resource: { type: getResourceType(event), id: event.resource.id },
      attempts: countEndedAttempts(delivery),
      last_response_status: lastStatus,
    },
  );
}

export function getResourceType(event: AnnouncedEvent): 'pix' | 'withdrawal' {
  return event.type.startsWith('pix.') ? 'pix' : 'withdrawal';
}

/**
 * Creates an event's payload (§6): the JSON body of every attempt, with the resource right after the
 * transition.
 */
export function presentEvent(event: AnnouncedEvent, drawQr: QrRenderer): object {
  const { id, type, at, resource, overrides } = event;
  const envelope: shown.Envelope = {
    id,
    type,
    schema_version: 1,
    timestamp: formatIsoTime(at),
    environment: 'TEST',
    data: { object: 'pixKey' in resource ? presentWithdrawal(resource) : presentCharge(resource, drawQr) },
  };
  return overrides === undefined ? envelope : withOverrides(envelope, overrides);
}

/** Selects the QR renderer for event bodies, as configured by the assumption `event.qr_image`. */
export function selectQrDrawer(world: World, drawQr: QrRenderer): QrRenderer {
  return world.assumed['event.qr_image'] === 'full' ? drawQr : null;
}
