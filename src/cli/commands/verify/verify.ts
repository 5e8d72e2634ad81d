import type { Finding } from '../../../signing/diagnosis/finding.js';
import { readHeader } from '../../../signing/headers.js';
import { DEFAULT_TOLERANCE_S } from '../../../signing/timestamp.js';
import type { WebhookVerdict } from '../../../signing/webhook.js';
import { signatureEntries, verifyWebhook } from '../../../signing/webhook.js';
import { verdictView } from '../../../http/control/webhooks/verdict-view.js';
import { EXIT } from '../../program/errors.js';
import { presentS } from '../../program/instants.js';
import type { InvocationOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import type { Fact } from '../../terminal/facts.js';
import { facts } from '../../terminal/facts.js';
import { spanText } from '../../terminal/when.js';
import type { CapturedWebhook } from '../../signatures/captured-webhook.js';
import { capturedWebhook } from '../../signatures/captured-webhook.js';
import { findWebhookSecrets, secretsAround, secretText } from '../../signatures/secrets.js';
import { shortened } from '../../../text/redaction.js';
import { oneLine, wrap } from '../../terminal/text.js';
import type { verify } from './command.js';

type Invocation = InvocationOf<typeof verify>;

/** Columns for the names of what a diagnosis says. */
const LABEL_WIDTH = 10;

type Checked = Awaited<ReturnType<typeof check>>;

/** `sandbox verify`: whether a webhook is valid, by which secret and signature, and if not, why not (§5.5). */
export async function verifySignature(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const checked = await check(invocation);
  io.emit(json(checked));
  if (!io.json) show(io, checked);
  return checked.verdict.ok ? EXIT.done : EXIT.no;
}

async function check(invocation: Invocation) {
  const { at, tolerance, strict } = invocation.options;
  const toleranceS = tolerance === undefined ? DEFAULT_TOLERANCE_S : tolerance.ms / 1000;
  const webhook = await capturedWebhook(invocation);
  const found = await findWebhookSecrets(invocation);
  const nowS = at ?? presentS();
  const secrets = found.map(({ secret }) => secret);
  const verdict = verifyWebhook({ ...webhook, secrets, nowS, toleranceS });
  const around = strict || verdict.ok ? [] : await secretsAround(invocation, found);
  const findings = strict ? [] : await diagnose(webhook, [...found, ...around], { nowS, toleranceS });
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
  { headers, body }: CapturedWebhook,
  findings: readonly Finding[],
  isDated: boolean,
): string | null {
  if (verdict.ok) return null;
  if (verdict.cause === 'timestamp_too_old' && !isDated) {
    const timestamp = readHeader(headers, 'webhook-timestamp') ?? '';
    return `To verify an old capture, give the time at which it arrived: --at ${timestamp}.`;
  }
  if (verdict.cause === 'signature_mismatch' && body.length === 0) {
    return 'The body is empty. If the webhook had one, name a file with it, or pipe it in: `… < body.json`.';
  }
  if (findings.some(({ id }) => id === 'unknown-secret')) {
    return 'Each endpoint has a secret of its own, shown when it is created and when it is rotated; `listen` uses SANDBOX_WEBHOOK_SECRET.';
  }
  return null;
}

function json({ webhook, secrets, nowS, toleranceS, verdict, findings, hint }: Checked) {
  const { age_s, ...outcome } = verdictView(verdict);
  return {
    ...outcome,
    at: nowS,
    tolerance_s: toleranceS,
    age_s,
    secrets: secrets.map(({ secret, source }, index) => ({
      number: index + 1,
      shown: shortened(secret),
      source,
    })),
    signatures: signatureCount(webhook),
    findings,
    hint,
  };
}

function show(io: Io, { webhook, secrets, verdict, findings, hint }: Checked): void {
  const { green, red, cyan } = io.colour;
  if (verdict.ok) {
    io.say(green('✓ The signature holds.'));
    io.say(
      facts(io, [
        ['secret', secretText(secrets, verdict.secretIndex)],
        ['signature', `${verdict.signatureIndex + 1} of ${signatureCount(webhook)}`],
        ['age', ageText(verdict.ageS)],
      ]),
    );
  } else {
    const tried = secrets.map((_, index): Fact => ['secret', secretText(secrets, index)]);
    io.say(red(`✗ The webhook does not hold: ${verdict.cause}`));
    io.say(wrap(oneLine(verdict.message, 0), io.columns).join('\n'));
    io.say(facts(io, tried));
  }
  if (findings.length > 0) io.say(`\n${findingsText(io, findings)}`);
  if (hint !== null) io.note(`${cyan('hint')}  ${oneLine(hint, 0)}`);
}

function signatureCount({ headers }: CapturedWebhook): number {
  return signatureEntries(readHeader(headers, 'webhook-signature') ?? '').length;
}

function ageText(ageS: number): string {
  if (ageS === 0) return '0s';
  const span = spanText(Math.abs(ageS) * 1000);
  return ageS > 0 ? span : `${span} in the future`;
}

/** The diagnosis: for each mistake, what was done, what is expected and how to fix it. */
function findingsText(io: Io, findings: readonly Finding[]): string {
  return findings.map((finding) => findingText(io, finding)).join('\n\n');
}

function findingText(io: Io, { did, expected, fix }: Finding): string {
  const { bold, cyan, green } = io.colour;
  return [
    ...labelled(io, bold('did'), did, 'did'.length),
    ...labelled(io, cyan('expected'), expected, 'expected'.length),
    ...labelled(io, green('fix'), fix, 'fix'.length),
  ].join('\n');
}

function labelled({ columns }: Io, label: string, text: string, labelWidth: number): string[] {
  const width = columns === 0 ? 0 : Math.max(columns - LABEL_WIDTH, 20);
  return wrap(oneLine(text, 0), width).map((line, index) =>
    index === 0 ? `${label}${' '.repeat(LABEL_WIDTH - labelWidth)}${line}` : ' '.repeat(LABEL_WIDTH) + line,
  );
}
