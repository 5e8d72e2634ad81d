import { WELL_KNOWN_CREDENTIALS } from '../../../src/sandbox/credentials.js';
import type { AnswerBody, Sent, TestApi } from './api-client.js';

export const KYC_API = '/api/v1/kyc';

/** The fields of the identity API's answers. */
export interface SessionBody extends AnswerBody {
  readonly sessionId: string;
  readonly customerType: string;
  readonly url: string;
  readonly expiresAt: string;
  readonly euid?: string;
}

export interface IdentityAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: SessionBody;
}

/** Calls an operation of the identity API, by default with the default organization's credential; null sends none. */
export async function identityCall(
  api: TestApi,
  method: string,
  path: string,
  {
    token = WELL_KNOWN_CREDENTIALS.kycToken,
    ...sent
  }: Omit<Sent, 'sign' | 'caller'> & { token?: string | null } = {},
): Promise<IdentityAnswer> {
  const caller = token === null ? null : { token, signingSecret: '' };
  const answer = await api.send(method, KYC_API + path, { ...sent, sign: false, caller });
  return { ...answer, body: answer.body as SessionBody };
}

let keys = 0;

export function newKey(): string {
  keys += 1;
  return `key-of-a-test-${String(keys).padStart(6, '0')}`;
}

/** Creates a session; the answer whatever it is. */
export function createSession(
  api: TestApi,
  fields: { readonly key?: string | null; readonly body?: unknown; readonly token?: string | null } = {},
): Promise<IdentityAnswer> {
  const { key = newKey(), body = { customerType: 'individual' }, ...rest } = fields;
  return identityCall(api, 'POST', '/sessions', { body, headers: { 'idempotency-key': key }, ...rest });
}

export async function sessionIdOf(api: TestApi): Promise<string> {
  return (await createSession(api)).body.sessionId;
}

export function readResult(api: TestApi, sessionId: string, token?: string | null): Promise<IdentityAnswer> {
  return identityCall(api, 'GET', `/sessions/${sessionId}/result`, token === undefined ? {} : { token });
}

/** An application in an organization of its own: its tokens for payments and for identity. */
export async function otherOrganization(api: TestApi, fields: object = {}) {
  const { body } = await api.control('POST', 'apps', { organization: 'other', ...fields });
  return { token: String(body['token']), kycToken: body['kyc_token'] };
}
