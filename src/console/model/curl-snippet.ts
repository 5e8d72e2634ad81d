import { callScript } from '../../text/shell/again.js';
import type { CurlScheme } from '../../text/shell/again.js';

/** Commands for a shell that create the charge of the guides, signed with the secrets of the environment. */
export function curlSnippet(env: Readonly<Record<string, string>>, scheme: CurlScheme): string {
  const charge = { code: 'first-charge', account_id: env['SANDBOX_ACCOUNT_ID'], amount: '10.00' };
  const call = callScript({
    door: 'api',
    method: 'POST',
    path: '/api/public/v1/pix',
    headers: [['content-type', 'application/json']],
    origin: env['SANDBOX_BASE_URL'] ?? '',
    body: new TextEncoder().encode(JSON.stringify(charge)),
    scheme,
  });
  return `eval "$(npx sandbox env --format shell)"\n${call?.script ?? ''}\n`;
}
