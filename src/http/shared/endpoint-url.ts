import { Refusal } from '../../contract/refusals.js';
import { checkDestination } from '../../delivery/destination.js';
import type { Sandbox } from '../../sandbox/sandbox.js';

/** Normalizes a URL for registration; throws ENDPOINT_URL_NOT_ALLOWED (§8). */
export async function checkEndpointUrl(sandbox: Sandbox, url: string): Promise<string> {
  const checked = await checkDestination(url, sandbox.policy);
  if (checked.ok) return checked.url;
  throw new Refusal('ENDPOINT_URL_NOT_ALLOWED', checked.reason, {
    hint:
      'For local development, `npx sandbox listen --forward-to …` requires no endpoint. To register a ' +
      'local endpoint, use `start --route https://shop.example=http://localhost:3000` or ' +
      '`start --allow-local-endpoints`.',
  });
}
