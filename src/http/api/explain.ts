import { Refusal } from '../../contract/refusals.js';
import type { App } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { RequestContext } from '../operation/calls.js';
import { requestScheme, toleranceS } from './checks.js';

/** Bytes hashed for one 401: single mistakes only, a few milliseconds. */
const MAX_BYTES = 4_000_000;
/** Diagnoses per second of real time; the hints of further failures say that there was none. */
const DIAGNOSES_PER_SECOND = 25;

const SECRET_SOURCE = '`npx sandbox env` prints the secret as SANDBOX_SIGNING_SECRET.';
/** The webhook endpoints of an application whose secrets are tried, newest first. */
const MAX_ENDPOINTS = 5;

const NOT_NAMED =
  `The mistake is not named: ${DIAGNOSES_PER_SECOND} others were in this second. Send the ` +
  'request again.';

/**
 * Names the mistake behind an invalid signature, as the hint of its 401 (§5.2). Loads the diagnosis when
 * first needed.
 */
export class Explainer {
  readonly #sandbox: Sandbox;
  #second = 0;
  #diagnoses = 0;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** The refusal with a better hint; the refusal itself where there is nothing to add. */
  async explain(
    refusal: Refusal,
    { c, method, target }: RequestContext,
    app: App,
    body: Buffer,
  ): Promise<Refusal> {
    const isAboutSignature =
      refusal.code.startsWith('SIGNATURE_') || refusal.code === 'TIMESTAMP_OUT_OF_RANGE';
    if (!isAboutSignature || this.#sandbox.strict) return refusal;
    if (!this.#mayDiagnose()) return withHint(refusal, `${refusal.hint ?? ''} ${NOT_NAMED}`.trimStart());
    const loaded = await import('../../signing/diagnosis/request.js').catch(() => undefined);
    if (loaded === undefined) return refusal;
    const { world, realNow } = this.#sandbox;
    const [finding] = loaded.diagnoseRequest(
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
          ...world.apps.rows
            .filter((other) => other !== app)
            .map(({ name, signingSecret }) => ({ name, secret: signingSecret })),
          ...credentialsOf(this.#sandbox, app),
        ],
        nowS: Math.floor(realNow() / 1000),
        toleranceS: toleranceS(world.assumed),
        scheme: requestScheme(world.assumed),
        effort: 'singles',
        maxBytes: MAX_BYTES,
      },
    );
    if (finding === undefined) return refusal;
    const isPublished = app.signingSecret === this.#sandbox.credentials.signingSecret;
    const source = finding.id === 'unknown-secret' && isPublished ? ` ${SECRET_SOURCE}` : '';
    return withHint(refusal, `${finding.did} Expected: ${finding.expected} ${finding.fix}${source}`);
  }

  #mayDiagnose(): boolean {
    const second = Math.floor(this.#sandbox.realNow() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#diagnoses = 0;
    }
    this.#diagnoses += 1;
    return this.#diagnoses <= DIAGNOSES_PER_SECOND;
  }
}

function withHint({ code, message, details }: Refusal, hint: string): Refusal {
  return new Refusal(code, message, { details, hint });
}

/**
 * The credentials of an application that have another purpose than signing its requests, each once; its token
 * arrives with them.
 */
function credentialsOf({ credentials, world }: Sandbox, app: App): Credential[] {
  const organization = world.organizations.rows.find(({ id }) => id === app.organizationId);
  const endpoints = Array.from(world.endpoints.values()).filter(({ appId }) => appId === app.id);
  const all: readonly (readonly [name: string, secret: string | null | undefined])[] = [
    ['SANDBOX_WEBHOOK_SECRET', credentials.webhookSecret],
    ['SANDBOX_KYC_TOKEN', credentials.kycToken],
    ['SANDBOX_KYC_PUBLISHABLE_KEY', credentials.kycPublishableKey],
    ['SANDBOX_TOKEN', credentials.token],
    ['SANDBOX_ACCOUNT_ID', credentials.accountId],
    ['the token for the identity API', organization?.kycToken],
    ['the publishable key', organization?.publishableKey],
    ['the account id', app.accountId],
    ...endpoints
      .slice(-MAX_ENDPOINTS)
      .reverse()
      .map(({ id, secret }) => [`the secret of webhook endpoint ${id}`, secret] as const),
  ];
  const bySecret = new Map<string, Credential>();
  for (const [name, secret] of all) {
    if (secret && secret !== app.token && !bySecret.has(secret))
      bySecret.set(secret, { name, secret, note: 'credential' });
  }
  return [...bySecret.values()];
}

interface Credential {
  readonly name: string;
  readonly secret: string;
  readonly note: 'credential';
}
