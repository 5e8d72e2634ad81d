import type { IdentitySession } from '../../core/identity/session.js';

/** Where a browser opens a session (§4.12). */
export function hostedSessionUrl(hostedUrl: string, { id }: IdentitySession): string {
  return `${hostedUrl}/session/${id}`;
}
