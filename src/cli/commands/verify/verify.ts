import type { Finding } from '../../../signing/diagnosis/finding.js';
import { readHeader } from '../../../signing/headers.js';
import { DEFAULT_TOLERANCE_S } from '../../../signing/timestamp.js';
import type { WebhookVerdict } from '../../../signing/webhook.js';
import { signatureEntries, verifyWebhook } from '../../../signing/webhook.js';
import { EXIT } from '../../program/errors.js';
import { presentS } from '../../program/instants.js';
import type { InvocationOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import type { Fact } from '../../terminal/facts.js';
import { facts } from '../../terminal/facts.js';
import { findingsText } from '../../signatures/findings.js';
import { spanText } from '../../terminal/when.js';
import type { CapturedWebhook } from '../../signatures/captured-webhook.js';
import { capturedWebhook } from '../../signatures/captured-webhook.js';
import type { FoundSecret } from '../../signatures/secrets.js';
import { findWebhookSecrets, secretsAround, secretText } from '../../signatures/secrets.js';
import { oneLine, shortened, wrap } from '../../terminal/text.js';
import type { verify } from './command.js';

type Invocation = InvocationOf<typeof verify>;

interface Checked {
  readonly webhook: CapturedWebhook;
  readonly secrets: readonly FoundSecret[];
  readonly nowS: number;
  readonly toleranceS: number;
  readonly verdict: WebhookVerdict;
  readonly findings: readonly Finding[];
  readonly hint: string | null;
}

/** `sandbox verify`: whether a webhook is valid, by which secret and signature, and if not, why not (§5.5). */
export async function verifySignature(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const checked = await check(invocation);
  io.emit(json(checked));
  if (!io.json) show(io, checked);
  return checked.verdict.ok ? EXIT.done : EXIT.no;
}

async function check(invocation: Invocation): Promise<Checked> {
  const { io, options } = invocation;
  const { at, tolerance, strict } = options;
  const toleranceS = tolerance === undefined ? DEFAULT_TOLERANCE_S : tolerance.ms / 1000;
  const webhook = await capturedWebhook(invocation);
  const found = await findWebhookSecrets(invocation);
  const nowS = at ?? presentS();
  const secrets = found.map(({ secret }) => secret);
  const verdict = verifyWebhook({ ...webhook, secrets, nowS, toleranceS });
  const known = [...found, ...secretsAround(io, found)];
  const findings = strict ? [] : await diagnose(webhook, known, { nowS, toleranceS });
  const hint = hintFor(verdict, webhook, findings, at !== undefined);
  return { webhook, secrets: found, nowS, toleranceS, verdict, findings, hint };
}

async function diagnose(
  webhook: CapturedWebhook,
  secrets: readonly { readonly secret: string }[],
  time: { readonly nowS: number; readonly toleranceS: number },
): Promise<readonly Finding[]> {
  const { diagnoseWebhook } = await import('../../../signing/diagnosis/webhook/diagnose-webhook.js');
  return diagnoseWebhook(webhook, { secrets, ...time, effort: 'pairs' });
}

/** What to type next, if the cause alone determines it; `isDated` says whether --at was given. */
function hintFor(
  verdict: WebhookVerdict,
  { headers }: CapturedWebhook,
  findings: readonly Finding[],
  isDated: boolean,
): string | null {
  if (verdict.ok) return null;
  if (verdict.cause === 'timestamp_too_old' && !isDated) {
    const timestamp = readHeader(headers, 'webhook-timestamp') ?? '';
    return `To verify an old capture, give the time at which it arrived: --at ${timestamp}.`;
  }
  if (findings.some(({ id }) => id === 'unknown-secret')) {
    return 'Each endpoint has a secret of its own, shown when it is created and when it is rotated; `listen` uses SANDBOX_WEBHOOK_SECRET.';
  }
  return null;
}

function json({ webhook, secrets, nowS, toleranceS, verdict, findings, hint }: Checked) {
  const signatures = signatureEntries(readHeader(webhook.headers, 'webhook-signature') ?? '').length;
  const outcome = verdict.ok
    ? { cause: null, message: null, secret: verdict.secretIndex + 1, signature: verdict.signatureIndex + 1 }
    : { cause: verdict.cause, message: verdict.message, secret: null, signature: null };
  return {
    ok: verdict.ok,
    ...outcome,
    at: nowS,
    tolerance_s: toleranceS,
    age_s: 'ageS' in verdict ? verdict.ageS : null,
    secrets: secrets.map(({ secret, source }, index) => ({
      number: index + 1,
      shown: shortened(secret),
      source,
    })),
    signatures,
    findings,
    hint,
  };
}

function show(io: Io, checked: Checked): void {
  const { verdict, findings, hint } = checked;
  if (verdict.ok) showGood(io, checked, verdict);
  else showBad(io, checked, verdict);
  if (findings.length > 0) io.say(`\n${findingsText(io, findings)}`);
  if (hint !== null) io.note(`${io.colour.cyan('hint')}  ${oneLine(hint, 0)}`);
}

function showGood(
  io: Io,
  { webhook, secrets }: Checked,
  { secretIndex, signatureIndex, ageS }: WebhookVerdict & { ok: true },
): void {
  const count = signatureEntries(readHeader(webhook.headers, 'webhook-signature') ?? '').length;
  io.say(io.colour.green('✓ The signature holds.'));
  io.say(
    facts(io, [
      ['secret', secretText(secrets, secretIndex)],
      ['signature', `${signatureIndex + 1} of ${count}`],
      ['age', ageText(ageS)],
    ]),
  );
}

function showBad(io: Io, { secrets }: Checked, { cause, message }: WebhookVerdict & { ok: false }): void {
  io.say(io.colour.red(`✗ The webhook does not hold: ${cause}`));
  io.say(wrap(oneLine(message, 0), io.columns).join('\n'));
  io.say(
    facts(
      io,
      secrets.map((_secret, index): Fact => ['secret', secretText(secrets, index)]),
    ),
  );
}

function ageText(ageS: number): string {
  if (ageS === 0) return '0s';
  const span = spanText(Math.abs(ageS) * 1000);
  return ageS > 0 ? span : `${span} in the future`;
}
