import type { ControlClient } from '../client/control.js';
import type { ChargeStatus, ChargeView, WithdrawalStatus, WithdrawalView } from '../shapes.js';
import { checkedOptions, LIMIT, TEXT } from './options.js';
import type { ListLimit, OfApp, WithReason } from './verb-options.js';

type Metadata = Readonly<Record<string, string>>;

/** The fields of a new charge (§4.1); the others get defaults. Amounts are decimal strings such as `10.00`. */
export interface ChargeFields {
  readonly code?: string | undefined;
  readonly account_id?: string | undefined;
  readonly amount?: string | undefined;
  readonly payer_name?: string | undefined;
  readonly payer_document?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

/** The fields of a new withdrawal (§2.2); the others get defaults. */
export interface WithdrawalFields {
  readonly code?: string | undefined;
  readonly account_id?: string | undefined;
  readonly amount?: string | undefined;
  readonly pix_key?: string | undefined;
  readonly beneficiary_document?: string | undefined;
  readonly beneficiary_name?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

/** The application that a verb acts for. Throws TypeError for unknown options. @internal */
export function ofApp(what: string, options: OfApp): OfApp {
  return checkedOptions(what, options, { app: TEXT });
}

const LIST_KINDS = { status: TEXT, app: TEXT, limit: LIMIT };

/** The payer's side of charges (§3). A charge is named by its id or code, or by four digits or more that begin its id alone. Every method rejects with SandboxError. */
export interface ChargeVerbs {
  readonly create: (fields?: ChargeFields, options?: OfApp) => Promise<ChargeView>;
  readonly get: (idOrCode: string) => Promise<ChargeView>;
  readonly list: (options?: { readonly status?: ChargeStatus } & OfApp & ListLimit) => Promise<ChargeView[]>;
  /** The payer pays: `pix.settled`. */
  readonly settle: (idOrCode: string) => Promise<ChargeView>;
  /** The payment fails: `pix.failed`. */
  readonly fail: (idOrCode: string, options?: WithReason) => Promise<ChargeView>;
  /** The charge expires now: `pix.expired`. */
  readonly expire: (idOrCode: string) => Promise<ChargeView>;
}

/** @internal */
export function chargeVerbs(control: ControlClient): ChargeVerbs {
  const move = (what: 'settle' | 'expire') => (idOrCode: string) =>
    control.post(`charges/:id/${what}`, { id: idOrCode });
  return {
    create: async (fields = {}, options = {}) =>
      control.post('charges', { ...ofApp('charges.create', options), body: fields }),
    get: (idOrCode) => control.get('charges/:id', { id: idOrCode }),
    list: async (options = {}) =>
      control.list('charges', checkedOptions('charges.list', options, LIST_KINDS)),
    settle: move('settle'),
    fail: async (idOrCode, options = {}) =>
      control.post('charges/:id/fail', {
        id: idOrCode,
        body: checkedOptions('charges.fail', options, { reason: TEXT }),
      }),
    expire: move('expire'),
  };
}

/** The bank's side of withdrawals (§3). A withdrawal is named as a charge is. Every method rejects with SandboxError. */
export interface WithdrawalVerbs {
  readonly create: (fields?: WithdrawalFields, options?: OfApp) => Promise<WithdrawalView>;
  readonly get: (idOrCode: string) => Promise<WithdrawalView>;
  readonly list: (
    options?: { readonly status?: WithdrawalStatus } & OfApp & ListLimit,
  ) => Promise<WithdrawalView[]>;
  readonly process: (idOrCode: string) => Promise<WithdrawalView>;
  /** The network settles it: `withdrawal.settled`. */
  readonly settle: (idOrCode: string) => Promise<WithdrawalView>;
  /** It is rejected before it settles: `withdrawal.failed`. */
  readonly fail: (idOrCode: string, options?: WithReason) => Promise<WithdrawalView>;
  /** The destination bank returns it after it settled: `withdrawal.failed`. */
  readonly return: (idOrCode: string, options?: WithReason) => Promise<WithdrawalView>;
}

/** @internal */
export function withdrawalVerbs(control: ControlClient): WithdrawalVerbs {
  const move = (what: 'process' | 'settle') => (idOrCode: string) =>
    control.post(`withdrawals/:id/${what}`, { id: idOrCode });
  const end =
    (what: 'fail' | 'return') =>
    async (idOrCode: string, options: WithReason = {}) =>
      control.post(`withdrawals/:id/${what}`, {
        id: idOrCode,
        body: checkedOptions(`withdrawals.${what}`, options, { reason: TEXT }),
      });
  return {
    create: async (fields = {}, options = {}) =>
      control.post('withdrawals', { ...ofApp('withdrawals.create', options), body: fields }),
    get: (idOrCode) => control.get('withdrawals/:id', { id: idOrCode }),
    list: async (options = {}) =>
      control.list('withdrawals', checkedOptions('withdrawals.list', options, LIST_KINDS)),
    process: move('process'),
    settle: move('settle'),
    fail: end('fail'),
    return: end('return'),
  };
}
