import type { DiagnosisContext, Finding, KnownSecret } from './finding.js';
import { hash } from 'node:crypto';
import type { Bytes } from '../bytes.js';
import { wireBytes } from '../bytes.js';
import type { HeaderSource } from '../headers.js';
import { DEFAULT_TOLERANCE_S } from '../timestamp.js';
import type { WebhookHeaders } from '../webhook.js';
import { HEADER_NAMES, SecretFormatError, signatureEntries, verifyWebhook, webhookKey } from '../webhook.js';
import { readTimestampHeader, repairHeaders } from './headers.js';
import type { Plan, Variant } from './mistake.js';
import { basesOf, contentOf, formedBody } from './mistake.js';
import type { Case } from './search.js';
import { diagnose } from './search.js';
import { HMAC_SHA256, isCurrent } from './shared-mistakes.js';
import { jsonBody } from './texts.js';
import { WEBHOOK_DIMENSIONS } from './webhook-mistakes.js';
import { objectSignature, webhookReadings } from './writing.js';

/** An invalid webhook, as it arrived. `rawHeaders` (all headers) reveal misnamed ones. */
export interface FailedWebhook {
  readonly body: Bytes;
  readonly headers: WebhookHeaders | HeaderSource;
  readonly rawHeaders?: HeaderSource | readonly string[];
}

/** The context of a webhook. */
export interface WebhookDiagnosis extends DiagnosisContext {
  readonly secrets: readonly KnownSecret[];
}

/**
 * Searches for the mistakes in a webhook whose signature does not match (§5.5), made by its sender or on the
 * way. Empty when it matches, except for a message that only receivers of several signatures accept. No
 * finding contains a secret, a key or the expected signature. Throws SecretFormatError for a current secret
 * that is not `whsec_` and base64; other secrets may be any text.
 */
export function diagnoseWebhook(webhook: FailedWebhook, known: WebhookDiagnosis): Finding[] {
  const found = webhookCase(webhook, known);
  if (!found.signature) return [...found.seen];
  const object = objectSignature(found.signature.replace(/^v1,/, ''), EXPECTED.writing);
  if (object !== undefined) return [...found.seen, object];
  const expected = { ...EXPECTED, remaining: () => remainingCauses(found.task.subject.right) };
  const findings = diagnose(found, webhookReadings(found.signature), expected, known);
  return findings.length > 0 ? findings : adviceOn(webhook, known, found.signature);
}

/** Reads a webhook and prepares the search for its mistakes. Throws SecretFormatError. @internal */
export function webhookCase(webhook: FailedWebhook, known: WebhookDiagnosis): Case {
  const { values, findings } = repairHeaders(webhook.headers, webhook.rawHeaders, HEADER_NAMES);
  const { id = '', timestamp = '', signature } = values;
  const time = readTimestampHeader('webhook-timestamp', timestamp, known);
  const [key, ...otherKeys] = known.secrets.filter(isCurrent).map(({ secret }) => webhookKey(secret));
  if (!key)
    throw new SecretFormatError('Expected at least one current webhook secret (whsec_<base64>), got none.');
  const body = typeof webhook.body === 'string' ? Buffer.from(webhook.body) : webhook.body;
  const right = rightPlan({ id, timestamp, body, key });
  return {
    seen: [...findings, ...time.findings],
    signature,
    task: {
      subject: {
        right,
        seconds: time.seconds,
        target: '',
        host: undefined,
        token: undefined,
        secrets: known.secrets,
        json: jsonBody(body),
      },
      bases: [key, ...otherKeys].flatMap((key) => basesOf({ ...right, key }, time.seconds)),
      dimensions: WEBHOOK_DIMENSIONS,
    },
  };
}

const EXPECTED = {
  whole:
    'HMAC-SHA256 under the decoded key of the endpoint’s secret over ' +
    'webhook-id.webhook-timestamp.body, of the message as it arrived.',
  writing: 'webhook-signature as v1,<base64 of 32 bytes>, with one space between several.',
};

/** A longer text is not shown in a finding. */
const MAX_SHOWN_LENGTH = 200;

