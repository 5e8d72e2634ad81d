import { formatFirstLines } from '../../../check/receiver-response.js';
import { DIFFERENT_SECRET, type ResponseCause } from '../../../check/response-causes.js';
import { FAULTS } from '../../../contract/fault-kinds.js';
import { formatOutcome } from '../../../text/exchange/present-exchange.js';
import { DEFAULT_TOLERANCE_S } from '../../../signing/message.js';
import { redactUrl } from '../../../text/redaction.js';
import { parseUrl } from '../../../text/urls.js';
import { isLoopback } from '../../../delivery/addresses.js';
import { formatCommand, toCommandOptions } from '../../prompts/prompter.js';
import type { FoundAttempt } from '../../sandbox/find-sandbox.js';
import type { Io } from '../../program/io.js';
import type { RecordedAttempt } from '../../signatures/captured-webhook.js';
import { compareSecrets } from '../../signatures/env-files.js';
import { formatHanging, type TextFact, toOneLine } from '../../terminal/text.js';
import { explainFailure, isReceiverFailure, toRecordedResponse } from '../listen/failure-hints.js';

/** Why a receiver refused a correctly signed attempt. `evidence` lists observed causes. */
export interface ReceiverFinding extends Omit<ResponseCause, 'isSigning'> {
  readonly evidence: readonly { readonly message: string; readonly fix: string }[];
}

/**
 * Explains an attempt with a valid signature; `hint` names the next command. Returns undefined if the receiver did
 * not refuse the attempt itself.
 */
export function explainReceiver(io: Io, { delivery, attempt, secrets }: RecordedAttempt) {
  const { error, faults, number } = attempt;
  const cause = explainFailure(delivery.target_url, toRecordedResponse(attempt));
  if (cause === undefined || error === null || !isReceiverFailure(faults)) return undefined;
  const { id, endpoint_id, own_secret: isOwn } = delivery;
  const rotate = `\`${io.program} endpoints rotate ${endpoint_id}\` creates a new one`;
  const source = isOwn
    ? `the secret returned when the endpoint was created (${rotate})`
    : `the value that \`${io.program} env\` prints`;
  const fix = `Set it to ${source}, and restart the application.`;
  const known = secrets.map(({ secret }) => secret);
  const { others, isFound } = compareSecrets(io, known);
  const evidence = [...others.map((message) => ({ message, fix })), ...findClockSkew(attempt)];
  // The evidence names the secret, or makes it an unlikely cause.
  const rest = cause.suspects.filter((one) => one !== DIFFERENT_SECRET);
  const suspects =
    others.length > 0 ? rest : isFound ? [...new Set([...rest, ...cause.suspects])] : cause.suspects;
  const compare = `${io.program} verify --delivery ${id} --attempt ${number} --signature …`;
  const hints = [
    ...(cause.isSigning && evidence.length === 0
      ? [`To compare the signature that your code computed: \`${compare}\`.`]
      : []),
    ...(suspects.length > 0
      ? [`To find the exact cause by experiment: \`${formatCheckCommand(io, delivery)}\`.`]
      : []),
  ];
  const hint = hints.length === 0 ? null : hints.join(' ');
  return { finding: { message: cause.message, fix: cause.fix, suspects, evidence }, hint };
}

/** Returns the command that finds a signing error by experiment, with a placeholder for the endpoint’s own secret. */
function formatCheckCommand({ program }: Io, { target_url, own_secret: isOwn }: RecordedAttempt['delivery']) {
  const target = redactUrl(target_url ?? 'http://localhost:3000/webhooks');
  const url = parseUrl(target);
  const options = { forwardTo: target, yesRemote: url !== undefined && !isLoopback(url) };
  return `${program} ${formatCommand('check', [], toCommandOptions(options))}${isOwn ? ' --secret whsec_…' : ''}`;
}

/** Compares the Date header of the response with the real time of the attempt. */
function findClockSkew(attempt: FoundAttempt): ReceiverFinding['evidence'] {
  const { response, dispatched_at: sentAt = '', latency_ms: latencyMs = 0 } = attempt;
  const [, date = ''] = response?.headers.find(([name]) => name.toLowerCase() === 'date') ?? [];
  const skewS = Math.round((Date.parse(date) - Date.parse(sentAt) - latencyMs) / 1000);
  if (Number.isNaN(skewS) || Math.abs(skewS) <= DEFAULT_TOLERANCE_S) return [];
  const message =
    `The receiver's clock is ${Math.abs(skewS)} s ${skewS < 0 ? 'behind' : 'ahead of'} the sandbox's ` +
    `(Date: ${date}), so its timestamp check fails.`;
  return [{ message, fix: 'Synchronize the clock of the receiver’s machine or container.' }];
}

/** Lists the attempt, its target, its faults and the response. */
export function listAttemptFacts({ delivery, attempt }: RecordedAttempt): readonly TextFact[] {
  const { response_status: status, error, faults, number } = attempt;
  const text = formatFirstLines(toRecordedResponse(attempt));
  return [
    ['attempt', `${number} of ${delivery.attempt_limit}, delivery ${delivery.id}`],
    ['to', redactUrl(delivery.target_url ?? delivery.endpoint_url ?? '')],
    ...faults.map(({ action }): TextFact => ['fault', `${action}: ${FAULTS.delivery[action]?.meaning}`]),
    ['response', formatOutcome({ status, error }) + (text === '' ? '' : `: ${text}`)],
  ];
}

/** Formats observed causes first, then possible ones; a response that proves its cause comes before both. */
export function formatReceiverFinding(io: Io, finding: ReceiverFinding): string {
  const { message, fix, suspects, evidence } = finding;
  const isProven = suspects.length === 0;
  const causes = [
    ...(isProven ? [`${message} ${fix}`] : []),
    ...evidence.map((one) => `${one.message} ${one.fix}`),
    ...suspects.map((suspect) => `${suspect.charAt(0).toUpperCase()}${suspect.slice(1)}.`),
  ];
  const head = 'The signature that was sent is valid, so the cause is in the receiver.';
  const isList = causes.length > 1;
  const lines = causes.map((cause, index) => {
    const line = `${isList ? `${index + 1}. ` : ''}${toOneLine(cause, 0)}`;
    return formatHanging(line, io.columns, isList ? '   ' : '');
  });
  const intro = isProven ? head : `${head} ${message}${isList ? ' Check in this order:' : ''}`;
  return [formatHanging(intro, io.columns, ''), ...lines].join('\n');
}
