import { Refusal } from '../../contract/refusals.js';
import type { App } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { REQUEST_HEADER_NAMES } from '../../signing/request.js';
import { type ServiceRequest, listSigningRules } from './checks.js';

/** Maximum bytes hashed per 401: enough to find single signing errors in a few milliseconds. */
const MAX_BYTES = 4_000_000;
/** Maximum number of webhook secrets tried per application, newest first. */
const MAX_ENDPOINTS = 5;
const SECRET_SOURCE = '`npx sandbox env` prints the secret as SANDBOX_SIGNING_SECRET.';

/**
 * Explains an invalid signature in the hint of the 401 response (§5.2); returns other errors unchanged. Loads
 * the diagnosis code on first use.
 */
export async function explainSignature(request: ServiceRequest<App>, refusal: Refusal): Promise<Refusal> {
  const { sandbox, c, method, target, bytes: body, caller: app } = request;
  const { code, message, details } = refusal;
  const isAboutSignature = code.startsWith('SIGNATURE_') || code === 'TIMESTAMP_OUT_OF_RANGE';
  if (!isAboutSignature || sandbox.strict) return refusal;
  const loaded = await import('../../signing/diagnosis/request.js').catch(() => undefined);
  if (loaded === undefined) return refusal;
  const { world, realNow } = sandbox;
  const others = world.apps.rows.filter((other) => other !== app);
  const findings = loaded.diagnoseRequest(
    {
      method,
      target,
      body,
      headers: {
        timestamp: c.req.header('x-timestamp'),
        nonce: c.req.header('x-nonce'),
        signature: c.req.header('x-signature'),
      },
      rawHeaders: c.env?.incoming?.rawHeaders ?? Object.entries(c.req.header()).flat(),
      host: c.req.header('host') ?? '',
    },
    {
      secret: app.signingSecret,
      otherSecrets: [
        ...others.map(({ name, signingSecret }) => ({ name, secret: signingSecret })),
        ...credentialsOf(sandbox, app),
      ],
      nowS: Math.floor(realNow() / 1000),
      ...listSigningRules(world.assumed),
      effort: 'singles',
      maxBytes: MAX_BYTES,
    },
  );
  const [finding] = findings;
  if (finding === undefined) return refusal;
  if (finding.id === 'header-missing') {
    const missing = REQUEST_HEADER_NAMES.map(([, name]) => name).filter((name) =>
      findings.some(({ id, did }) => id === 'header-missing' && did.startsWith(name)),
    );
    return new Refusal(code, message, { details, hint: missingHint(missing) });
  }
  const isPublished = app.signingSecret === sandbox.credentials.signingSecret;
  const source = finding.id === 'unknown-secret' && isPublished ? ` ${SECRET_SOURCE}` : '';
  const hint = `${finding.did} Expected: ${finding.expected} ${finding.fix}${source}`;
  return new Refusal(code, message, { details, hint });
}

function missingHint(names: readonly string[]): string {
  const [last, ...others] = names.toReversed();
  const list = others.length === 0 ? `${last} is` : `${others.toReversed().join(', ')} and ${last} are`;
  return `${list} missing or empty. \`npx sandbox sign request\` prints the headers for a body.`;
}

/** Lists an application's credentials other than its signing secret, without duplicates. */
function credentialsOf({ credentials, world }: Sandbox, app: App) {
  const organization = world.organizations.byId.get(app.organizationId);
  const endpoints = [...world.endpoints.values()]
    .filter(({ appId }) => appId === app.id)
    .slice(-MAX_ENDPOINTS);
  const all: readonly (readonly [name: string, secret: string | null | undefined])[] = [
    ['SANDBOX_WEBHOOK_SECRET', credentials.webhookSecret],
    ['SANDBOX_KYC_TOKEN', credentials.kycToken],
    ['SANDBOX_KYC_PUBLISHABLE_KEY', credentials.kycPublishableKey],
    ['SANDBOX_TOKEN', credentials.token],
    ['SANDBOX_ACCOUNT_ID', credentials.accountId],
    ['the token for the identity API', organization?.kycToken],
    ['the publishable key', organization?.publishableKey],
    ['the account id', app.accountId],
    ...endpoints.reverse().map(({ id, secret }) => [`the secret of webhook endpoint ${id}`, secret] as const),
  ];
  const names = new Map<string, string>();
  for (const [name, secret] of all) {
    // Skip the token, which every request contains.
    if (secret && secret !== app.token && !names.has(secret)) names.set(secret, name);
  }
  return Array.from(names, ([secret, name]) => ({ name, secret, note: 'credential' as const }));
}
