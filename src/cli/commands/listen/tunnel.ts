import type { IncomingHttpHeaders } from 'node:http';
import { EVENT_TYPES } from '../../../contract/enums.js';
import { LIMITS } from '../../../contract/limits.js';
import { createCompletedAttempt, createFailedAttempt } from '../../../delivery/attempt-failure.js';
import { type AttemptResult, createHttpSender } from '../../../delivery/http-attempt.js';
import { redactResult } from '../../../sandbox/attempt-records.js';
import { getErrorMessage } from '../../../text/errors.js';
import { presentBody } from '../../../text/exchange/present-exchange.js';
import { type KnownSecrets, redactHeaders, redactUrl } from '../../../text/redaction.js';
import {
  type InboxResponse,
  type IncomingRequest,
  maintainTunnel,
  createProbe,
  openInbox,
  TunnelGoneError,
  type TunnelOptions,
} from '../../../tunnel/tunnel.js';
import { collectOwnSecrets } from '../../program/configured-options.js';
import { listPassedFlags, type InvocationOf } from '../../program/declaration.js';
import { CliError, EXIT_CODES, createUsageError } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import { getUnixSeconds } from '../../program/options.js';
import { checkDelivery, type DeliveryCheck, type ForwarderOptions, toPrintedResult } from './forwarder.js';
import { findWebhookSecrets, formatSecretSource } from '../../signatures/secrets.js';
import { toOneLine } from '../../terminal/text.js';
import { formatAttempt } from './attempt-text.js';
import { FailureGroups } from './failure-hints.js';
import type { listen } from '../../declarations/serve.js';
import {
  type ListenerPlan,
  describeNoForwarding,
  planHeaders,
  planListeners,
  type TunnelPlan,
} from './plan.js';
import { parseJson } from '../../../text/json.js';

interface TunnelRun extends Pick<TunnelOptions, 'localPort' | 'probe' | 'signal' | 'pause'> {
  readonly plan: TunnelPlan;
  readonly io: Io;
  readonly onUrl?: (url: string) => void;
  readonly onReady: (url: string) => void;
}

/**
 * Maintains a tunnel until the signal aborts, and prints its state. Rejects with exit code 1: TUNNEL_FAILED
 * if the tunnel cannot be opened, TUNNEL_LOST if it cannot be reopened.
 */
export async function runTunnel({ plan, io, onUrl, onReady, ...rest }: TunnelRun): Promise<void> {
  const { relay, name } = plan;
  const { yellow, green, bold } = io.colors;
  io.note(
    `${yellow('warning')} All traffic passes through ${relay.host}, whose operator can read ` +
      'and change it. Send only test data.',
  );
  let before: string | undefined;
  const onOpen = (url: string) => {
    if (before === undefined) onReady(url);
    else {
      io.emit({ type: 'tunnel', state: 'open', url, changed: url !== before });
      io.note(
        url === before
          ? `${green('The tunnel was reopened')} at ${url}`
          : `${yellow('The public URL has changed.')} Register ${bold(url)} instead of ${before}`,
      );
    }
    before = url;
  };
  const onFailedAttempt: TunnelOptions['onFailedAttempt'] = ({ reason, tries, limit, waitMs }) => {
    io.emit({ type: 'tunnel', state: 'failed', reason, tries, limit, wait_ms: waitMs });
    const next = `Retrying in ${waitMs / 1000} s (attempt ${tries + 1} of ${limit}).`;
    io.note(`${yellow('The tunnel is closed.')} ${toOneLine(reason, 0)} ${next}`);
  };
  try {
    await maintainTunnel({
      ...rest,
      relay,
      name,
      onUrl: onUrl ?? (() => undefined),
      onOpen,
      onFailedAttempt,
    });
  } catch (error) {
    if (!(error instanceof TunnelGoneError)) throw error;
    const { message, wasOpen } = error;
    const what = wasOpen
      ? 'The tunnel was lost and could not be reopened.'
      : 'The tunnel could not be opened.';
    throw new CliError(
      EXIT_CODES.no,
      wasOpen ? 'TUNNEL_LOST' : 'TUNNEL_FAILED',
      `${what} ${toOneLine(message, 0)}`,
      {
        hint: 'Check your internet connection, or use another localtunnel relay with --tunnel-host URL.',
      },
    );
  }
}

