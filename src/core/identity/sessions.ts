import type { Delay } from '../../contract/delay.js';
import { scheduleItem } from '../agenda.js';
import { drawDelay } from '../delays.js';
import { normalizeDocument } from '../payments/documents.js';
import type { ApplyStep } from '../effects.js';
import { computeHash128, toHex } from '../ids.js';
import { checkKycEnabled, findOrganizationByKey, isOriginAllowed } from './applications.js';
import { requireFound, Refusal } from '../../contract/refusals.js';
import { CUSTOMER_TYPES, type CustomerType } from '../../contract/enums.js';
import { hasLapsed, isUndecided, getVisibleStatus } from './session.js';
import { LAST_INSTANT_MS } from '../../contract/time.js';
import {
  checkMove,
  isDecision,
  type SessionDecision,
  type SessionStatus,
} from '../../contract/transitions.js';
import type { IdentitySession, Organization, World } from '../world.js';
import { insertRow, setStatus } from '../table.js';

/** Input for a new session. The id and form token are secrets generated outside the core. */
export interface NewSession {
  readonly organizationId: string;
  readonly sessionId: string;
  readonly formToken: string;
  readonly customerType: CustomerType;
  /** Idempotency key (§4.10), or null. */
  readonly idempotencyKey: string | null;
}

interface PublicSession extends Pick<NewSession, 'sessionId' | 'formToken' | 'customerType'> {
  readonly publishableKey: string;
  readonly origin: string;
}

/**
 * Known details of the person or company being verified. `document` is a CPF or CNPJ, with or without
 * punctuation.
 */
export interface SessionPerson {
  readonly name?: string | null | undefined;
  readonly document?: string | null | undefined;
}

/** Decision, or an error code reported by the page. An error leaves the session undecided. */
export interface DecisionInput {
  readonly status?: SessionDecision | undefined;
  readonly document?: string | null | undefined;
  /** Delay until the decision is readable; until then, the result is NOT_TERMINAL. */
  readonly delayMs?: Delay | undefined;
  readonly error?: string | null | undefined;
}

/** Creates a session, or returns the idempotency key's existing session with `created: false`. */
export function createSession(
  step: ApplyStep,
  input: NewSession,
): { readonly session: IdentitySession; readonly created: boolean } {
  const { world } = step;
  checkKycEnabled(world);
  const { organizationId, idempotencyKey } = input;
  const found = world.organizations.byId.get(organizationId);
  const organization = requireFound(found, `organization ${organizationId}`);
  const earlier = idempotencyKey === null ? undefined : organization.sessionsByKey.get(idempotencyKey);
  if (earlier === undefined) {
    return { session: addSession(step, organization, input, idempotencyKey, null), created: true };
  }
  if (earlier.customerType !== input.customerType) {
    throw new Refusal(
      'IDEMPOTENCY_KEY_REUSED',
      'The Idempotency-Key was used for an earlier request with a different body.',
      {
        details: [
          { field: 'customerType', message: `Must be ${earlier.customerType}, as in the earlier request.` },
        ],
        hint: 'Send the same body to repeat a request; use a new key for a new attempt.',
      },
    );
  }
  return { session: earlier, created: false };
}

/**
 * Creates a session in publishable-key mode. Throws UNAUTHENTICATED for an unknown key and FORBIDDEN for an
 * unregistered origin.
 */
export function createPublicSession(step: ApplyStep, input: PublicSession): IdentitySession {
  const { world } = step;
  const organization = findOrganizationByKey(world, input.publishableKey);
  if (!isOriginAllowed(world, input.origin, organization.id)) {
    throw new Refusal('FORBIDDEN', `The origin ${input.origin.slice(0, 80)} is not registered.`, {
      hint: 'Register the origin with `start --origin https://shop.example`.',
    });
  }
  return addSession(step, organization, input, null, input.origin);
}

function addSession(
  step: ApplyStep,
  organization: Organization,
  { sessionId, formToken, customerType }: Pick<NewSession, 'sessionId' | 'formToken' | 'customerType'>,
  idempotencyKey: string | null,
  embedOrigin: string | null,
): IdentitySession {
  const { world, now } = step;
  if (world.sessions.byId.has(sessionId))
    throw new Refusal('INVALID_REQUEST', 'The session id is already in use.');
  const session = insertRow<IdentitySession>(world.sessions, {
    ordinal: world.sessions.rows.length,
    id: sessionId,
    organizationId: organization.id,
    customerType,
    idempotencyKey,
    embedOrigin,
    formToken,
    createdAt: now,
    expiresAt: Math.min(now + world.assumed['session.lifetime'], LAST_INSTANT_MS),
    status: 'CREATED',
    name: null,
    document: null,
    euid: null,
    error: null,
    decidedAt: null,
    readableAt: null,
    wasReviewed: false,
  });
  if (idempotencyKey !== null) organization.sessionsByKey.set(idempotencyKey, session);
  scheduleItem(world.agenda, session.expiresAt, 'session.lapse', session.ordinal);
  step.effects.push({ type: 'session', session, from: null, to: session.status });
  if (world.kycAuto !== null) decideSession(step, session, world.kycAuto);
  return session;
}

