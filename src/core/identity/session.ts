import type { CustomerType } from '../../contract/enums.js';
import type { SessionDecision, SessionStatus } from '../../contract/transitions.js';
import { isDecision } from '../../contract/transitions.js';

/** A person's or a company's way through the verification (§2.7). */
export interface IdentitySession {
  readonly ordinal: number;
  /** A credential of limited scope: logs must shorten it. */
  readonly id: string;
  readonly organizationId: string;
  readonly customerType: CustomerType;
  readonly idempotencyKey: string | null;
  /** The registered origin that embeds or opened the page, for a session that began there without a server. */
  readonly embedOrigin: string | null;
  /** Proves that a form came from the session's own page. */
  readonly formToken: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Set as soon as the decision is made; the result shows it from `readableAt` on. */
  status: SessionStatus;
  name: string | null;
  document: string | null;
  euid: string | null;
  /** The code that the page reports by onError; the session stays undecided. */
  error: string | null;
  /** Null for a session that lapsed. */
  decidedAt: number | null;
  readableAt: number | null;
  /** The result was under_review before, and stays so until the final decision can be read. */
  wasReviewed: boolean;
}

/** The automatic decision for every session, and the milliseconds until it can be read. */
export interface AutoDecision {
  readonly status: SessionDecision;
  readonly delayMs: number;
}

export function isUndecided({ status }: IdentitySession): boolean {
  return !isDecision(status);
}

/** Whether its time ran out, as opposed to a decision that says expired. */
export function hasLapsed(session: IdentitySession, now: number): boolean {
  return session.decidedAt === null && now >= session.expiresAt;
}

/** The public state at `now`, without a decision that cannot be read yet. */
export function visibleStatus(session: IdentitySession, now: number): SessionStatus {
  if (hasLapsed(session, now)) return 'expired';
  if (session.readableAt === null || session.readableAt <= now) return session.status;
  return session.wasReviewed ? 'under_review' : 'IN_PROGRESS';
}

const SHOWN_OF_ID = 12;

/** A session's id as logs may show it: long enough to find the session, too short to use as a credential. */
export function shortSessionId(id: string): string {
  return id.length <= SHOWN_OF_ID ? id : `${id.slice(0, SHOWN_OF_ID)}…`;
}

/** The text of a body with every session id in it shortened. */
export function shortenSessionIdsOf(body: string): string {
  return body.includes('kyc_') ? body.replaceAll(/kyc_[0-9a-f]+/g, shortSessionId) : body;
}

/** A text, such as the target of a request, with every session id in it shortened. */
export function shortenSessionIds(text: string): string {
  if (!text.includes('kyc_') && !text.includes('/session')) return text;
  return text.replaceAll(/(?<=\/sessions?\/)[^/?#]+|kyc_[0-9a-f]+/g, shortSessionId);
}
