import { organizationByToken } from '../../core/identity/organizations.js';
import type { Organization } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Answer, DoorContext } from '../operation/answer.js';
import { bearerToken } from '../operation/bearer.js';
import { answerCall } from '../operation/calls.js';
import type { RateLimiter } from './rate-limit.js';
import { rateLimited } from './rate-limit.js';

/** An authorised request of an organization. */
export interface IdentityCaller {
  readonly organization: Organization;
  /** The origin of the hosted pages. */
  readonly hostedUrl: string;
  readonly body: Buffer;
  readonly header: (name: string) => string | undefined;
  readonly param: (name: string) => string;
  /** Adds a warning to the call log about something accepted but probably not meant. */
  readonly warn: (warning: string) => void;
}

/** What the door needs besides the sandbox. */
export interface IdentityDoor {
  readonly hostedUrl: () => string;
  readonly limiter: RateLimiter | undefined;
}

/**
 * Runs one operation: size, whether identity is on, credential, limit of calls, then the operation's own rules, in this
 * order (§5.4, §7). The result or error is answered in JSON and kept in the call log.
 */
export function perform(
  sandbox: Sandbox,
  c: DoorContext,
  { hostedUrl, limiter }: IdentityDoor,
  handle: (sandbox: Sandbox, caller: IdentityCaller) => Answer,
): Response | Promise<Response> {
  return answerCall(sandbox, c, 'identity', async (findings) => {
    const body = await findings.readBody();
    const { world } = sandbox;
    const token = bearerToken(c.req.header('authorization'));
    const organization = organizationByToken(world, token);
    findings.appId = world.apps.rows.find((app) => app.organizationId === organization.id)?.id ?? null;
    const afterS = limiter?.count(organization.id, sandbox.realNow());
    if (afterS !== undefined) {
      findings.errorHeaders = { 'retry-after': String(afterS) };
      throw rateLimited(afterS);
    }
    return findings.because(() =>
      handle(sandbox, {
        organization,
        hostedUrl: hostedUrl(),
        body,
        header: (name) => c.req.header(name),
        param: (name) => c.req.param(name) ?? '',
        warn: (warning) => findings.warnings.push(warning),
      }),
    );
  });
}
