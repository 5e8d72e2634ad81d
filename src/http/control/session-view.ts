import type { IdentitySession } from '../../core/identity/session.js';
import { shortSessionId, visibleStatus } from '../../core/identity/session.js';
import { isoTime } from '../../contract/time.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { hostedSessionUrl } from '../operation/page-urls.js';
import type { SessionLine, SessionView } from './schema.js';

/** A session as streams and logs may show it: its id, which is a credential, is shortened. */
export function sessionLine(sandbox: Sandbox, session: IdentitySession): SessionLine {
  return { ...viewOf(sandbox, session), id: shortSessionId(session.id) };
}

/** A session as the control API shows it, with the address of its page. */
export function sessionView(sandbox: Sandbox, session: IdentitySession, hostedUrl: string): SessionView {
  return { ...viewOf(sandbox, session), url: hostedSessionUrl(hostedUrl, session) };
}

/** `status` shows a decision as soon as it is made, `visible_status` only once a partner's server can read it. */
function viewOf(sandbox: Sandbox, session: IdentitySession): SessionLine {
  return {
    id: session.id,
    organization_id: session.organizationId,
    customer_type: session.customerType,
    status: session.status,
    visible_status: visibleStatus(session, sandbox.clock.now()),
    created_at: isoTime(session.createdAt),
    expires_at: isoTime(session.expiresAt),
    decided_at: session.decidedAt === null ? null : isoTime(session.decidedAt),
    readable_at: session.readableAt === null ? null : isoTime(session.readableAt),
    name: session.name,
    document: session.document,
    euid: session.euid,
    error: session.error,
    embed_origin: session.embedOrigin,
  };
}
