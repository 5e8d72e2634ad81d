import type { ControlClient } from '../client/control.js';
import type { CustomerType, SessionDecision, SessionResult, SessionStatus, SessionView } from '../shapes.js';
import { checkedOptions, LIMIT, TEXT } from './options.js';
import type { ListLimit, OfApp } from './verb-options.js';

/** A decision, readable after `delay` (a duration of sandbox time such as `5m`), or an error of the page. */
export type Decision =
  | {
      readonly status: SessionDecision;
      readonly document?: string | undefined;
      readonly delay?: string | undefined;
    }
  | { readonly error: string };

/** Identity sessions as the tester sees them (§2.7, §3). Every method rejects with SandboxError. */
export interface KycVerbs {
  readonly create: (options?: { readonly customer_type?: CustomerType } & OfApp) => Promise<SessionView>;
  readonly get: (id: string) => Promise<SessionView>;
  readonly list: (
    options?: { readonly status?: SessionStatus } & OfApp & ListLimit,
  ) => Promise<SessionView[]>;
  /** `decide(id, 'approved')`, or with more to say about it. */
  readonly decide: (id: string, decision: SessionDecision | Decision) => Promise<SessionView>;
  /** What the partner's server would read now (§4.11); rejects with NOT_TERMINAL before a decision can be read. */
  readonly result: (id: string) => Promise<SessionResult>;
}

/** @internal */
export function kycVerbs(control: ControlClient): KycVerbs {
  return {
    create: async (options = {}) => {
      const kinds = { customer_type: TEXT, app: TEXT };
      const { customer_type, app } = checkedOptions('kyc.create', options, kinds);
      return control.post('kyc/sessions', { app, body: { customer_type } });
    },
    get: (id) => control.get('kyc/sessions/:id', { id }),
    list: async (options = {}) =>
      control.list(
        'kyc/sessions',
        checkedOptions('kyc.list', options, { status: TEXT, app: TEXT, limit: LIMIT }),
      ),
    decide: (id, decision) =>
      control.post('kyc/sessions/:id/decide', {
        id,
        body: typeof decision === 'string' ? { status: decision } : decision,
      }),
    result: (id) => control.get('kyc/sessions/:id/result', { id }),
  };
}
