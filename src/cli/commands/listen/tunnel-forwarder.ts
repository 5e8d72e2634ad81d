import type { IncomingHttpHeaders } from 'node:http';
import type { KnownSecrets } from '../../../text/known-secrets.js';
import { withoutHeaderSecrets, withoutUrlSecrets } from '../../../text/redaction.js';
import type { AttemptResult } from '../../../delivery/http-attempt.js';
import { withoutSecrets } from '../../../sandbox/attempt-records.js';
import type { InboxAnswer, Incoming } from '../../../tunnel/inbox.js';
import { attemptLines } from './attempt-lines.js';
import type { ForwarderOptions } from './forwarder.js';
import { shownResult } from './forwarder.js';
import { presentS } from '../../program/instants.js';
import type { ListenerPlan } from './plan.js';
import { shortened } from '../../../text/redaction.js';
import type { DeliveryCheck } from '../../signatures/check-delivery.js';
import { ownSecrets } from '../../program/own-secrets.js';
import { checkDelivery } from '../../signatures/check-delivery.js';
import { shownBody } from '../../../text/shown-body.js';

export interface TunnelForwarderOptions extends Omit<ForwarderOptions, 'target'> {
  /** The first route that accepts the event's type gets it. */
  readonly routes: readonly [ListenerPlan, ...ListenerPlan[]];
  /** Whether to forward unknown types, too; the first route gets them. */
  readonly takesAll: boolean;
  /** The webhook secrets, one of which has to match; null skips verification. */
  readonly secrets: readonly string[] | null;
  readonly timeoutMs: number;
}

/** A received delivery, and whether its signature is valid. */
interface Arrived {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly check: DeliveryCheck;
}

/** The result of a delivery; without a target, it was not forwarded. */
interface Outcome {
  readonly target: URL | undefined;
  readonly result: AttemptResult;
  readonly answer: InboxAnswer;
  /** What to print beside it. */
  readonly next: string | undefined;
}

/** Verifies deliveries from a tunnel, forwards them, and returns the application's answer to the sender. */
export class TunnelForwarder {
  readonly #options: TunnelForwarderOptions;
  /** Secrets to hide if the application repeats them in its answer. */
  readonly #secrets: KnownSecrets;
  /** How many were accepted, failed, and not forwarded. */
  accepted = 0;
  failed = 0;
  kept = 0;

  constructor(options: TunnelForwarderOptions) {
    this.#options = options;
    this.#secrets = ownSecrets(options.io.env, options.headers);
    this.#secrets.learn(options.secrets ?? []);
  }

  /** Makes one attempt for a request; resolves to the answer for its sender. */
  async take({ headers: received, body }: Incoming): Promise<InboxAnswer> {
    const headers = endToEnd(received);
    const check = await checkDelivery({ headers, body, secret: this.#options.secrets, nowS: presentS() });
    const arrived = { headers, body, check };
    if (check.verified === false) return this.#keep(arrived, NOT_VERIFIED);
    const route = this.#routeOf(body);
    if (route === undefined) return this.#keep(arrived, NOT_WANTED);
    const { target } = route;
    if (target === undefined) return this.#keep(arrived, NOT_FORWARDED);
    const result = await this.#send(target, arrived);
    if (result === undefined) return { status: 503, body: 'The tunnel is closing.\n' };
    const answer = answerOf(result);
    const isAccepted = result.error === null;
    if (isAccepted) this.accepted += 1;
    else this.failed += 1;
    const next = isAccepted ? undefined : `answered ${answer.status}; its sender decides what comes next`;
    this.#show(arrived, { target, result, answer, next });
    return answer;
  }

  /** Undefined if it was cancelled because the command is stopping. */
  async #send(target: URL, { headers, body }: Arrived): Promise<AttemptResult | undefined> {
    const { io, sender, headers: added, timeoutMs } = this.#options;
    try {
      return await sender.send({ url: target.href, headers: { ...added, ...headers }, body, timeoutMs });
    } catch (error) {
      if (io.stopping.aborted) return undefined;
      const detail = error instanceof Error ? error.message : String(error);
      return { ...NO_RESULT, error: 'CONNECTION_FAILED', detail };
    }
  }

  #routeOf(body: Buffer): ListenerPlan | undefined {
    const { routes, takesAll } = this.#options;
    const type = typeOf(body);
    const route = routes.find(({ events }) => events.some((event) => event === type));
    return route ?? (takesAll ? routes[0] : undefined);
  }

  /** Answers without the application. */
  #keep(arrived: Arrived, { answer, next }: Kept): InboxAnswer {
    this.kept += 1;
    this.#show(arrived, { target: undefined, result: NO_RESULT, answer, next });
    return answer;
  }

  #show({ headers, body, check }: Arrived, { target, result: got, answer, next }: Outcome): void {
    const { io, routes, secrets } = this.#options;
    const result = withoutSecrets(got, this.#secrets);
    io.emit({
      type: 'attempt',
      headers: Object.fromEntries(withoutHeaderSecrets(Object.entries(headers))),
      ...shownBody(body),
      ...shownResult(result),
      verified: check.verified,
      forwarded_to: target === undefined ? null : withoutUrlSecrets(target.href),
      answered_status: answer.status,
    });
    if (io.json) return;
    const shown =
      target === undefined ? { ...result, status: answer.status, error: errorOf(answer) } : result;
    const attempt = { headers };
    const place = target ?? routes[0].target;
    const secret = target === undefined ? undefined : secrets?.map(shortened).join(' or ');
    io.say(attemptLines({ attempt, body, check, result: shown, target: place, secret, next, io }).join('\n'));
  }
}

const NO_RESULT: AttemptResult = {
  status: null,
  error: null,
  detail: null,
  bodyError: null,
  latencyMs: 0,
  response: null,
};

type Kept = Pick<Outcome, 'answer' | 'next'>;

const NOT_VERIFIED: Kept = {
  answer: { status: 401, body: 'The webhook signature is invalid.\n' },
  next: 'not forwarded, answered 401; --skip-verify forwards it anyway',
};
const NOT_FORWARDED: Kept = { answer: { status: 200, body: 'Nothing is forwarded.\n' }, next: undefined };
const NOT_WANTED: Kept = {
  answer: { status: 200, body: 'No listener here takes this event.\n' },
  next: 'not forwarded, answered 200: no --forward-to or --events takes it',
};

/** Headers that belong to the connection, the requested host, or the framing of the body. */
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

/** The headers from the sender for the receiver, unchanged. */
function endToEnd(received: IncomingHttpHeaders): Record<string, string> {
  const named = new Set((received.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  const kept = Object.entries(received).filter(([name]) => !HOP_BY_HOP.has(name) && !named.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, [value].flat().join(', ')]));
}

function errorOf({ status }: InboxAnswer): AttemptResult['error'] {
  return status < 300 ? null : 'HTTP_STATUS';
}

const ANSWER_HEADERS = new Set(['content-type', 'retry-after', 'location']);

function answerOf({ status, error, response }: AttemptResult): InboxAnswer {
  if (status === null || status < 200) {
    const isLate = error === 'TIMEOUT';
    return { status: isLate ? 504 : 502, body: `The application did not answer: ${error ?? 'no status'}.\n` };
  }
  const headers = (response?.headers ?? []).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    status,
    headers: Object.fromEntries(headers.filter(([name]) => ANSWER_HEADERS.has(name))),
    body: response?.body ?? '',
  };
}

function typeOf(body: Buffer): string | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    const { type } = (value ?? {}) as { readonly type?: unknown };
    return typeof type === 'string' ? type : undefined;
  } catch {
    return undefined;
  }
}
