import type { Finding } from '../../../signing/diagnosis/diagnose.js';
import { verdictView } from '../../../http/control/verdict.js';
import { readHeader } from '../../../signing/headers.js';
import { DEFAULT_TOLERANCE_S, parseTimestamp } from '../../../signing/timestamp.js';
import { signatureEntries, verifyWebhook, type WebhookVerdict } from '../../../signing/webhook.js';
import { shortened } from '../../../text/redaction.js';
import { flagsGiven, type InvocationOf } from '../../program/declaration.js';
import { EXIT, usageError } from '../../program/errors.js';
import { presentS } from '../../program/options.js';
import type { Io } from '../../program/io.js';
import { type CapturedWebhook, capturedWebhook } from '../../signatures/captured-webhook.js';
import { findWebhookSecrets, type FoundSecret, secretsAround, secretText } from '../../signatures/secrets.js';
import { type Fact, facts, oneLine, wrap } from '../../terminal/text.js';
import { spanText } from '../../terminal/when.js';
import type { VERIFY } from './command.js';

type Invocation = InvocationOf<typeof VERIFY>;

/** A webhook, the verdict on it, and what its diagnosis found. */
interface Checked {
  readonly webhook: CapturedWebhook;
  readonly secrets: readonly FoundSecret[];
  readonly nowS: number;
  readonly toleranceS: number;
  readonly verdict: WebhookVerdict;
  readonly findings: readonly Finding[];
}

/**
 * `sandbox verify`: whether a webhook is valid, by which secret and signature, and if not, why not (§5.5).
 * With the signature that the user's code computed for a captured webhook, it compares the two instead.
 */
export async function verifySignature(invocation: Invocation): Promise<number> {
  const { io, options } = invocation;
  const webhook = await capturedWebhook(invocation);
  const secrets = await findWebhookSecrets(invocation);
  const isCaptured = options.headers !== undefined || options.delivery !== undefined;
  if (isCaptured && options.signature !== undefined)
    return compareSignature(invocation, { webhook, secrets, computed: options.signature });
  const checked = await check(invocation, { webhook, secrets, nowS: options.at ?? presentS() });
  const hint = verdictHint(checked, options.at !== undefined);
  io.emit(checkedJson(checked, hint));
  if (!io.json) {
    const { verdict } = checked;
    if (verdict.ok) {
      io.say(io.colour.green('✓ The signature holds.'));
      io.say(
        facts(io, [
          ['secret', secretText(secrets, verdict.secretIndex)],
          ['signature', `${verdict.signatureIndex + 1} of ${signaturesIn(webhook).length}`],
          ['age', ageText(verdict.ageS)],
        ]),
      );
    } else {
      io.say(io.colour.red(`✗ The webhook does not hold: ${verdict.cause}`));
      io.say(wrap(oneLine(verdict.message, 0), io.columns).join('\n'));
      io.say(
        facts(
          io,
          secrets.map((_, index): Fact => ['secret', secretText(secrets, index)]),
        ),
      );
    }
    showFindings(io, checked.findings, hint);
  }
  return checked.verdict.ok ? EXIT.done : EXIT.no;
}

/** Verifies a webhook as of `nowS` and, unless `--strict` is given, diagnoses it. */
async function check(
  invocation: Invocation,
  { webhook, secrets, nowS }: Pick<Checked, 'webhook' | 'secrets' | 'nowS'>,
): Promise<Checked> {
  const { tolerance, strict } = invocation.options;
  const toleranceS = tolerance === undefined ? DEFAULT_TOLERANCE_S : tolerance.ms / 1000;
  const verdict = verdictOn(webhook, secrets, nowS, toleranceS);
  if (strict) return { webhook, secrets, nowS, toleranceS, verdict, findings: [] };
  const known = verdict.ok ? secrets : [...secrets, ...(await secretsAround(invocation, secrets))];
  const { diagnoseWebhook } = await import('../../../signing/diagnosis/webhook.js');
  const findings = diagnoseWebhook(webhook, { secrets: known, nowS, toleranceS, effort: 'pairs' });
  return { webhook, secrets, nowS, toleranceS, verdict, findings };
}

function verdictOn(
  webhook: CapturedWebhook,
  found: readonly FoundSecret[],
  nowS: number,
  toleranceS: number,
) {
  return verifyWebhook({ ...webhook, secrets: found.map(({ secret }) => secret), nowS, toleranceS });
}

function checkedJson(
  { webhook, secrets, nowS, toleranceS, verdict, findings }: Checked,
  hint: string | null,
) {
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
    signatures: signaturesIn(webhook).length,
    findings,
    hint,
  };
}

function signaturesIn({ headers }: CapturedWebhook): readonly string[] {
  return signatureEntries(readHeader(headers, 'webhook-signature') ?? '');
}

