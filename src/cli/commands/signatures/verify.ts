import { presentVerdict } from '../../../http/control/verdict.js';
import type { SigningFinding } from '../../../signing/diagnosis/diagnose.js';
import { DEFAULT_TOLERANCE_S, parseTimestamp, readHeader } from '../../../signing/message.js';
import { splitSignatures, verifyWebhook, type WebhookVerdict } from '../../../signing/webhook.js';
import { shortenSecret } from '../../../text/redaction.js';
import { listPassedFlags, type InvocationOf } from '../../program/declaration.js';
import { EXIT_CODES, createUsageError } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import { getUnixSeconds } from '../../program/options.js';
import { type CapturedWebhook, readCapturedWebhook } from '../../signatures/captured-webhook.js';
import { findWebhookSecrets, findSecretSources, formatSecretSource } from '../../signatures/secrets.js';
import {
  type TextFact,
  formatFacts,
  formatHanging,
  toOneLine,
  formatParagraph,
  wrapText,
} from '../../terminal/text.js';
import { formatSpan } from '../../terminal/time-text.js';
import type { verify } from '../../declarations/signatures.js';
import { explainReceiver, formatReceiverFinding, listAttemptFacts } from './receiver-cause.js';

type Invocation = InvocationOf<typeof verify>;

/**
 * Runs `sandbox verify`: checks a webhook, and names the matching secret and signature or the cause of the
 * failure (§5.5). For a captured webhook and a signature computed by the user's code, compares both
 * signatures instead.
 */
export async function verifySignature(invocation: Invocation): Promise<number> {
  const { io, options } = invocation;
  const captured = await readCapturedWebhook(invocation);
  const { recorded } = captured;
  const isChosen = options.secretFile !== undefined || [options.secret ?? []].flat().length > 0;
  const own = isChosen ? [] : (recorded?.secrets ?? []);
  const secrets = own.length > 0 ? own : await findWebhookSecrets(invocation);
  const computed = computedSignature(options);
  const headers = { ...captured.headers, ...(computed && { 'webhook-signature': computed }) };
  const webhook = { headers, body: captured.body };
  const sentS = parseTimestamp(readHeader(captured.headers, 'webhook-timestamp') ?? '');
  const sentAt = recorded?.attempt.dispatched_at;
  const arrivedS = sentAt === undefined ? getUnixSeconds() : Math.floor(Date.parse(sentAt) / 1000);
  const nowS = (computed === undefined ? options.at : sentS) ?? arrivedS;
  const toleranceS = options.tolerance === undefined ? DEFAULT_TOLERANCE_S : options.tolerance.ms / 1000;
  const verify = (one: CapturedWebhook) =>
    verifyWebhook({ ...one, secrets: secrets.map(({ secret }) => secret), nowS, toleranceS });
  const verdict = verify(webhook);
  const received = computed === undefined ? undefined : verify(captured);
  const isReceived = computed !== undefined && signaturesIn(captured).includes(computed);
  let findings: readonly SigningFinding[] = [];
  if (!options.strict) {
    const known = verdict.ok ? secrets : [...secrets, ...(await findSecretSources(invocation, secrets))];
    const { diagnoseWebhook } = await import('../../../signing/diagnosis/webhook.js');
    const found = diagnoseWebhook(webhook, { secrets: known, nowS, toleranceS, effort: 'pairs' });
    findings = found.filter(({ certainty }) => !(isReceived && certainty === 'unexplained'));
  }
  const receiver =
    recorded !== undefined && verdict.ok && computed === undefined
      ? explainReceiver(io, recorded)
      : undefined;
  const hint =
    receiver !== undefined
      ? receiver.hint
      : received === undefined
        ? verdictHint(verdict, webhook, findings, options.at !== undefined)
        : comparisonHint(verdict, received, isReceived);
  const { age_s, ...outcome } = presentVerdict(verdict);
  io.emit({
    ...outcome,
    at: nowS,
    tolerance_s: toleranceS,
    age_s,
    secrets: secrets.map(({ secret, source }, index) => {
      return { number: index + 1, shown: shortenSecret(secret), source };
    }),
    signatures: signaturesIn(webhook).length,
    findings,
    hint,
    ...(recorded && { delivery: recorded.delivery.id, attempt: recorded.attempt.number }),
    ...(receiver && { receiver: receiver.finding }),
    ...(received && { received: { ok: received.ok, cause: received.ok ? null : received.cause } }),
  });
  if (!io.json) {
    const used = verdict.ok ? [verdict.secretIndex] : [...secrets.keys()];
    const all = used.map((index): TextFact => ['secret', formatSecretSource(secrets, index)]);
    if (received !== undefined) all.push(['received', receivedText(received)]);
    else if (verdict.ok) {
      const count = `${verdict.signatureIndex + 1} of ${signaturesIn(webhook).length}`;
      all.push(['signature', count], ['age', ageText(verdict.ageS)]);
    }
    io.say(headline(io, verdict, computed !== undefined));
    if (recorded !== undefined) all.push(...listAttemptFacts(recorded));
    io.say(formatFacts(io, all));
    if (receiver !== undefined) io.say(`\n${formatReceiverFinding(io, receiver.finding)}`);
    showFindings(io, findings, hint);
  }
  return verdict.ok ? EXIT_CODES.done : EXIT_CODES.no;
}

