import { hash } from 'node:crypto';
import { type Bytes, DEFAULT_TOLERANCE_S, type HeaderSource, toWireBytes } from '../message.js';
import type { WebhookHeaders } from '../webhook.js';
import {
  WEBHOOK_HEADER_NAMES,
  SecretFormatError,
  splitSignatures,
  verifyWebhook,
  webhookKey,
} from '../webhook.js';
import type {
  DiagnosisContext,
  SigningFinding,
  KnownSecret,
  SigningPlan,
  ReceivedSignature,
} from './diagnose.js';
import { buildContent, diagnose, HMAC_SHA256, isCurrentSecret } from './diagnose.js';
import { readTimestampHeader, repairHeaders } from './headers.js';
import { parseJsonBody } from './rewriting.js';
import { listWebhookReadings } from './signature-text.js';
import { WEBHOOK_ERRORS } from './webhook-errors.js';

/** Invalid webhook, as received. `rawHeaders` lists all headers, so that misnamed headers can be found. */
export interface FailedWebhook {
  readonly body: Bytes;
  readonly headers: WebhookHeaders | HeaderSource;
  readonly rawHeaders?: HeaderSource | readonly string[];
}

/** Context for diagnosing a webhook. */
export interface WebhookDiagnosis extends DiagnosisContext {
  readonly secrets: readonly KnownSecret[];
}

/**
 * Diagnoses a webhook whose signature does not match (§5.5). If the signature matches, returns an empty list,
 * unless receivers that check only the first signature would reject the message. No finding contains a
 * secret, a key or the expected signature. Throws SecretFormatError if a current secret is not `whsec_`
 * followed by base64; other secrets can be any text.
 */
export function diagnoseWebhook(webhook: FailedWebhook, known: WebhookDiagnosis): SigningFinding[] {
  const received = readWebhook(webhook, known);
  const findings = diagnose(received, known);
  return findings.length > 0 ? findings : findReceiverAdvice(webhook, known, received.signature ?? '');
}

/**
 * Reads a webhook and lists its visible errors and possible signature decodings. Throws SecretFormatError.
 * @internal
 */
export function readWebhook(webhook: FailedWebhook, known: WebhookDiagnosis): ReceivedSignature {
  const { values, findings } = repairHeaders(webhook.headers, webhook.rawHeaders, WEBHOOK_HEADER_NAMES);
  const { id = '', timestamp = '', signature } = values;
  const time = readTimestampHeader('webhook-timestamp', timestamp, known);
  const [key] = known.secrets.filter(isCurrentSecret).map(({ secret }) => webhookKey(secret));
  if (!key)
    throw new SecretFormatError('Expected at least one current webhook secret (whsec_<base64>), got none.');
  const body = typeof webhook.body === 'string' ? Buffer.from(webhook.body) : webhook.body;
  const right: SigningPlan = {
    key,
    algorithm: HMAC_SHA256,
    order: ['id', 'timestamp', 'body'],
    separator: '.',
    ending: '',
    timestamp: toWireBytes(timestamp),
    id: toWireBytes(id),
    method: '',
    path: '',
    body,
    bodyForm: (bytes) => bytes,
  };
  return {
    message: {
      right,
      seconds: time.seconds,
      target: '',
      host: undefined,
      token: undefined,
      secrets: known.secrets,
      keyOf,
      json: parseJsonBody(body),
    },
    seen: [...findings, ...time.findings],
    signature,
    readings: listWebhookReadings(signature ?? ''),
    groups: WEBHOOK_ERRORS,
    expected: {
      whole:
        'HMAC-SHA256 with the decoded key of the endpoint’s secret over ' +
        'webhook-id.webhook-timestamp.body of the received message.',
      signature: 'webhook-signature as v1,<base64 of 32 bytes>, with a single space between signatures.',
    },
    remaining: () => remainingCauses(`${id}.${timestamp}.`, body, key.length),
  };
}

/** Returns the decoded bytes of a `whsec_` secret, or the text of any other secret. */
function keyOf(secret: string): Bytes {
  try {
    return webhookKey(secret);
  } catch (error) {
    if (error instanceof SecretFormatError) return secret;
    throw error;
  }
}

/** Minimum key size in the Standard Webhooks specification, in bytes. The service uses 32 bytes. */
const MIN_KEY_LENGTH = 24;
/** Maximum length of signed content in a finding. */
const MAX_SHOWN_LENGTH = 200;

function remainingCauses(prefix: string, body: Uint8Array, keyLength: number) {
  const secret =
    keyLength < MIN_KEY_LENGTH
      ? `the secret is too short (its key has ${keyLength} bytes; 32 are usual)`
      : 'the secret differs';
  const shown = prefix.length <= MAX_SHOWN_LENGTH ? `"${prefix}"` : 'webhook-id.webhook-timestamp.';
  return {
    causes: `${secret}, or the signed body differs from the received one`,
    fix:
      `The signed content is ${shown} and then a body of ${body.length} bytes whose SHA-256 ` +
      `begins with ${hash('sha256', body, 'hex').slice(0, 16)}. Print both where your code ` +
      'signs or verifies. If they match, compare the secrets: the length, the first and ' +
      'the last characters.',
  };
}

/** Warns if only a later signature of a valid message matches. */
function findReceiverAdvice(
  webhook: FailedWebhook,
  known: WebhookDiagnosis,
  signature: string,
): SigningFinding[] {
  const { nowS, toleranceS = DEFAULT_TOLERANCE_S } = known;
  const secrets = known.secrets.filter(isCurrentSecret).map(({ secret }) => secret);
  const verdict = verifyWebhook({ ...webhook, secrets, nowS, toleranceS });
  if (!verdict.ok || verdict.signatureIndex === 0) return [];
  const number = `${verdict.signatureIndex + 1} of ${splitSignatures(signature).length}`;
  return [
    {
      id: 'only-first-signature-compared',
      did: `Signature ${number} matches; a receiver that compares only the first signature rejects the message.`,
      expected: 'A message is accepted if any of its signatures matches.',
      fix: 'Split webhook-signature at spaces and compare each v1 signature in constant time.',
      certainty: 'possible',
      alike: [],
    },
  ];
}

/**
 * Error id with an optional variant: `body-key-order` is the first variant, `body-key-order#1` the second.
 * @internal
 */
export type SigningErrorId = string;

/**
 * Creates a function that signs a webhook with errors from the tables. The function returns undefined if an
 * error does not apply to the webhook, and throws TypeError for unknown errors. @internal
 */
export function createFaultySigner({
  id,
  timestamp,
  body,
  secret,
}: {
  readonly id: string;
  readonly timestamp: string;
  readonly body: Uint8Array;
  readonly secret: string;
}): (mistakes: readonly SigningErrorId[]) => Buffer | undefined {
  const webhook = { body, headers: { id, timestamp, signature: '' } };
  const { message } = readWebhook(webhook, { secrets: [{ secret }], nowS: Number(timestamp) });
  const errors = WEBHOOK_ERRORS.flatMap((group) => group.errors);
  return (mistakes) => {
    const variants = mistakes.flatMap((name) => {
      const [id = '', number = '0'] = name.split('#');
      const error = errors.find((one) => one.id === id);
      if (error === undefined) throw new TypeError(`Unknown signing error: ${id}.`);
      return error.variants(message)[Number(number)] ?? [];
    });
    if (variants.length < mistakes.length) return undefined;
    const plan: SigningPlan = Object.assign({}, message.right, ...variants.map(({ change }) => change));
    return plan.algorithm(plan.key, buildContent(plan));
  };
}