export function beginSession(
  step: ApplyStep,
  session: IdentitySession,
  { name, document }: SessionPerson,
): void {
  const bare = bareDocument(document);
  checkMove('session', 'begin', session.status);
  session.name = name ?? session.name;
  session.document = bare ?? session.document;
  session.error = null;
  changeStatus(step, session, 'IN_PROGRESS');
}

/** Applies a decision allowed by the transition table (§3), or records an error reported by the page. */
export function decideSession(step: ApplyStep, session: IdentitySession, input: DecisionInput): void {
  const { world, now } = step;
  const document = bareDocument(input.document) ?? session.document;
  const { status, error, delayMs: delay = 0 } = input;
  if (error !== undefined && error !== null) return failOnPage(step, session, error);
  if (status === undefined) throw new Refusal('INVALID_REQUEST', 'A decision requires a status or an error.');
  checkReadable(session, status, now);
  checkMove('session', status, session.status);
  session.wasReviewed = session.status === 'under_review';
  session.document = document;
  session.euid = status === 'approved' ? createEuid(world, session) : null;
  session.error = null;
  session.decidedAt = now;
  const delayMs = drawDelay(world, delay, 'decisionDelay', [session.ordinal, Number(session.wasReviewed)]);
  const readableAt = Math.min(now + delayMs, LAST_INSTANT_MS);
  session.readableAt = readableAt;
  if (readableAt > now) scheduleItem(world.agenda, readableAt, 'session.decide', session.ordinal);
  changeStatus(step, session, status);
}

function failOnPage(step: ApplyStep, session: IdentitySession, error: string): void {
  if (!isUndecided(session)) {
    throw new Refusal(
      'INVALID_TRANSITION',
      `A session with the status ${session.status} can no longer report an error.`,
    );
  }
  session.error = error;
  changeStatus(step, session, session.status);
}

function checkReadable({ readableAt }: IdentitySession, status: SessionDecision, now: number): void {
  if (readableAt === null || readableAt <= now) return;
  throw new Refusal('INVALID_TRANSITION', `The session is already decided and cannot become ${status}.`, {
    hint: 'The decision is not readable yet; `npx sandbox clock next` advances the clock until it is.',
  });
}

export function announceReadable(step: ApplyStep, session: IdentitySession): void {
  changeStatus(step, session, session.status);
}

function changeStatus(step: ApplyStep, session: IdentitySession, to: SessionStatus): void {
  const from = session.status;
  setStatus(step.world.sessions, session, to);
  step.effects.push({ type: 'session', session, from, to });
}

/** Expires a timed-out session, leaving `decidedAt` null. */
export function expireSession(step: ApplyStep, session: IdentitySession): void {
  checkMove('session', 'expired', session.status);
  session.error = null;
  changeStatus(step, session, 'expired');
}

/** Returns the result for a partner's server (§4.11); `euid` is null unless approved. */
export function readSessionResult(world: World, sessionId: string, now: number) {
  const session = findSession(world, sessionId);
  const status = getVisibleStatus(session, now);
  if (!isDecision(status)) {
    throw new Refusal('NOT_TERMINAL', 'The verification has no final decision yet.', {
      hint: 'Poll again with capped exponential backoff; `npx sandbox kyc decide` decides the session.',
    });
  }
  if (hasLapsed(session, now) && world.assumed['session.lapsed_result'] === '410') {
    throw new Refusal('SESSION_EXPIRED', 'The session expired without a decision.', {
      hint: 'Create a session with a new Idempotency-Key. Change the lifetime with --assume session.lifetime=2h.',
    });
  }
  return { sessionId, status, euid: status === 'approved' ? session.euid : null };
}

/** Finds a session by id. Throws NOT_FOUND for unknown sessions and sessions of other organizations (§7). */
export function findSession(world: World, id: string, organizationId?: string): IdentitySession {
  const session = world.sessions.byId.get(id);
  if (session !== undefined && (organizationId ?? session.organizationId) === session.organizationId)
    return session;
  throw new Refusal('NOT_FOUND', 'There is no such session.', {
    hint: 'Find the id with `npx sandbox kyc list`.',
  });
}

function bareDocument(document: string | null | undefined): string | null {
  if (document === undefined || document === null) return null;
  const bare = normalizeDocument(document);
  if (bare !== undefined) return bare;
  throw new Refusal('INVALID_REQUEST', 'Invalid fields: document.', {
    details: [{ field: 'document', message: 'Must be a CPF or CNPJ with valid check digits.' }],
  });
}

/**
 * Derives the euid from the customer type and document, or from the session's ordinal if no document is
 * known. The euid has at most 64 characters (§8).
 */
function createEuid(world: World, { customerType, document, ordinal }: IdentitySession): string {
  const values =
    document === null
      ? [CUSTOMER_TYPES.length, ordinal]
      : [
          CUSTOMER_TYPES.indexOf(customerType),
          ...Array.from(document, (character) => character.charCodeAt(0)),
        ];
  return `euid_${toHex(computeHash128(world.seed, 'euid', ...values))}`;
}
