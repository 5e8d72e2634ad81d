import { type AttemptError, USING_COMMANDS } from '../../../contract/enums.js';
import { FAULT_DOORS, forgeryOf } from '../../../contract/fault-kinds.js';
import { ledgerProblems } from '../../../core/payments/ledger-check.js';
import type { Attempt, Delivery } from '../../../core/world.js';
import { untilAborted } from '../../../delivery/abort.js';
import type { AttemptResult } from '../../../delivery/http-attempt.js';
import { grouped } from '../../../explore/plan.js';
import { isUnmatched } from '../../../http/control/call-tests.js';
import type { AttemptRecord } from '../../../sandbox/attempt-records.js';
import type { Call, CallLog } from '../../../sandbox/call-log.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import type { Entry } from '../../../sandbox/timeline/entry.js';
import { listenerTarget } from '../../../text/listener-name.js';
import { withoutUrlSecrets } from '../../../text/redaction.js';
import type { FAIL_ON } from '../../program/shared-options.js';
import { oneLine } from '../../terminal/text.js';
import { isRefusedAfter } from './exec-sandbox.js';

const BODY_WIDTH = 200;

/** The start of a receiver's answer, such as `: the database is on fire`; empty if there was none. */
function answerText(result: Pick<AttemptResult, 'response'> | undefined): string {
  const body = result?.response?.body;
  const text = body === undefined ? '' : oneLine(Buffer.from(body).toString('utf8'), BODY_WIDTH);
  return text === '' ? '' : `: ${text}`;
}

const FORGERIES = new Set(['wrong-signature', 'stale-timestamp']);

const FIX = 'Verify the signature over the raw body before anything else, and respond 400 when it is wrong.';
const NO_DELIVERY =
  'Nothing forged was tried, because no delivery was accepted with 2xx: it is not known ' +
  'whether signatures are verified. Let your application receive an event within the ' +
  'command, through --forward-to or a registered endpoint.';

/**
 * Sends every receiver one forged delivery, and collects which forged deliveries were accepted, because a
 * reset empties the world.
 */
export class Forgeries {
  /** Receivers that refused the forged copy, each with its response. */
  readonly refused: string[] = [];
  readonly #accepted: string[] = [];
  /** Receivers that accepted an event, but did not respond to the forged copy. */
  readonly #unobserved = new Map<string, string>();
  /** Receivers that have responded, or are about to. */
  readonly #tried = new Set<string>();
  readonly #open = new Set<Promise<void>>();
  readonly #sandbox: Sandbox;

  /** `sends` a forged copy after the first accepted delivery to each receiver. */
  constructor(sandbox: Sandbox, sends: boolean) {
    this.#sandbox = sandbox;
    sandbox.subscribe((effects) => {
      for (const effect of effects) {
        if (effect.type !== 'attempt.ended') continue;
        const { delivery, attempt } = effect;
        const forgery = attempt.faults?.find(({ action }) => FORGERIES.has(action));
        if (forgery !== undefined) this.#addForged(delivery, attempt, forgery.action);
        else if (sends && isAccepted(attempt)) this.#try(delivery);
      }
    });
  }

