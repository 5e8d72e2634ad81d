import { toAttemptReport, type ReportResult } from '../../../client/listener.js';
import type { ControlClient } from '../../../client/control.js';
import { EVENT_TYPES } from '../../../contract/enums.js';
import { createCompletedAttempt } from '../../../delivery/attempt-failure.js';
import type { AttemptResult, HttpSender } from '../../../delivery/http-attempt.js';
import type { ListenerAttempt } from '../../../delivery/listener-hub.js';
import { redactResult } from '../../../sandbox/attempt-records.js';
import { presentBody } from '../../../text/exchange/present-exchange.js';
import type { KnownSecrets } from '../../../text/redaction.js';
import { collectOwnSecrets } from '../../program/configured-options.js';
import type { Io } from '../../program/io.js';
import { getUnixSeconds } from '../../program/options.js';
import { formatAttempt, formatForgedNotice } from './attempt-text.js';
import { FailureGroups } from './failure-hints.js';
import type { HeaderRecord } from '../../../signing/message.js';
import { verifyWebhook } from '../../../signing/webhook.js';

/** Received delivery. A null secret skips verification. */
interface ArrivedDelivery {
  readonly headers: HeaderRecord;
  readonly body: Buffer;
  readonly secret: string | readonly string[] | null;
  readonly nowS: number;
}

/** Result of verifying a delivery; `verified` is null if verification was skipped. */
export interface DeliveryCheck {
  readonly verified: boolean | null;
  readonly problem: string | null;
  /** The fault wrong-signature broke the signature. */
  readonly isInjected?: boolean;
}

/** Verifies a delivery as its receiver must (§5.5), and diagnoses an invalid signature. */
export async function checkDelivery(arrived: ArrivedDelivery): Promise<DeliveryCheck> {
  const { headers, body, secret, nowS } = arrived;
  if (secret === null) return { verified: null, problem: null };
  const verdict = verifyWebhook({ headers, body, secrets: secret, nowS });
  if (verdict.ok) return { verified: true, problem: null };
  const { diagnoseWebhook } = await import('../../../signing/diagnosis/webhook.js');
  const [finding] = diagnoseWebhook(
    { headers, body },
    { secrets: [secret].flat().map((one) => ({ secret: one })), nowS },
  );
  const problem = `${verdict.cause}: ${finding?.did ?? verdict.message}`;
  return { verified: false, isInjected: finding?.id === 'injected-fault', problem };
}

export interface ForwarderOptions {
  readonly io: Io;
  /** Without a target, attempts are verified and get a 200 response. */
  readonly target: URL | undefined;
  readonly sender: HttpSender;
  readonly headers: Readonly<Record<string, string>>;
  /** Omits suggested commands, because the sandbox exits before anyone could run them. */
  readonly endsSoon?: boolean;
  /** Cancels attempts in flight without reporting them. */
  readonly abandoned?: AbortSignal | undefined;
}

/** Sandbox side of a connection. */
export interface SandboxPorts {
  readonly client: ControlClient;
  /** Null skips verification. */
  readonly secret: string | null;
  /** Counts sends per webhook-id in the current attempt, by delivery id. */
  readonly sends: Map<string, { readonly attempt: number; readonly counts: Map<string, number> }>;
}

/** Verifies attempts, forwards them to the application, then reports and prints the results. */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #secrets: KnownSecrets;
  readonly failures = new FailureGroups();
  accepted = 0;
  failed = 0;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#secrets = collectOwnSecrets(options.io.env, options.headers);
  }

  async forward(side: SandboxPorts, attempt: ListenerAttempt, report: ReportResult): Promise<void> {
    const { io, target, endsSoon = false, abandoned } = this.#options;
    const { client, secret, sends } = side;
    const { headers, delivery_id, forged = false } = attempt;
    const comment = forged ? '' : extraSendRemark(sends, attempt);
    const body = Buffer.from(attempt.body, 'base64');
    const check = await checkDelivery({ headers, body, secret, nowS: getUnixSeconds() });
    const { verified } = check;
    const sent = await this.#send(attempt, body, forged && verified === false).catch((error: unknown) => {
      if (abandoned?.aborted !== true) throw error;
    });
    if (sent === undefined) return;
    this.#secrets.add([secret, client.token].filter((known) => typeof known === 'string'));
    const result = redactResult(sent, this.#secrets);
    if (!forged) this[result.error === null ? 'accepted' : 'failed'] += 1;
    const delivery = await report(result);
    const shown = { headers, ...presentBody(body), ...toPrintedResult(result) };
    if (forged) {
      io.emit({ type: 'forged', ...shown });
      return io.say(formatForgedNotice({ io, body, result }).join('\n'));
    }
    const isEnded = delivery === null || !delivery.in_flight || delivery.attempts >= attempt.attempt;
    if (isEnded && sends.get(delivery_id)?.attempt === attempt.attempt) sends.delete(delivery_id);
    io.emit({ type: 'attempt', delivery_id, attempt: attempt.attempt, ...shown, verified, delivery });
    if (io.json) return;
    const problem = check.isInjected === true ? injectedText(result, target) : check.problem;
    const { failures } = this;
    const common = { attempt, body, result, delivery, comment, target, failures, io, endsSoon };
    io.say(formatAttempt({ ...common, check: { ...check, problem } }).join('\n'));
  }

  /** Sends an attempt to the target, or without a target creates the response itself. */
  async #send(attempt: ListenerAttempt, body: Buffer, isForgery: boolean): Promise<AttemptResult> {
    const { target, sender, headers, abandoned } = this.#options;
    if (target === undefined) return createCompletedAttempt(isForgery ? 400 : 200, null);
    const request = { headers: { ...headers, ...attempt.headers }, body, timeoutMs: attempt.timeout_ms };
    return sender.send({ url: target.href, ...request }, abandoned);
  }
}

/**
 * Describes a signature broken by a fault. Accepting the signature is an application bug; refusing it is
 * correct.
 */
function injectedText({ error }: AttemptResult, target: URL | undefined): string {
  const broken = 'signature_mismatch: the fault wrong-signature was injected';
  if (target === undefined) return `${broken}.`;
  return error === null
    ? `${broken}, and your application accepted it: verify signatures before anything else.`
    : `${broken}, and your application correctly refused it.`;
}

export function toPrintedResult(result: AttemptResult) {
  const { response_body: _bytes, ...shown } = toAttemptReport(result);
  const { response } = result;
  if (response === null) return { ...shown, response_body: null };
  const { body, body_base64: encoded } = presentBody(response.body, response.truncated);
  return {
    ...shown,
    ...(encoded === undefined ? { response_body: body } : { response_body_base64: encoded }),
  };
}

/** Describes an extra request sent by a fault; returns an empty string for the first request. */
function extraSendRemark(
  sends: SandboxPorts['sends'],
  { delivery_id, attempt, headers, body }: ListenerAttempt,
): string {
  const known = sends.get(delivery_id);
  const { counts } = known?.attempt === attempt ? known : { counts: new Map<string, number>() };
  sends.set(delivery_id, { attempt, counts });
  const id = headers['webhook-id'] ?? '';
  const isFirst = counts.size === 0;
  const count = (counts.get(id) ?? 0) + 1;
  counts.set(id, count);
  if (count > 1) return `duplicate: a fault sent this event ${count === 2 ? 'twice' : `${count} times`}`;
  if (isFirst) return '';
  const { type } = JSON.parse(Buffer.from(body, 'base64').toString()) as { readonly type: string };
  return EVENT_TYPES.some((event) => event === type)
    ? 'stale: a fault sent this event after a newer one'
    : 'unknown: a fault sent an event of a future type';
}
