import type { CustomerType } from '../../contract/customer-types.js';
import type { SessionDecision, SessionStatus } from '../../contract/transitions.js';
import { isDecision } from '../../contract/transitions.js';

/** A person's or a company's way through the verification (§2.7). */
export interface IdentitySession {
  readonly ordinal: number;
  /** A credential of limited scope: whoever logs it shortens it. */
  readonly id: string;
  readonly organizationId: string;
  readonly customerType: CustomerType;
  readonly idempotencyKey: string | null;
  /** The registered origin that embeds or opened the page, for a session that began there without a server. */
  readonly embedOrigin: string | null;
  /** Shows that a form came from the session's own page. */
  readonly formToken: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The decision as soon as it was made; the result shows it from `readableAt` on. */
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

/** What becomes of every session by itself, and after how many milliseconds it can be read. */
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

/** What is known to those who may not know of a decision yet: the state without what cannot be read at `now`. */
export function visibleStatus(session: IdentitySession, now: number): SessionStatus {
  if (hasLapsed(session, now)) return 'expired';
  if (session.readableAt === null || session.readableAt <= now) return session.status;
  return session.wasReviewed ? 'under_review' : 'IN_PROGRESS';
}

const SHOWN_OF_ID = 12;

/** A session's id as logs may show it: enough to recognise and to find it by, too little to use. */
export function shortSessionId(id: string): string {
  return id.length <= SHOWN_OF_ID ? id : `${id.slice(0, SHOWN_OF_ID)}…`;
}

/** A text, such as the target of a request, with every session id in it shortened. */
export function shortenSessionIds(text: string): string {
  return text.replaceAll(/(?<=\/sessions?\/)[^/?#]+|kyc_[0-9a-f]+/g, shortSessionId);
}