  async settled(signal: AbortSignal): Promise<void> {
    await untilAborted(Promise.all(this.#open), signal).catch(() => undefined);
  }

  /**
   * The problem and the fix for each receiver that is not known to verify signatures, and for no receiver at
   * all where one is expected.
   */
  problems({ expectsDelivery }: { readonly expectsDelivery: boolean }): string[] {
    const unobserved = [...this.#unobserved].map(
      ([place, reason]) =>
        `${place} accepted an event, but did not respond to a forged copy (${reason}). Keep it ` +
        'running until exec ends it.',
    );
    const problems = [...this.#accepted, ...unobserved];
    const isTried = this.#tried.size > 0 || problems.length > 0;
    return expectsDelivery && !isTried ? [NO_DELIVERY] : problems;
  }

  #addForged({ id, event }: Delivery, { number, status, error }: Attempt, forgery: string): void {
    if (status === null || error !== null) return;
    const response = answerText(this.#sandbox.epoch.records.get(id, number)?.result);
    this.#accepted.push(
      `${event.type} of ${event.resource.code}: attempt ${number} had a ${forgery} and was ` +
        `accepted with ${status}${response}. ${FIX}`,
    );
  }

  #try(delivery: Delivery): void {
    const endpoint = this.#sandbox.world.endpoints.get(delivery.endpointId);
    if (endpoint === undefined || endpoint === this.#sandbox.testReceiver.endpoint) return;
    const { url, description } = endpoint;
    if (this.#tried.has(url)) return;
    this.#tried.add(url);
    const place = listenerTarget(description)?.target ?? withoutUrlSecrets(url);
    const work = this.#send(delivery, url, place)
      .catch(() => undefined)
      .finally(() => this.#open.delete(work));
    this.#open.add(work);
  }

  async #send(delivery: Delivery, url: string, place: string): Promise<void> {
    const result = await this.#sandbox.epoch.sendForgedCopy(delivery);
    if (result === undefined || result.status === null) {
      // The next accepted delivery tries again.
      this.#tried.delete(url);
      this.#unobserved.set(place, result?.error ?? 'it was disconnected');
      return;
    }
    this.#unobserved.delete(place);
    const response = `${result.status}${answerText(result)}`;
    const { type } = delivery.event;
    if (result.error !== null) this.refused.push(`${place} refused a forged ${type} with ${response}`);
    else
      this.#accepted.push(
        `${place} accepted a forged ${type} (wrong signature, new webhook-id) with ${response}. ${FIX}`,
      );
  }
}

/** Whether the application itself accepted an attempt that was signed as it has to be. */
function isAccepted({ error, faults = [] }: Attempt): boolean {
  const isSimulated = faults.some(({ action }) => action === 'answer');
  return error === null && !isSimulated && forgeryOf(faults) === undefined;
}

const APIS: ReadonlySet<string> = new Set(FAULT_DOORS);
const COMMANDS: ReadonlySet<string> = new Set(USING_COMMANDS);

export const UNUSED =
  'The command succeeded, but nothing used the sandbox: it received no API request, no ' +
  'receiver responded to an event, and no check, explore or run registered with it. Let ' +
  'your code read SANDBOX_BASE_URL and the other names of the environment block, or pass ' +
  '--allow-unused.';

/** Notes whether anything uses a sandbox, as it happens, because a reset empties the world. */
export class Usage {
  isUsed = false;

  constructor(sandbox: Sandbox) {
    sandbox.calls.subscribe(({ door }) => this.#note(APIS.has(door)));
    sandbox.timeline.subscribe((entry) => this.#note(isRegistration(entry)));
    sandbox.subscribe((effects) =>
      this.#note(effects.some((effect) => effect.type === 'attempt.ended' && effect.attempt.status !== null)),
    );
  }

  #note(isUse: boolean): void {
    this.isUsed ||= isUse;
  }
}

/** Whether an entry comes from a command that registered, or from a step of a scenario. */
function isRegistration({ facts: { command = '', scenario } }: Pick<Entry, 'facts'>): boolean {
  return scenario !== undefined || COMMANDS.has(command);
}

/** How many different calls are kept; a broken test repeats the same ones. */
const MOST_KEPT = 100;

/**
 * The calls that matched no route, collected as they arrive, because the call log drops the oldest and a
 * reset empties it.
 */
export class UnmatchedCalls {
  readonly #calls = new Map<string, { readonly call: Call; times: number }>();

  constructor(log: CallLog) {
    log.subscribe((call) => {
      if (isUnmatched(call)) this.#note(call);
    });
  }

  /** Such as `POST /pix met nothing (404 NOT_FOUND, 2 times). Did you mean POST /api/public/v1/pix?` */
  messages(): string[] {
    return Array.from(this.#calls.entries(), ([request, { call, times }]) => {
      const { status, error, hint } = call;
      const answer = [status, error ?? ''].join(' ').trimEnd();
      const often = times === 1 ? '' : `, ${times} times`;
      return `${request} met nothing (${answer}${often}).${hint === null ? '' : ` ${hint}`}`;
    });
  }

  #note(call: Call): void {
    const request = `${call.method} ${call.path.split('?')[0] ?? ''}`;
    const noted = this.#calls.get(request);
    if (noted !== undefined) noted.times += 1;
    else if (this.#calls.size < MOST_KEPT) this.#calls.set(request, { call, times: 1 });
  }
}

export type FailOn = (typeof FAIL_ON)[number];

export interface ExecFinding {
  readonly kind: FailOn | 'unused';
  readonly message: string;
}

/** A sandbox, and what of it has to be collected as it happens. */
export interface Watched {
  readonly sandbox: Sandbox;
  readonly calls: UnmatchedCalls;
  readonly forgeries: Forgeries;
  readonly usage: Usage;
}

/** Watches a sandbox, and sends its receivers forged copies where forgeries are to be found. */
export function watch(sandbox: Sandbox, failOn: readonly FailOn[]): Watched {
  return {
    sandbox,
    calls: new UnmatchedCalls(sandbox.calls),
    forgeries: new Forgeries(sandbox, failOn.includes('unverified')),
    usage: new Usage(sandbox),
  };
}

interface Ended {
  /** Real time at which it ended, and with it probably its receivers. */
  readonly endedAt: number;
  readonly isDone: boolean;
}

type Look = (watched: Watched, ended: Ended) => readonly string[];

const LOOKS: Readonly<Record<FailOn, Look>> = {
  undelivered: ({ sandbox }, { endedAt }) => undelivered(sandbox, endedAt),
  unverified: ({ forgeries, usage }, { isDone }) =>
    forgeries.problems({ expectsDelivery: isDone && usage.isUsed }),
  ledger: ({ sandbox }) => ledgerProblems(sandbox.world),
  unmatched: ({ calls }) => calls.messages(),
};

export function findingsOf(
  watched: Watched,
  kinds: readonly FailOn[],
  ended: Ended = { endedAt: Infinity, isDone: true },
): ExecFinding[] {
  return kinds.flatMap((kind) => LOOKS[kind](watched, ended).map((message) => ({ kind, message })));
}

function undelivered(sandbox: Sandbox, endedAt: number): string[] {
  const { deliveries, endpoints } = sandbox.world;
  return deliveries.rows
    .filter(({ status }) => status !== 'DELIVERED')
    .map((delivery) => {
      const { event, status, endpointId } = delivery;
      const endpoint = endpoints.get(endpointId);
      const place = endpoint?.description ?? endpoint?.url ?? endpointId;
      return (
        `${event.type} of ${event.resource.code} is ${status} (${place}) ` +
        attemptsText(sandbox, delivery, endedAt)
      );
    });
}

const UNREACHABLE = 'Start your application before events are delivered.';
const FIXES: Partial<Record<AttemptError, string>> = {
  HTTP_STATUS:
    'Respond 2xx to every genuine event, even to one that you ignore; `check` finds out why one is refused.',
  REDIRECT: 'Name the URL to which it redirects.',
  TIMEOUT: 'Respond first, then do the work.',
  CONNECTION_REFUSED: UNREACHABLE,
  CONNECTION_FAILED: UNREACHABLE,
};

/** The sentence that says how to fix an error, after a full stop; empty where the error says enough. */
function fixOf(error: AttemptError | null): string {
  const fix = error === null ? undefined : FIXES[error];
  return fix === undefined ? '' : `. ${fix}`;
}

/**
 * What came of the attempts, the first cause first, and how to fix that; without those that met nobody after
 * the command.
 */
function attemptsText({ epoch: { records } }: Sandbox, delivery: Delivery, endedAt: number): string {
  const { id, lastError, lastStatus, inFlight } = delivery;
  const attempts = inFlight ? delivery.attempts - 1 : delivery.attempts;
  const all = Array.from({ length: attempts }, (_, index) => records.get(id, index + 1));
  const made = all.filter((record) => record === undefined || !isRefusedAfter(record, endedAt));
  if (made.length < attempts && made.length === 0) {
    return 'because the command ended before its first attempt: end it only after the webhook was handled';
  }
  const known = made.filter((record) => record !== undefined);
  const outcomes = outcomesOf(known);
  const count = made.length === 1 ? '1 attempt' : `${made.length} attempts`;
  // Its endpoint was disabled meanwhile, or the records of its attempts are no longer kept.
  const isRecorded = lastError === null || all.some((record) => record?.result.error === lastError);
  const last = lastError === 'HTTP_STATUS' ? `${lastError} ${lastStatus}` : lastError;
  const causes = isRecorded ? outcomes : [...outcomes, last];
  if (causes.length === 0) return `after ${count}`;
  return `after ${count}: ${causes.join('; then ')}${fixOf(known[0]?.result.error ?? lastError)}`;
}

/** Each outcome with its number, in the order in which they appeared, and with the response of the first. */
function outcomesOf(records: readonly AttemptRecord[]): string[] {
  const byOutcome = grouped(records, ({ result: { error, status } }) =>
    [error, status].filter((part) => part !== null).join(' '),
  );
  return [...byOutcome].map(([outcome, [first, ...more]], index) => {
    const count = more.length === 0 ? '' : `${more.length + 1} × `;
    return `${count}${outcome}${index === 0 ? answerText(first?.result) : ''}`;
  });
}