/** What to type next, if the cause alone determines it; `isDated` says whether --at was given. */
function verdictHint({ verdict, webhook, findings }: Checked, isDated: boolean): string | null {
  const { headers, body } = webhook;
  if (verdict.ok) return null;
  if (verdict.cause === 'timestamp_too_old' && !isDated) {
    const timestamp = readHeader(headers, 'webhook-timestamp') ?? '';
    return `To verify an old capture, give the time at which it arrived: --at ${timestamp}.`;
  }
  if (verdict.cause === 'signature_mismatch' && body.length === 0) {
    return 'The body is empty. If the webhook had one, name a file with it, or pipe it in: `… < body.json`.';
  }
  if (findings.some(({ id }) => id === 'unknown-secret')) {
    return (
      'Each endpoint has a secret of its own, shown when it is created and when it is rotated; ' +
      '`listen` uses SANDBOX_WEBHOOK_SECRET.'
    );
  }
  return null;
}

/** Prints the diagnosis: for each mistake, what was done, what is expected and how to fix it. */
function showFindings(io: Io, findings: readonly Finding[], hint: string | null): void {
  const { bold, cyan, green } = io.colour;
  const width = io.columns === 0 ? 0 : Math.max(io.columns - LABEL_WIDTH, 20);
  const part = (label: string, paint: (text: string) => string, text: string) =>
    paint(label) +
    ' '.repeat(LABEL_WIDTH - label.length) +
    wrap(oneLine(text, 0), width).join(`\n${' '.repeat(LABEL_WIDTH)}`);
  const blocks = findings.map(({ did, expected, fix }) =>
    [part('did', bold, did), part('expected', cyan, expected), part('fix', green, fix)].join('\n'),
  );
  if (blocks.length > 0) io.say(`\n${blocks.join('\n\n')}`);
  if (hint !== null) io.note(`${cyan('hint')}  ${oneLine(hint, 0)}`);
}

const LABEL_WIDTH = 10;

function ageText(ageS: number): string {
  if (ageS === 0) return '0s';
  const span = spanText(Math.abs(ageS) * 1000);
  return ageS > 0 ? span : `${span} in the future`;
}

/** A captured webhook, and the signature that the user's code computed for it. */
interface Comparison {
  readonly webhook: CapturedWebhook;
  readonly secrets: readonly FoundSecret[];
  readonly computed: string;
}

/**
 * `sandbox verify --signature`: whether the user's code computed the right signature, and if not, which
 * mistake leads to it.
 */
async function compareSignature(invocation: Invocation, comparison: Comparison): Promise<number> {
  const { io, options } = invocation;
  const { webhook, secrets, computed } = comparison;
  const [flag] = flagsGiven(options, ['at', 'tolerance']);
  if (flag !== undefined) {
    throw usageError(
      `--signature compares at any time; got ${flag}.`,
      `Leave ${flag} out, or leave --signature out to verify the webhook as of a time.`,
    );
  }
  const nowS = parseTimestamp(readHeader(webhook.headers, 'webhook-timestamp') ?? '') ?? presentS();
  const entry = entryOf(computed);
  const headers = { ...webhook.headers, 'webhook-signature': entry };
  const checked = await check(invocation, { webhook: { ...webhook, headers }, secrets, nowS });
  const { verdict, toleranceS } = checked;
  const received = verdictOn(webhook, secrets, nowS, toleranceS);
  const isReceived = signaturesIn(webhook).includes(entry);
  const findings = checked.findings.filter(({ certainty }) => !(isReceived && certainty === 'unexplained'));
  const hint = comparisonHint(verdict, received, isReceived);
  io.emit({
    ...checkedJson({ ...checked, findings }, hint),
    received: { ok: received.ok, cause: received.ok ? null : received.cause },
  });
  if (!io.json) {
    io.say(
      verdict.ok
        ? io.colour.green('✓ Your code computed the right signature.')
        : io.colour.red('✗ Your code computed another signature.'),
    );
    const used = verdict.ok ? [verdict.secretIndex] : secrets.map((_secret, index) => index);
    const outcome = received.ok ? 'holds' : `does not hold: ${received.cause}`;
    io.say(
      facts(io, [
        ...used.map((index): Fact => ['secret', secretText(secrets, index)]),
        ['received', `the signature in the webhook ${outcome}`],
      ]),
    );
    showFindings(io, findings, hint);
  }
  return verdict.ok ? EXIT.done : EXIT.no;
}

/** An entry of the signature header with what the code computed, which may lack the version. */
function entryOf(computed: string): string {
  const text = computed.trim();
  if (text === '') {
    throw usageError(
      '--signature is empty.',
      'Give what your code computed, in base64 or hex, with or without v1, before it.',
    );
  }
  return /^["'`]?v\d/i.test(text) ? text : `v1,${text}`;
}

/** What to do next, if the signature in the captured webhook is not valid either. */
function comparisonHint(mine: WebhookVerdict, received: WebhookVerdict, isReceived: boolean): string | null {
  if (received.ok) return null;
  if (mine.ok) {
    return 'The signature in the webhook is another one; run the same command without --signature to see why.';
  }
  if (isReceived) {
    return (
      'Your code computed the signature that is in the webhook. Give the secret that your code ' +
      'uses, with --secret.'
    );
  }
  return (
    'The signature in the webhook does not hold either; check the secret with the same ' +
    'command without --signature.'
  );
}
