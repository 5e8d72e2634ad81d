import type { ChargeStatus, WithdrawalStatus } from '../contract/transitions.js';
import type { FailureReason } from '../contract/failure-reasons.js';
import type { ControlClient } from '../client/control.js';
import type { NewCharge, NewWithdrawal } from '../client/routes.js';
import type { ListLimit } from './options.js';
import { checkedOptions, LIMIT, TEXT } from './options.js';

/** The application, by id or name; by default the default one. */
export interface OfApp {
  readonly app?: string | undefined;
}

/** The application that a verb acts for. Throws TypeError for unknown options. */
export function ofApp(what: string, options: OfApp): OfApp {
  return checkedOptions(what, options, { app: TEXT });
}

/** Why it failed: an SPI code such as `AC03`. */
export interface WithReason {
  readonly reason?: FailureReason | undefined;
}

/** The payer's side of charges (§3). A charge is named by its id or code. Every method rejects with SandboxError. */
export function chargeVerbs(control: ControlClient) {
  const move = (what: 'settle' | 'expire') => (idOrCode: string) =>
    control.post(`charges/:id/${what}`, { id: idOrCode });
  return {
    create: async (fields: NewCharge = {}, options: OfApp = {}) =>
      control.post('charges', { ...ofApp('charges.create', options), body: fields }),
    get: (idOrCode: string) => control.get('charges/:id', { id: idOrCode }),
    list: async (options: { status?: ChargeStatus } & ListLimit = {}) =>
      control.list('charges', checkedOptions('charges.list', options, { status: TEXT, limit: LIMIT })),
    /** The payer pays: `pix.settled`. */
    settle: move('settle'),
    /** The payment fails: `pix.failed`. */
    fail: async (idOrCode: string, options: WithReason = {}) =>
      control.post('charges/:id/fail', {
        id: idOrCode,
        body: checkedOptions('charges.fail', options, { reason: TEXT }),
      }),
    /** The charge expires now: `pix.expired`. */
    expire: move('expire'),
  };
}

/** The bank's side of withdrawals (§3). A withdrawal is named by its id or code. Every method rejects with SandboxError. */
export function withdrawalVerbs(control: ControlClient) {
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
    create: async (fields: NewWithdrawal = {}, options: OfApp = {}) =>
      control.post('withdrawals', { ...ofApp('withdrawals.create', options), body: fields }),
    get: (idOrCode: string) => control.get('withdrawals/:id', { id: idOrCode }),
    list: async (options: { status?: WithdrawalStatus } & ListLimit = {}) =>
      control.list(
        'withdrawals',
        checkedOptions('withdrawals.list', options, { status: TEXT, limit: LIMIT }),
      ),
    process: move('process'),
    /** The network settles it: `withdrawal.settled`. */
    settle: move('settle'),
    /** It is rejected before it settles: `withdrawal.failed`. */
    fail: end('fail'),
    /** The destination bank returns it after it settled: `withdrawal.failed`. */
    return: end('return'),
  };
}
