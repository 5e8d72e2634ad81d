import { RUNNER_COMMANDS } from '../../../contract/enums.js';
import { FAULT_APIS, listFiredKinds, findForgery } from '../../../contract/fault-kinds.js';
import { isDelivered } from '../../../contract/transitions.js';
import { findLedgerProblems } from '../../../core/payments/ledger.js';
import type { Attempt, Delivery, Endpoint } from '../../../core/world.js';
import { raceAbort } from '../../../delivery/abort.js';
import { applyRoutes } from '../../../delivery/destination.js';
import type { AttemptResult } from '../../../delivery/http-attempt.js';
import { isUnmatched } from '../../../http/control/call-tests.js';
import type { AttemptRecord } from '../../../sandbox/attempt-records.js';
import type { Call } from '../../../sandbox/call-log.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { groupBy } from '../../../text/group-by.js';
import { PROGRAM_NAME } from '../../../text/program-name.js';
import { parseListenerTarget } from '../../../text/listener-name.js';
import { redactUrl } from '../../../text/redaction.js';
import type { FAIL_ON } from '../../../config/settings.js';
import { toOneLine } from '../../terminal/text.js';
import { isRefusedAfter } from './exec-sandbox.js';
import { explainFailure, formatHint, isReceiverFailure, toFailedResponse } from '../listen/failure-hints.js';

export type FailureThreshold = (typeof FAIL_ON)[number];

export interface ExecFinding {
  readonly kind: FailureThreshold | 'unused';
  readonly message: string;
}

/** Collects observations during the run, because a reset empties the sandbox. */
export interface SandboxWatch {
  readonly sandbox: Sandbox;
  /** Messages about refused forged copies. */
  readonly refused: readonly string[];
  readonly isUsed: () => boolean;
  /** Resolves when no forged copy is in flight, or when the signal aborts. */
  readonly settled: (signal: AbortSignal) => Promise<void>;
  readonly findings: (kinds: readonly FailureThreshold[], ended?: Ended) => readonly ExecFinding[];
}

interface Ended {
  readonly endedAt: number;
  readonly isDone: boolean;
}

const APIS: ReadonlySet<string> = new Set(FAULT_APIS);
const COMMANDS: ReadonlySet<string> = new Set(RUNNER_COMMANDS);
/** Limits the stored requests, because a broken test can repeat a request many times. */
const MOST_CALLS = 100;

export const UNUSED_SANDBOX_TEXT =
  'The command succeeded, but nothing used the sandbox: it received no API request, no ' +
  'receiver responded to an event, and no check, explore or run used it. Make ' +
  'your code read SANDBOX_BASE_URL and the other variables in the environment block, or pass ' +
  '--allow-unused.';

/** Watches a sandbox; with `unverified`, also sends each receiver a forged copy. */
export function watchSandbox(sandbox: Sandbox, failOn: readonly FailureThreshold[]): SandboxWatch {
  let isUsed = false;
  const unmatched = new Map<string, { readonly call: Call; times: number }>();
  const forgeries = new ForgeryProbe(sandbox, failOn.includes('unverified'));
  sandbox.calls.subscribe((call) => {
    isUsed ||= APIS.has(call.api);
    if (!isUnmatched(call)) return;
    const request = `${call.method} ${call.path.split('?')[0] ?? ''}`;
    const known = unmatched.get(request);
    if (known !== undefined) known.times += 1;
    else if (unmatched.size < MOST_CALLS) unmatched.set(request, { call, times: 1 });
  });
  sandbox.timeline.subscribe(({ facts: { command = '', scenario } }) => {
    isUsed ||= scenario !== undefined || COMMANDS.has(command);
  });
  sandbox.subscribe((effects) => {
    for (const effect of effects) {
      if (effect.type !== 'attempt.ended') continue;
      isUsed ||= effect.attempt.status !== null;
      forgeries.add(effect.delivery, effect.attempt);
    }
  });
  const messages: Readonly<Record<FailureThreshold, (ended: Ended) => readonly string[]>> = {
    undelivered: ({ endedAt }) => undelivered(sandbox, endedAt),
    unverified: ({ isDone }) => forgeries.problems(isDone && isUsed),
    ledger: () => findLedgerProblems(sandbox.world),
    unmatched: () =>
      Array.from(unmatched, ([request, { call, times }]) => {
        const { status, error, hint } = call;
        const response = [status, error ?? ''].join(' ').trimEnd();
        const often = times === 1 ? '' : `, ${times} times`;
        return `${request} matched no route (${response}${often}).${hint === null ? '' : ` ${hint}`}`;
      }),
  };
  return {
    sandbox,
    refused: forgeries.refused,
    isUsed: () => isUsed,
    settled: (signal) => forgeries.settled(signal),
    findings: (kinds, ended = { endedAt: Infinity, isDone: true }) =>
      kinds.flatMap((kind) => messages[kind](ended).map((message) => ({ kind, message }))),
  };
}