/**
 * Parses `--signature` as a header entry; the version prefix is optional. Throws a usage error if the option
 * is empty or combined with a time.
 */
function computedSignature(options: Invocation['options']): string | undefined {
  const { headers, delivery, signature } = options;
  if (signature === undefined || (headers === undefined && delivery === undefined)) return undefined;
  const [flag] = listPassedFlags(options, ['at', 'tolerance']);
  if (flag !== undefined) {
    throw createUsageError(
      `--signature ignores time, so it cannot be combined with ${flag}.`,
      `Omit ${flag}, or omit --signature to verify the webhook as of a specific time.`,
    );
  }
  const text = signature.trim();
  if (text === '') {
    throw createUsageError(
      '--signature is empty.',
      'Pass the signature that your code computed, in base64 or hex, with or without the v1 prefix.',
    );
  }
  return /^["'`]?v\d/i.test(text) ? text : `v1,${text}`;
}

function headline(io: Io, verdict: WebhookVerdict, isComputed: boolean): string {
  const { green, red } = io.colors;
  if (isComputed)
    return verdict.ok
      ? green('✓ Your code computed the correct signature.')
      : red('✗ Your code computed a different signature.');
  if (verdict.ok) return green('✓ The signature is valid.');
  const message = formatParagraph(io, verdict.message).join('\n');
  return `${red(`✗ The webhook is invalid: ${verdict.cause}`)}\n${message}`;
}

function receivedText(received: WebhookVerdict): string {
  return `the signature in the webhook ${received.ok ? 'is valid' : `is invalid: ${received.cause}`}`;
}

function signaturesIn({ headers }: CapturedWebhook): readonly string[] {
  return splitSignatures(readHeader(headers, 'webhook-signature') ?? '');
}

/** Suggests the next command, if the cause determines one. `isDated` is true with `--at`. */
function verdictHint(
  verdict: WebhookVerdict,
  { headers, body }: CapturedWebhook,
  findings: readonly SigningFinding[],
  isDated: boolean,
): string | null {
  if (verdict.ok) return null;
  if (verdict.cause === 'timestamp_too_old' && !isDated) {
    const timestamp = readHeader(headers, 'webhook-timestamp') ?? '';
    return `To verify an old capture, pass its arrival time: --at ${timestamp}.`;
  }
  if (verdict.cause === 'signature_mismatch' && body.length === 0)
    return 'The body is empty. If the webhook had a body, pass it as a file, or pipe it in: `… < body.json`.';
  if (findings.some(({ id }) => id === 'unknown-secret'))
    return (
      'Each endpoint has its own secret, printed on creation and rotation; ' +
      '`listen` uses SANDBOX_WEBHOOK_SECRET.'
    );
  return null;
}

/** Suggests the next step if the captured webhook's own signature is also invalid. */
function comparisonHint(mine: WebhookVerdict, received: WebhookVerdict, isReceived: boolean): string | null {
  if (received.ok) return null;
  if (mine.ok)
    return 'The webhook contains a different signature; run the same command without --signature to see why.';
  return isReceived
    ? 'Your code computed the signature in the webhook. Use --secret to pass the secret that your ' +
        'code uses.'
    : 'The signature in the webhook is also invalid; check the secret with the same ' +
        'command without --signature.';
}

const LABEL_WIDTH = 10;

/** Prints each signing error's effect, the expected behavior, and the fix. */
function showFindings(io: Io, findings: readonly SigningFinding[], hint: string | null): void {
  const { bold, cyan, green } = io.colors;
  const width = io.columns === 0 ? 0 : Math.max(io.columns - LABEL_WIDTH, 20);
  const part = (label: string, paint: (text: string) => string, text: string) =>
    paint(label) +
    ' '.repeat(LABEL_WIDTH - label.length) +
    wrapText(toOneLine(text, 0), width).join(`\n${' '.repeat(LABEL_WIDTH)}`);
  const blocks = findings.map(({ did, expected, fix }) =>
    [part('did', bold, did), part('expected', cyan, expected), part('fix', green, fix)].join('\n'),
  );
  if (blocks.length > 0) io.say(`\n${blocks.join('\n\n')}`);
  if (hint !== null) io.note(`${cyan('hint')}  ${formatHanging(toOneLine(hint, 0), io.columns, '      ')}`);
}

function ageText(ageS: number): string {
  if (ageS === 0) return '0s';
  const span = formatSpan(Math.abs(ageS) * 1000);
  return ageS > 0 ? span : `${span} in the future`;
}
