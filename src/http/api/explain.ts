import type { App } from '../../core/world.js';
import { Refusal } from '../../contract/refusals.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { DoorContext } from '../operation/answer.js';
import { requestTarget } from '../operation/target.js';
import { requestScheme, toleranceS } from './checks.js';

/** Work for one 401: single mistakes only, about two milliseconds. */
const BUDGET = { macs: 700, bytes: 4_000_000 };
/** Diagnoses per second of real time; the hints of further failures say that there was none. */
const DIAGNOSES_PER_SECOND = 25;

const NOT_NAMED = `The mistake is not named: ${DIAGNOSES_PER_SECOND} others were in this second. Send the request again.`;

/** Names the mistake behind an invalid signature, as the hint of its 401 (§5.2). Loads the diagnosis when first needed. */
export class Explainer {
  readonly #sandbox: Sandbox;
  #second = 0;
  #diagnoses = 0;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** The refusal with a better hint; the refusal itself where there is nothing to add. */
  async explain(refusal: Refusal, c: DoorContext, app: App, body: Buffer): Promise<Refusal> {
    const isAboutSignature =
      refusal.code.startsWith('SIGNATURE_') || refusal.code === 'TIMESTAMP_OUT_OF_RANGE';
    if (!isAboutSignature || this.#sandbox.strict) return refusal;
    if (!this.#mayDiagnose()) return withHint(refusal, `${refusal.hint ?? ''} ${NOT_NAMED}`.trimStart());
    const loaded = await import('../../signing/diagnosis/request/diagnose-request.js').catch(() => undefined);
    if (loaded === undefined) return refusal;
    const { world, realNow } = this.#sandbox;
    const [finding] = loaded.diagnoseRequest(
      {
        method: c.req.method,
        target: requestTarget(c),
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
        otherSecrets: world.apps.rows
          .filter((other) => other !== app)
          .map(({ name, signingSecret }) => ({ name, secret: signingSecret })),
        nowS: Math.floor(realNow() / 1000),
        toleranceS: toleranceS(world.assumed),
        scheme: requestScheme(world.assumed),
        effort: 'singles',
        budget: BUDGET,
      },
    );
    if (finding === undefined) return refusal;
    return withHint(refusal, `${finding.did} Expected: ${finding.expected} ${finding.fix}`);
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
