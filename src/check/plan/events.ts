import { randomBytes } from 'node:crypto';
import { isoTime } from '../../contract/time.js';
import type { EventType } from '../../contract/events.js';
import type { ChargeResource, WithdrawalResource } from '../../core/resources/resources.js';
import { presentCharge, presentWithdrawal } from '../../core/resources/serialize.js';
import { createQrDrawer } from '../../sandbox/qr/image.js';
import type { Subject } from '../check.js';
import type { EventToSend } from '../exchange/message.js';

const ACCOUNT_ID = '00000000-0000-4000-8000-000000000001';
const AMOUNT_CENTS = 10_000;
const PERSON = { name: 'Maria da Silva', document: '52998224725' };
const LIFETIME_MS = 86_400_000;

const drawQr = createQrDrawer();

/** A charge or withdrawal that events are about. */
export interface Paid extends Subject {
  readonly resource: ChargeResource | WithdrawalResource;
}

/** A charge that exists nowhere. */
export function strangeCharge(subject: Subject, nowMs: number): Paid {
  const row = { ...commonRow(subject, nowMs), payerName: PERSON.name, payerDocument: PERSON.document };
  const charge = {
    ...row,
    status: 'PENDING',
    providerFeeCents: 80,
    partnerFeeCents: 0,
    expiresAt: nowMs + LIFETIME_MS,
  } as const;
  return { ...subject, resource: presentCharge(charge, drawQr) };
}

/** A withdrawal that exists nowhere. */
export function strangeWithdrawal(subject: Subject, nowMs: number): Paid {
  const row = {
    ...commonRow(subject, nowMs),
    pixKey: PERSON.document,
    pixKeyType: 'CPF',
    beneficiaryDocument: PERSON.document,
    beneficiaryName: PERSON.name,
    feeCents: 0,
    status: 'PENDING',
  } as const;
  return { ...subject, resource: presentWithdrawal(row) };
}

function commonRow({ code, id }: Subject, nowMs: number) {
  const common = { ordinal: 0, appId: '', accountId: ACCOUNT_ID, amountCents: AMOUNT_CENTS, reason: null };
  return { ...common, id, code, metadata: {}, createdAt: nowMs };
}

/** What is changed in an event: fields of the envelope and of the resource, and how it is written. */
export interface EventChanges {
  readonly type?: string;
  readonly envelope?: object;
  readonly object?: object;
  readonly write?: (envelope: object) => string;
}

const STATUS_OF: Readonly<Record<EventType, string>> = {
  'pix.settled': 'SETTLED',
  'pix.failed': 'FAILED',
  'pix.expired': 'EXPIRED',
  'withdrawal.settled': 'SETTLED',
  'withdrawal.failed': 'FAILED',
};

/** A new event about a charge or withdrawal (§6), as the service writes it. */
export function eventAbout(
  type: EventType,
  { resource }: Paid,
  nowMs: number,
  changes: EventChanges = {},
): EventToSend {
  const id = `evt_${randomBytes(16).toString('hex')}`;
  const expired = type === 'pix.expired' ? { expires_at: isoTime(nowMs) } : {};
  const envelope = {
    id,
    type: changes.type ?? type,
    schema_version: 1,
    timestamp: isoTime(nowMs),
    environment: resource.environment,
    data: { object: { ...resource, status: STATUS_OF[type], ...expired, ...changes.object } },
    ...changes.envelope,
  };
  const text = changes.write?.(envelope) ?? JSON.stringify(envelope);
  return { id, type: envelope.type, body: Buffer.from(text) };
}