/** Exceeds the number of connections that a relay opens. */
const DEFAULT_CONCURRENCY = 16;
const SANDBOX_OPTIONS = [
  'name',
  'simulate',
  'duplicate',
  'shuffle',
  'delay',
  'app',
  'fresh',
  'printSecret',
] as const;

/**
 * Runs `sandbox listen --tunnel`: receives deliveries at a public URL, and forwards the correctly signed
 * ones. Requires no sandbox: the sender may be the real TEST environment.
 */
export async function listenThroughTunnel(
  invocation: InvocationOf<typeof listen>,
  plan: TunnelPlan,
): Promise<void> {
  const { io, options } = invocation;
  const { green, bold, yellow } = io.colors;
  const [stray] = listPassedFlags(options, SANDBOX_OPTIONS);
  if (stray !== undefined) {
    throw createUsageError(
      `${stray} applies only to deliveries from a sandbox, so it cannot be combined with --tunnel.`,
      'Remove one of the two options.',
    );
  }
  // Not an error, because the option may come from a settings file.
  if (options.retries !== undefined)
    io.note('--retries is ignored: with --tunnel, the sender controls retries.');
  const routes = planListeners(options);
  const secrets = options.skipVerify ? null : await findWebhookSecrets(invocation);
  const timeoutMs = options.timeout?.ms ?? LIMITS.attemptTimeoutMs;
  const sender = createHttpSender({
    policy: { routes: new Map(), allowLocalEndpoints: true },
    maxBodyBytes: LIMITS.controlBodyBytes,
  });
  const forwarder = new TunnelForwarder({
    io,
    routes,
    takesAll: routes[0].events.length === EVENT_TYPES.length,
    sender,
    headers: planHeaders(options.header),
    secrets: secrets?.map(({ secret }) => secret) ?? null,
    timeoutMs,
  });
  const probe = createProbe();
  const inbox = await openInbox({
    probe,
    bodyBytes: LIMITS.controlBodyBytes,
    bodyMs: timeoutMs,
    headerLines: LIMITS.requestHeaders,
    concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
    handle: (incoming) => forwarder.handleRequest(incoming),
  });
  const targets = routes.flatMap(({ target }) => (target ? redactUrl(target.href) : []));
  let wasReady = false;
  const onReady = (url: string) => {
    wasReady = true;
    const verifies = secrets !== null;
    io.emit({ type: 'ready', url, relay: plan.relay.host, forward_to: targets, verifies });
    io.note(`${green('Ready.')} Register ${bold(url)} as the webhook URL, with any path.`);
    if (targets.length === 0) io.note(describeNoForwarding(verifies));
    else io.note(`Webhooks are forwarded to ${targets.join(', ')}`);
    if (!verifies && targets.length > 0)
      io.note(yellow('Nothing is verified, so anyone can send to your application.'));
    for (const index of (secrets ?? []).keys())
      io.note(`Verified with secret ${formatSecretSource(secrets ?? [], index)}`);
    io.note('Press Ctrl-C to close the tunnel.\n');
  };
  try {
    await runTunnel({ plan, io, probe, localPort: inbox.port, signal: io.stopping, onReady });
  } finally {
    sender.close();
    await inbox.close();
    const { accepted, failed, kept, failures } = forwarder;
    if (wasReady) io.note(`\n${accepted} accepted, ${failed} failed, ${kept} not forwarded.`);
    failures.note(io, false);
  }
}

interface TunnelForwarderOptions extends Omit<ForwarderOptions, 'target'> {
  /** The first route with a matching event type wins. */
  readonly routes: readonly [ListenerPlan, ...ListenerPlan[]];
  /** Sends unknown event types to the first route. */
  readonly takesAll: boolean;
  /** One of the secrets must match; null skips verification. */
  readonly secrets: readonly string[] | null;
  readonly timeoutMs: number;
}

/** Outcome of a delivery; `result` is missing if the delivery was not forwarded. */
interface Outcome {
  readonly target?: URL;
  readonly result?: AttemptResult;
  readonly response: InboxResponse;
  readonly next?: string | undefined;
}

const NOT_VERIFIED: Outcome = {
  response: { status: 401, body: 'The webhook signature is invalid.\n' },
  next: 'not forwarded, responded with 401; --skip-verify forwards it anyway',
};
const NOT_FORWARDED: Outcome = { response: { status: 200, body: 'Nothing is forwarded.\n' } };
const NOT_WANTED: Outcome = {
  response: { status: 200, body: 'No listener accepts this event.\n' },
  next: 'not forwarded, responded with 200: no --forward-to or --events accepts the event',
};
const NO_RESULT = { ...createCompletedAttempt(200, null), status: null };

