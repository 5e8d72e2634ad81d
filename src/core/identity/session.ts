import { isDecision, type SessionStatus } from '../../contract/transitions.js';
import type { IdentitySession } from '../world.js';

export function isUndecided({ status }: IdentitySession): boolean {
  return !isDecision(status);
}

/** Returns true if the session timed out without a decision. */
export function hasLapsed(session: IdentitySession, now: number): boolean {
  return session.decidedAt === null && now >= session.expiresAt;
}

/** Returns the public status at `now`, hiding decisions that aren't readable yet. */
export function getVisibleStatus(session: IdentitySession, now: number): SessionStatus {
  if (hasLapsed(session, now)) return 'expired';
  if (session.readableAt === null || session.readableAt <= now) return session.status;
  return session.wasReviewed ? 'under_review' : 'IN_PROGRESS';
}

const SHOWN_OF_ID = 12;

/**
 * Shortens a session id for logs, so the id still identifies the session but cannot be used as a credential.
 */
export function shortenSessionId(id: string): string {
  return id.length <= SHOWN_OF_ID ? id : `${id.slice(0, SHOWN_OF_ID)}…`;
}

export function shortenSessionIdsOf(body: string): string {
  return body.includes('kyc_') ? body.replaceAll(/kyc_[0-9a-f]+/g, shortenSessionId) : body;
}

/** Shortens every session id in a string, e.g. a request target. */
export function shortenSessionIds(text: string): string {
  if (!text.includes('kyc_') && !text.includes('/session')) return text;
  return text.replaceAll(/(?<=\/sessions?\/)[^/?#]+|kyc_[0-9a-f]+/g, shortenSessionId);
}
