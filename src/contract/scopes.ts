/** What an application may be allowed (§5). */
export const SCOPES = [
  'pix:write',
  'pix:read',
  'withdrawals:read',
  'webhooks:write',
  'webhooks:read',
] as const;
export type Scope = (typeof SCOPES)[number];
