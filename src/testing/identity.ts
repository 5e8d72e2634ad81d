import type { CustomerType } from '../contract/customer-types.js';
import type { SessionDecision, SessionStatus } from '../contract/transitions.js';
import type { ControlClient } from '../client/control.js';
import type { ListLimit } from './options.js';
import { checkedOptions, LIMIT, TEXT } from './options.js';
import type { OfApp } from './payments.js';

/** A decision, readable after `delay` (a duration of sandbox time such as `5m`), or an error of the page. */
export type Decision =
  | {
      readonly status: SessionDecision;
      readonly document?: string | undefined;
      readonly delay?: string | undefined;
    }
  | { readonly error: string };

/** Identity sessions as the tester sees them (§2.7, §3). Every method rejects with SandboxError. */
export function kycVerbs(control: ControlClient) {
  return {
    create: async (options: { customer_type?: CustomerType } & OfApp = {}) => {
      const kinds = { customer_type: TEXT, app: TEXT };
      const { customer_type, app } = checkedOptions('kyc.create', options, kinds);
      return control.post('kyc/sessions', { app, body: { customer_type } });
    },
    get: (id: string) => control.get('kyc/sessions/:id', { id }),
    list: async (options: { status?: SessionStatus } & ListLimit = {}) =>
      control.list('kyc/sessions', checkedOptions('kyc.list', options, { status: TEXT, limit: LIMIT })),
    /** `decide(id, 'approved')`, or with more to say about it. */
    decide: (id: string, decision: SessionDecision | Decision) =>
      control.post('kyc/sessions/:id/decide', {
        id,
        body: typeof decision === 'string' ? { status: decision } : decision,
      }),
    /** What the partner's server would read now (§4.11); rejects with NOT_TERMINAL before a decision can be read. */
    result: (id: string) => control.get('kyc/sessions/:id/result', { id }),
  };
}
