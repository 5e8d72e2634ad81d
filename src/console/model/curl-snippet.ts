import { callAgain, type CurlScheme } from '../../text/shell/curl.js';

/** Commands for a shell that create the charge of the guides, signed with the secrets of the environment. */
export function curlSnippet(env: Readonly<Record<string, string>>, scheme: CurlScheme): string {
  const charge = { code: 'first-charge', account_id: env['SANDBOX_ACCOUNT_ID'], amount: '10.00' };
  const body = JSON.stringify(charge);
  const request = {
    headers: [['content-type', 'application/json']] as const,
    body,
    body_bytes: body.length,
    truncated: false,
    redacted: false,
  };
  const call = { door: 'api', method: 'POST', path: '/api/public/v1/pix', request };
  const again = callAgain(call, env['SANDBOX_BASE_URL'] ?? '', scheme);
  return `eval "$(npx sandbox env --format shell)"\n${'script' in again ? again.script : ''}\n`;
}
