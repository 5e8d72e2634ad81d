import { ownSession, sessionResult } from '../../core/identity/sessions.js';
import { SESSION } from '../../core/input/bodies.js';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { visibleStatus } from '../../core/identity/session.js';
import { isoTime } from '../../contract/time.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Answer } from '../operation/answer.js';
import { readServiceBody } from '../operation/service-body.js';
import { hostedSessionUrl } from '../operation/page-urls.js';
import type { IdentityCaller } from './call.js';
import type { CreatedSession, SessionResult } from './schema.js';

const { idempotencyKeyLengthMin, idempotencyKeyLengthMax } = LIMITS;
const IDEMPOTENCY_KEY = new RegExp(`^[ -~]{${idempotencyKeyLengthMin},${idempotencyKeyLengthMax}}$`);

function checkedKey(key: string | undefined): string {
  if (key !== undefined && IDEMPOTENCY_KEY.test(key)) return key;
  const wanted = `${idempotencyKeyLengthMin} to ${idempotencyKeyLengthMax} printable ASCII characters`;
  const message =
    key === undefined
      ? `The header Idempotency-Key is required: ${wanted}.`
      : `Idempotency-Key must have ${wanted}; got ${key.length}${/^[ -~]*$/.test(key) ? '' : ', not all of them such'}.`;
  throw new Refusal('INVALID_REQUEST', message, {
    hint: 'Draw a UUID for each attempt of a person, and send the same one when you repeat the request.',
  });
}

/** POST /sessions (§4.10): 201, or 200 with the current session for a key that already belongs to it. */
export function createSession(sandbox: Sandbox, caller: IdentityCaller): Answer<CreatedSession> {
  const idempotencyKey = checkedKey(caller.header('idempotency-key'));
  const body = readServiceBody(sandbox, caller.body, SESSION, caller.warn);
  const { session, created } = sandbox.dispatch({
    type: 'session.create',
    organizationId: caller.organization.id,
    idempotencyKey,
    ...body,
    ...sandbox.newSessionSecrets(),
  });
  return {
    status: created ? 201 : 200,
    body: {
      sessionId: session.id,
      customerType: session.customerType,
      status: visibleStatus(session, sandbox.clock.now()),
      url: hostedSessionUrl(caller.hostedUrl, session),
      expiresAt: isoTime(session.expiresAt),
    },
  };
}

/** GET /sessions/{sessionId}/result (§4.11): `euid` is set when the status is approved. */
export function readResult(sandbox: Sandbox, caller: IdentityCaller): Answer<SessionResult> {
  const { id } = ownSession(sandbox.world, caller.organization.id, caller.param('sessionId'));
  const { euid, ...result } = sessionResult(sandbox.world, id, sandbox.clock.now());
  return { status: 200, body: euid === null ? result : { ...result, euid } };
}
