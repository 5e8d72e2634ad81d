import { readHeader } from '../../../signing/headers.js';
import { EXIT } from '../../program/errors.js';
import { presentS } from '../../program/instants.js';
import type { Io } from '../../program/io.js';
import type { Fact } from '../../terminal/facts.js';
import { facts } from '../../terminal/facts.js';
import { spanText } from '../../terminal/when.js';
import { capturedWebhook } from '../../signatures/captured-webhook.js';
import { findWebhookSecrets, secretText } from '../../signatures/secrets.js';
import { oneLine, wrap } from '../../terminal/text.js';
import type { Checked, Invocation } from './check.js';
import { check, checkedJson, signatureCount } from './check.js';
import { compareSignature } from './compare.js';
import { findingsText } from './findings-text.js';

/**
 * `sandbox verify`: whether a webhook is valid, by which secret and signature, and if not, why not (§5.5). With the signature
 * that the user's code computed for a captured webhook, it compares the two instead.
 */
export async function verifySignature(invocation: Invocation): Promise<number> {
  const { io, options } = invocation;
  const captured = await capturedWebhook(invocation);
  const secrets = await findWebhookSecrets(invocation);
  const { webhook, computed } = captured;
  if (computed !== undefined) return compareSignature(invocation, { webhook, secrets, computed });
  const checked = await check(invocation, { webhook, secrets, nowS: options.at ?? presentS() });
  const hint = hintFor(checked, options.at !== undefined);
  io.emit(checkedJson(checked, hint));
  if (!io.json) show(io, checked, hint);
  return checked.verdict.ok ? EXIT.done : EXIT.no;
}

/** What to type next, if the cause alone determines it; `isDated` says whether --at was given. */
function hintFor({ verdict, webhook, findings }: Checked, isDated: boolean): string | null {
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
    return 'Each endpoint has a secret of its own, shown when it is created and when it is rotated; `listen` uses SANDBOX_WEBHOOK_SECRET.';
  }
  return null;
}

function show(io: Io, { webhook, secrets, verdict, findings }: Checked, hint: string | null): void {
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

function ageText(ageS: number): string {
  if (ageS === 0) return '0s';
  const span = spanText(Math.abs(ageS) * 1000);
  return ageS > 0 ? span : `${span} in the future`;
}