/** The causes that cannot be tried: another secret, and a body that is not the one that arrived. */
function remainingCauses({ id, timestamp, body }: Plan) {
  const causes = 'the secret differs, or the body that was signed is not the one that arrived';
  const given = [id, timestamp].map((part) => Buffer.from(part).toString('latin1')).join('.');
  const prefix = given.length <= MAX_SHOWN_LENGTH ? `"${given}."` : 'webhook-id.webhook-timestamp.';
  const fix =
    `The signed content is ${prefix} and then a body of ${body.length} bytes whose SHA-256 ` +
    `begins with ${hash('sha256', body, 'hex').slice(0, 16)}: print these where your code ` +
    'signs or verifies. If they are the same, compare the secret: its length, its first and ' +
    'its last characters.';
  return { causes, fix };
}

function rightPlan(message: { id: string; timestamp: string; body: Uint8Array; key: Bytes }): Plan {
  return {
    key: message.key,
    algorithm: HMAC_SHA256,
    order: ['id', 'timestamp', 'body'],
    separator: '.',
    ending: '',
    timestamp: wireBytes(message.timestamp),
    id: wireBytes(message.id),
    method: '',
    path: '',
    body: message.body,
    bodyForm: (body) => body,
  };
}

/** A trap for receivers in a valid message: only a later signature is theirs. */
function adviceOn(webhook: FailedWebhook, known: WebhookDiagnosis, signature: string): Finding[] {
  const secrets = known.secrets.filter(isCurrent).map(({ secret }) => secret);
  const verdict = verifyWebhook({
    ...webhook,
    secrets,
    nowS: known.nowS,
    toleranceS: known.toleranceS ?? DEFAULT_TOLERANCE_S,
  });
  if (!verdict.ok || verdict.signatureIndex === 0) return [];
  const count = signatureEntries(signature).length;
  return [
    {
      id: 'only-first-signature-compared',
      did:
        `Signature ${verdict.signatureIndex + 1} of ${count} holds; a receiver that compares ` +
        'only the first refuses the message.',
      expected: 'A message is accepted when any one of its signatures matches.',
      fix: 'Split webhook-signature at its spaces and compare each v1 signature in constant time.',
      certainty: 'possible',
      alike: [],
    },
  ];
}

/** A webhook to sign; the timestamp is its header's text. */
/** A webhook to be signed with mistakes. @internal */
interface WebhookParts {
  readonly id: string;
  readonly timestamp: string;
  readonly body: Uint8Array;
  readonly secret: string;
}

/**
 * A mistake of the tables and the number of its variant: `body-key-order#1` is the second one, no number the
 * first. @internal
 */
export type MistakeName = string;

/**
 * Computes the HMAC with named mistakes, as a program that makes them would; undefined where the webhook
 * allows none of a kind. @internal
 */
type MistakenSigner = (mistakes: readonly MistakeName[]) => Buffer | undefined;

const MISTAKES = new Map(
  WEBHOOK_DIMENSIONS.flatMap(({ mistakes }) => mistakes).map((mistake) => [mistake.id, mistake]),
);

/**
 * Signs a webhook with mistakes from the tables of the diagnosis. The signer throws TypeError for an unknown
 * mistake. @internal
 */
export function mistakenSigner({ id, timestamp, body, secret }: WebhookParts): MistakenSigner {
  const webhook = { body, headers: { id, timestamp, signature: '' } };
  const { task } = webhookCase(webhook, { secrets: [{ secret }], nowS: Number(timestamp) });
  const { subject } = task;
  const right: Plan = { ...subject.right, key: webhookKey(secret) };
  const variantOf = (name: MistakeName): Variant | undefined => {
    const [id = '', number = '0'] = name.split('#');
    const mistake = MISTAKES.get(id);
    if (mistake === undefined) throw new TypeError(`The tables have no mistake ${id}.`);
    return mistake.variants(subject)[Number(number)];
  };
  return (mistakes) => {
    const variants = mistakes.map(variantOf).filter((variant) => variant !== undefined);
    if (variants.length < mistakes.length) return undefined;
    const plan: Plan = Object.assign({}, right, ...variants.map(({ change }) => change));
    return plan.algorithm(plan.key, contentOf(plan, formedBody(plan)));
  };
}
