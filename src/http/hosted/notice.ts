import type { IdentitySession } from '../../core/identity/session.js';
import type { Outcome } from './texts.js';

/** Marks the messages of the hosted pages among all messages to a page. */
export const MESSAGE_TYPE = 'pix-sandbox:identity';

/** The message of a hosted page to the page that opened or embeds it: a hint, never the decision (§6 rule 5). */
export type Notice =
  | { readonly type: typeof MESSAGE_TYPE; readonly event: 'success' | 'review'; readonly sessionId: string }
  | {
      readonly type: typeof MESSAGE_TYPE;
      readonly event: 'error';
      readonly sessionId: string | null;
      readonly error: { readonly code: string; readonly message: string };
      /** False if the person may try again. */
      readonly isFinal: boolean;
    };

/** A notice and the only registered origin that may get it. */
export interface Telling {
  readonly origin: string;
  readonly notice: Notice;
}

const ERROR_CODES = { rejected: 'REJECTED', cancelled: 'CANCELLED', expired: 'EXPIRED' } as const;

/** The outcome of a session, or the error that its page reports; undefined while it is under way. */
export function outcomeOf({ status, error }: IdentitySession): Outcome | undefined {
  if (status === 'CREATED' || status === 'IN_PROGRESS') return error === null ? undefined : 'error';
  return status;
}

/** Approval is a success and a review is a review; every other outcome is an error with a code. */
export function noticeOf({ id, error }: IdentitySession, outcome: Outcome, message: string): Notice {
  if (outcome === 'approved') return { type: MESSAGE_TYPE, event: 'success', sessionId: id };
  if (outcome === 'under_review') return { type: MESSAGE_TYPE, event: 'review', sessionId: id };
  const code = outcome === 'error' ? (error ?? 'UNKNOWN') : ERROR_CODES[outcome];
  const isFinal = outcome !== 'error';
  return { type: MESSAGE_TYPE, event: 'error', sessionId: id, error: { code, message }, isFinal };
}

/** For a page without a session. */
export function errorNotice(code: string, message: string): Notice {
  return { type: MESSAGE_TYPE, event: 'error', sessionId: null, error: { code, message }, isFinal: true };
}
