import { randomBytes, randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { SandboxError } from '../client/control.js';
import type { EventType } from '../contract/enums.js';
import { createFieldDefaults, PAYMENT_FIELDS } from '../contract/fields.js';
import { formatIsoTime } from '../contract/time.js';
import { describeEvent } from '../contract/transitions.js';
import { CHARGE, type ChargeResource, type WithdrawalResource } from '../core/resources/resources.js';
import { presentCharge, presentWithdrawal } from '../core/resources/serialize.js';
import { sleep } from '../delivery/abort.js';
import type { ChargeView } from '../http/control/schema.js';
import { createQrDrawer } from '../sandbox/qr/image.js';
import type { CheckOptions, CheckedPayment } from './check.js';
import type { EventToSend } from './send.js';

const ACCOUNT_ID = '00000000-0000-4000-8000-000000000001';
const AMOUNT_CENTS = 10_000;
const LIFETIME_MS = 86_400_000;
const CODE_DIGITS = 4;
/** Default amount for order commands with `{amount}`. */
const DEFAULT_AMOUNT = '73.19';
/** Time limit in milliseconds for a charge to appear after the order command exits. */
const LATE_CHARGE_MS = 2_000;
const LATE_CHARGE_GAP_MS = 50;

const drawQr = createQrDrawer();

export interface PaidOrder extends CheckedPayment {
  readonly resource: ChargeResource | WithdrawalResource;
}

/** Changes to an event's envelope, resource and serialization. */
export interface EventChanges {
  readonly type?: string;
  readonly envelope?: object;
  readonly object?: object;
  readonly write?: (envelope: object) => string;
}

/** Creates a charge or withdrawal event (§6) in the service's format. */
export function createOrderEvent(
  type: EventType,
  { resource }: PaidOrder,
  nowMs: number,
  changes: EventChanges = {},
): EventToSend {
  const id = `evt_${randomBytes(16).toString('hex')}`;
  const expired = type === 'pix.expired' ? { expires_at: formatIsoTime(nowMs) } : {};
  const envelope = {
    id,
    type: changes.type ?? type,
    schema_version: 1,
    timestamp: formatIsoTime(nowMs),
    environment: resource.environment,
    data: { object: { ...resource, status: describeEvent(type).status, ...expired, ...changes.object } },
    ...changes.envelope,
  };
  const text = changes.write?.(envelope) ?? JSON.stringify(envelope);
  return { id, type: envelope.type, body: Buffer.from(text) };
}

export class OrderError extends Error {
  /** Set if the application timed out. */
  readonly isLate: boolean;

  constructor(message: string, { isLate = false } = {}) {
    super(message);
    this.isLate = isLate;
  }
}

/** Creates charges and withdrawals for events. With an order command, the application creates the charges. */
export class Orders {
  readonly isOrdered: boolean;
  readonly #options: Pick<CheckOptions, 'order' | 'sandbox'>;
  readonly #run = randomBytes(3).toString('hex');
  #count = 0;
  /** Serializes order creation until the first order shows whether charges use their order's code. */
  #last: Promise<unknown> = Promise.resolve();
  #hasOwnCodes: boolean | undefined;

  constructor(options: Pick<CheckOptions, 'order' | 'sandbox'>) {
    this.#options = options;
    this.isOrdered = options.order !== undefined && options.sandbox !== undefined;
  }

  /** Returns an unused code. All codes have the same length, so none is a prefix of another. */
  nextCode(): string {
    this.#count += 1;
    return `check-${this.#run}-${String(this.#count).padStart(CODE_DIGITS, '0')}`;
  }

  /** Creates a charge, with the order command if one is configured. Rejects with OrderError. */
  async charge(signal: AbortSignal, amount = DEFAULT_AMOUNT): Promise<PaidOrder> {
    return this.isOrdered ? this.chargeByCommand(signal, amount) : this.createUnknownCharge();
  }

  createUnknownCharge(): PaidOrder {
    const row = {
      ...this.#createUnknownRow(),
      ...createFieldDefaults(PAYMENT_FIELDS.own.charge, 'example'),
      providerFeeCents: 80,
      partnerFeeCents: 0,
      expiresAt: Date.now() + LIFETIME_MS,
    };
    return { code: row.code, id: row.id, resource: presentCharge(row, drawQr) };
  }

  withdrawal(): PaidOrder {
    const row = {
      ...this.#createUnknownRow(),
      ...createFieldDefaults(PAYMENT_FIELDS.own.withdrawal, 'example'),
      pixKeyType: 'CPF',
      feeCents: 0,
    } as const;
    return { code: row.code, id: row.id, resource: presentWithdrawal(row) };
  }

  #createUnknownRow() {
    return {
      id: randomUUID(),
      code: this.nextCode(),
      ordinal: 0,
      appId: '',
      accountId: ACCOUNT_ID,
      amountCents: AMOUNT_CENTS,
      reason: null,
      metadata: {},
      createdAt: Date.now(),
      status: 'PENDING',
    } as const;
  }

  chargeByCommand(signal: AbortSignal, amount = DEFAULT_AMOUNT): Promise<PaidOrder> {
    if (this.#hasOwnCodes === true) return this.#order(amount, signal);
    const turn = this.#last.then(() => this.#order(amount, signal));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Also settles a charge in the application's sandbox, so that the API returns the charge as paid. */
  async settle({ id }: PaidOrder): Promise<void> {
    const { sandbox } = this.#options;
    if (!this.isOrdered || sandbox === undefined || !sandbox.settles) return;
    // The charge may already be settled or failed.
    await sandbox.control.post('charges/:id/settle', { id }).catch(ignoreRefusal);
  }

  async #order(amount: string, signal: AbortSignal): Promise<PaidOrder> {
    const { order, sandbox } = this.#options;
    if (order === undefined || sandbox === undefined) throw new OrderError('No order command is configured.');
    const { control } = sandbox;
    const isFoundByCode = this.#hasOwnCodes === true;
    const newest = isFoundByCode ? undefined : (await control.list('charges', { limit: 1 }))[0]?.id;
    const code = this.nextCode();
    const find = async (): Promise<ChargeView | undefined> => {
      if (isFoundByCode) return control.get('charges/:id', { id: code }).catch(ignoreRefusal);
      const created = await control.list('charges', {}, ({ id }) => id === newest);
      return created.find((charge) => charge.code === code) ?? created.at(-1);
    };
    await order({ code, amount }, signal);
    const startedMs = performance.now();
    // The charge may appear after the order command exits.
    for (;;) {
      const view = await find();
      if (view !== undefined) {
        this.#hasOwnCodes = view.code === code;
        return { code, id: view.id, resource: resourceOf(view) };
      }
      if (performance.now() - startedMs > LATE_CHARGE_MS)
        throw new OrderError(
          `The order command for ${code} finished, but no charge was created at ${control.url}. Check ` +
            'that the application uses SANDBOX_BASE_URL.',
        );
      await sleep(LATE_CHARGE_GAP_MS, signal);
    }
  }
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof SandboxError)) throw error;
}

function resourceOf(view: ChargeView): ChargeResource {
  const own = Object.entries(view).filter(([name]) => Object.hasOwn(CHARGE.fields, name));
  return Object.fromEntries(own) as ChargeResource;
}