const FIX =
  'Verify the signature over the raw body before anything else, and respond with 400 if it is invalid.';
const NO_DELIVERY =
  'No forged copy was sent, because no delivery was accepted with 2xx. It is unknown ' +
  'whether signatures are verified. Make your application receive an event while the ' +
  'command is running, through --forward-to or a registered endpoint.';

/** Sends a forged copy to every receiver, and collects the accepted forgeries. */
class ForgeryProbe {
  readonly refused: string[] = [];
  readonly #accepted: string[] = [];
  /** Receivers by URL. `failure` is set if the forged copy got no response. */
  readonly #receivers = new Map<string, { readonly place: string; readonly failure?: string }>();
  readonly #open = new Set<Promise<void>>();
  readonly #sandbox: Sandbox;
  readonly #sends: boolean;

  constructor(sandbox: Sandbox, sends: boolean) {
    this.#sandbox = sandbox;
    this.#sends = sends;
  }

  async settled(signal: AbortSignal): Promise<void> {
    await raceAbort(Promise.all(this.#open), signal).catch(() => undefined);
  }

  problems(expectsDelivery: boolean): readonly string[] {
    const unobserved = [...this.#receivers.values()].flatMap(({ place, failure }) =>
      failure === undefined
        ? []
        : `${place} accepted an event, but did not respond to a forged copy (${failure}). Keep the ` +
          'receiver running until exec stops it.',
    );
    const problems = [...this.#accepted, ...unobserved];
    const isTried = this.#receivers.size > 0 || problems.length > 0;
    return expectsDelivery && !isTried ? [NO_DELIVERY] : problems;
  }

  add(delivery: Delivery, attempt: Attempt): void {
    const { number, status, error, faults = [] } = attempt;
    const forgery = findForgery(faults);
    if (forgery === undefined) {
      // A simulated response does not come from the application.
      const isAccepted = error === null && listFiredKinds('delivery', faults, 'respond').length === 0;
      if (this.#sends && isAccepted) this.#try(delivery);
    } else if (!forgery.isValid && status !== null && error === null) {
      const { id, event } = delivery;
      const response = bodyText(this.#sandbox.epoch.records.get(id, number)?.result);
      this.#accepted.push(
        `${event.type} of ${event.resource.code}: attempt ${number} had the fault ${forgery.action} and ` +
          `was accepted with ${status}${response}. ${FIX}`,
      );
    }
  }

  #try(delivery: Delivery): void {
    const { world, testReceiver } = this.#sandbox;
    const endpoint = world.endpoints.get(delivery.endpointId);
    if (endpoint === undefined || endpoint === testReceiver.endpoint) return;
    const { url, description } = endpoint;
    const known = this.#receivers.get(url);
    if (known !== undefined && known.failure === undefined) return;
    const place = parseListenerTarget(description)?.target ?? redactUrl(url);
    this.#receivers.set(url, { place });
    const work = this.#send(delivery, url, place)
      .catch(() => undefined)
      .finally(() => this.#open.delete(work));
    this.#open.add(work);
  }

  async #send(delivery: Delivery, url: string, place: string): Promise<void> {
    const result = await this.#sandbox.epoch.sendForgedCopy(delivery);
    if (result === undefined || result.status === null) {
      // The next accepted delivery triggers another copy.
      this.#receivers.set(url, { place, failure: result?.error ?? 'it was disconnected' });
      return;
    }
    const response = `${result.status}${bodyText(result)}`;
    const { type } = delivery.event;
    if (result.error !== null) this.refused.push(`${place} refused a forged ${type} with ${response}`);
    else
      this.#accepted.push(
        `${place} accepted a forged ${type} (wrong signature, new webhook-id) with ${response}. ${FIX}`,
      );
  }
}

const BODY_WIDTH = 200;

/** Returns the start of a response body, e.g. `: the database is on fire`. */
function bodyText(result: Pick<AttemptResult, 'response'> | undefined): string {
  const body = result?.response?.body;
  const text = body === undefined ? '' : toOneLine(Buffer.from(body).toString('utf8'), BODY_WIDTH);
  return text === '' ? '' : `: ${text}`;
}

/** Reports each undelivered event, grouped by equal outcomes. */
function undelivered(sandbox: Sandbox, endedAt: number): string[] {
  const { deliveries, endpoints } = sandbox.world;
  const found = deliveries.rows
    .filter(({ status }) => !isDelivered(status))
    .map((delivery) => {
      const { event, status, endpointId } = delivery;
      const endpoint = endpoints.get(endpointId);
      const place = endpoint?.description ?? endpoint?.url ?? endpointId;
      const attempts = attemptsText(sandbox, delivery, endpoint && findTarget(sandbox, endpoint), endedAt);
      const name = `${event.type} of ${event.resource.code}`;
      return { name, outcome: `is ${status} (${place}) ${attempts}` };
    });
  return [...groupBy(found, ({ outcome }) => outcome)].map(([outcome, [{ name }, ...others]]) =>
    others.length === 0
      ? `${name} ${outcome}`
      : `${name} ${outcome} ${others.length} more undelivered in the same way.`,
  );
}

/** Returns the URL of the application, unless a listener does not forward. */
function findTarget({ policy }: Sandbox, { transport, url, description }: Endpoint): string | undefined {
  return transport === 'listener' ? parseListenerTarget(description)?.target : applyRoutes(url, policy);
}

/** Summarizes the outcomes of the attempts. Skips attempts refused after the command exited. */
function attemptsText(
  { epoch: { records } }: Sandbox,
  delivery: Delivery,
  target: string | undefined,
  endedAt: number,
): string {
  const { id, lastError, lastStatus, inFlight } = delivery;
  const attempts = inFlight ? delivery.attempts - 1 : delivery.attempts;
  const all = Array.from({ length: attempts }, (_, index) => records.get(id, index + 1));
  const made = all.filter((record) => record === undefined || !isRefusedAfter(record, endedAt));
  if (made.length < attempts && made.length === 0) {
    return 'because the command exited before the first attempt; exit only after handling the webhook';
  }
  const known = made.filter((record) => record !== undefined);
  const count = made.length === 1 ? '1 attempt' : `${made.length} attempts`;
  // The last error has no record if the endpoint was disabled, or if old records were dropped.
  const isRecorded = lastError === null || all.some((record) => record?.result.error === lastError);
  const last = lastError === 'HTTP_STATUS' ? `${lastError} ${lastStatus}` : lastError;
  const causes = isRecorded ? outcomesOf(known) : [...outcomesOf(known), last];
  if (causes.length === 0) return `after ${count}`;
  const hint = hintOf(delivery, known[0], target);
  return `after ${count}: ${causes.join('; then ')}${hint === undefined ? '' : `. ${hint}`}`;
}

/** Explains an attempt, or the last one if none is recorded. Returns undefined if a fault caused its outcome. */
function hintOf(
  { log, lastStatus: status, lastError: error }: Delivery,
  record: AttemptRecord | undefined,
  target: string | undefined,
): string | undefined {
  const attempt = record === undefined ? log.at(-1) : log.find(({ number }) => number === record.number);
  if (!isReceiverFailure(attempt?.faults)) return undefined;
  const unrecorded = { status, error, headers: [], body: new Uint8Array() };
  const response = record === undefined ? unrecorded : toFailedResponse(record.result);
  const cause = explainFailure(target, response);
  const hasCommand = target !== undefined && response.status !== null;
  const command = hasCommand ? `\`${PROGRAM_NAME} check --forward-to ${redactUrl(target)}\`` : undefined;
  return cause && formatHint(cause, command);
}

function outcomesOf(records: readonly AttemptRecord[]): string[] {
  const byOutcome = groupBy(records, ({ result: { error, status } }) =>
    [error, status].filter((part) => part !== null).join(' '),
  );
  return [...byOutcome].map(([outcome, [first, ...more]], index) => {
    const count = more.length === 0 ? '' : `${more.length + 1} × `;
    return `${count}${outcome}${index === 0 ? bodyText(first?.result) : ''}`;
  });
}