/** Verifies deliveries from a tunnel, forwards them, and returns the application's response to the sender. */
export class TunnelForwarder {
  readonly #options: TunnelForwarderOptions;
  /** Redacted from the application's responses. */
  readonly #secrets: KnownSecrets;
  readonly failures = new FailureGroups();
  accepted = 0;
  failed = 0;
  kept = 0;

  constructor(options: TunnelForwarderOptions) {
    this.#options = options;
    this.#secrets = collectOwnSecrets(options.io.env, options.headers);
    this.#secrets.add(options.secrets ?? []);
  }

  async handleRequest({ headers: received, body }: IncomingRequest): Promise<InboxResponse> {
    const headers = endToEndHeaders(received);
    const check = await checkDelivery({
      headers,
      body,
      secret: this.#options.secrets,
      nowS: getUnixSeconds(),
    });
    const outcome = check.verified === false ? NOT_VERIFIED : await this.#forward(headers, body);
    if (outcome === undefined) return { status: 503, body: 'The tunnel is closing.\n' };
    const { result } = outcome;
    this[result === undefined ? 'kept' : result.error === null ? 'accepted' : 'failed'] += 1;
    this.#show(headers, body, check, outcome);
    return outcome.response;
  }

  /** Returns undefined if stopping the command canceled the attempt. */
  async #forward(headers: Readonly<Record<string, string>>, body: Buffer): Promise<Outcome | undefined> {
    const { io, sender, headers: added, timeoutMs, routes, takesAll } = this.#options;
    const type = typeOf(body);
    const route = routes.find(({ events }) => events.some((event) => event === type));
    if (route === undefined && !takesAll) return NOT_WANTED;
    const { target } = route ?? routes[0];
    if (target === undefined) return NOT_FORWARDED;
    const request = { url: target.href, headers: { ...added, ...headers }, body, timeoutMs };
    const result = await sender
      .send(request)
      .catch((error: unknown) =>
        io.stopping.aborted ? undefined : createFailedAttempt('CONNECTION_FAILED', getErrorMessage(error)),
      );
    if (result === undefined) return undefined;
    const response = answerOf(result);
    const next = `responded with ${response.status}; the sender decides the next step`;
    return { target, result, response, next: result.error === null ? undefined : next };
  }

  #show(
    headers: Readonly<Record<string, string>>,
    body: Buffer,
    check: DeliveryCheck,
    { target, response, next, result: sent = NO_RESULT }: Outcome,
  ): void {
    const { io, routes } = this.#options;
    const result = redactResult(sent, this.#secrets);
    io.emit({
      type: 'attempt',
      headers: Object.fromEntries(redactHeaders(Object.entries(headers))),
      ...presentBody(body),
      ...toPrintedResult(result),
      verified: check.verified,
      forwarded_to: target === undefined ? null : redactUrl(target.href),
      answered_status: response.status,
    });
    if (io.json) return;
    const own = { attempt: { headers }, body, check, next, failures: this.failures, io };
    const shown =
      target === undefined
        ? { result: createCompletedAttempt(response.status, null), target: routes[0].target }
        : { result, target };
    io.say(formatAttempt({ ...own, ...shown }).join('\n'));
  }
}

/** Headers that describe only the connection, the host or the body's framing. */
const HOP_BY_HOP = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

function endToEndHeaders(received: IncomingHttpHeaders): Record<string, string> {
  const named = new Set((received.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  const notForwardedCount = Object.entries(received).filter(
    ([name]) => !HOP_BY_HOP.has(name) && !named.has(name),
  );
  return Object.fromEntries(notForwardedCount.map(([name, value]) => [name, [value].flat().join(', ')]));
}

const ANSWER_HEADERS = new Set(['content-type', 'retry-after', 'location']);

function answerOf({ status, error, response }: AttemptResult): InboxResponse {
  if (status === null || status < 200) {
    const body = `The application did not respond: ${error ?? 'no status'}.\n`;
    return { status: error === 'TIMEOUT' ? 504 : 502, body };
  }
  const headers = (response?.headers ?? []).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    status,
    headers: Object.fromEntries(headers.filter(([name]) => ANSWER_HEADERS.has(name))),
    body: response?.body ?? '',
  };
}

function typeOf(body: Buffer): unknown {
  return (parseJson(body.toString('utf8')) as { readonly type?: unknown } | null | undefined)?.type;
}
