import type { Finding } from '../../../signing/diagnosis/finding.js';
import { readHeader } from '../../../signing/headers.js';
import { parseTimestamp } from '../../../signing/timestamp.js';
import type { WebhookVerdict } from '../../../signing/webhook.js';
import { signatureEntries } from '../../../signing/webhook.js';
import { flagsGiven } from '../../program/declaration.js';
import { EXIT, usageError } from '../../program/errors.js';
import { presentS } from '../../program/instants.js';
import type { Io } from '../../program/io.js';
import type { CapturedWebhook } from '../../signatures/captured-webhook.js';
import type { FoundSecret } from '../../signatures/secrets.js';
import { secretText } from '../../signatures/secrets.js';
import type { Fact } from '../../terminal/facts.js';
import { facts } from '../../terminal/facts.js';
import { oneLine } from '../../terminal/text.js';
import type { Checked, Invocation } from './check.js';
import { check, checkedJson } from './check.js';
import { findingsText } from './findings-text.js';

/** A captured webhook, and the signature that the user's code computed for it. */
interface Comparison {
  readonly webhook: CapturedWebhook;
  readonly secrets: readonly FoundSecret[];
  readonly computed: string;
}

/** `sandbox verify --signature`: whether the user's code computed the right signature, and if not, which mistake leads to it. */
export async function compareSignature(invocation: Invocation, comparison: Comparison): Promise<number> {
  const { io, options } = invocation;
  const { webhook, secrets, computed } = comparison;
  checkTimeless(options);
  const nowS = parseTimestamp(readHeader(webhook.headers, 'webhook-timestamp') ?? '') ?? presentS();
  const entry = entryOf(computed);
  const headers = { ...webhook.headers, 'webhook-signature': entry };
  const checked = await check(invocation, { webhook: { ...webhook, headers }, secrets, nowS });
  const { verdict: received } = await check(
    { ...invocation, options: { ...options, strict: true } },
    { webhook, secrets, nowS },
  );
  const isReceived = signatureEntries(readHeader(webhook.headers, 'webhook-signature') ?? '').includes(entry);
  const found = {
    ...checked,
    findings: isReceived ? withoutUnexplained(checked.findings) : checked.findings,
  };
  const hint = hintFor(checked.verdict, received, isReceived);
  io.emit({
    ...checkedJson(found, hint),
    received: { ok: received.ok, cause: received.ok ? null : received.cause },
  });
  if (!io.json) show(io, found, received, hint);
  return checked.verdict.ok ? EXIT.done : EXIT.no;
}

/** Throws a usage error for an option about time, on which a signature does not depend. */
function checkTimeless(options: Invocation['options']): void {
  const [flag] = flagsGiven(options, ['at', 'tolerance']);
  if (flag === undefined) return;
  throw usageError(
    `--signature compares at any time; got ${flag}.`,
    `Leave ${flag} out, or leave --signature out to verify the webhook as of a time.`,
  );
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

function withoutUnexplained(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ certainty }) => certainty !== 'unexplained');
}

/** What to do next, if the signature in the captured webhook is not valid either. */
function hintFor(mine: WebhookVerdict, received: WebhookVerdict, isReceived: boolean): string | null {
  if (received.ok) return null;
  if (mine.ok) {
    return 'The signature in the webhook is another one; run the same command without --signature to see why.';
  }
  if (isReceived) {
    return 'Your code computed the signature that is in the webhook. Give the secret that your code uses, with --secret.';
  }
  return 'The signature in the webhook does not hold either; check the secret with the same command without --signature.';
}

function show(
  io: Io,
  { secrets, verdict, findings }: Checked,
  received: WebhookVerdict,
  hint: string | null,
) {
  const { green, red, cyan } = io.colour;
  io.say(
    verdict.ok
      ? green('✓ Your code computed the right signature.')
      : red('✗ Your code computed another signature.'),
  );
  const used = verdict.ok ? [verdict.secretIndex] : secrets.map((_secret, index) => index);
  io.say(
    facts(io, [
      ...used.map((index): Fact => ['secret', secretText(secrets, index)]),
      [
        'received',
        received.ok
          ? 'the signature in the webhook holds'
          : `the signature in the webhook does not hold: ${received.cause}`,
      ],
    ]),
  );
  if (findings.length > 0) io.say(`\n${findingsText(io, findings)}`);
  if (hint !== null) io.note(`${cyan('hint')}  ${oneLine(hint, 0)}`);
}
