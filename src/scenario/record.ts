import type { AssumptionLine } from '../contract/assumptions.js';
import { RETRY_SCHEDULES, type RetrySchedule } from '../contract/limits.js';
import { PAYMENT_FIELDS } from '../contract/fields.js';
import { formatDuration, formatIsoTime, parseDuration } from '../contract/time.js';
import { describeEvent, isFailed, isSettled } from '../contract/transitions.js';
import type { ChargeView, EndpointView, SessionView, WithdrawalView } from '../http/control/schema.js';
import type { DeliveryView, EventLine } from '../http/control/exchanges.js';
import { ApiClients, type Target } from './api-clients.js';
import { WAIT_INPUT } from './expectations.js';
import { mapTexts } from './references.js';
import type { ScenarioReply } from './steps.js';

const SCHEMA = './node_modules/pix-sandbox/fixtures/scenarios/scenario.schema.json';

/** History of a sandbox's default application, oldest first. */
interface Recording {
  readonly charges: readonly ChargeView[];
  readonly withdrawals: readonly WithdrawalView[];
  readonly sessions: readonly SessionView[];
  readonly events: readonly EventLine[];
  /** Deliveries to the endpoint with the most deliveries. */
  readonly deliveries: readonly DeliveryView[];
  readonly endpoint: EndpointView | undefined;
  readonly assumptions: readonly AssumptionLine[];
  readonly balance: string;
  readonly now: string;
}

/** Fetches the history without secrets. Rejects with SandboxError or NotReachableError. */
export async function fetchRecording(target: Target): Promise<Recording> {
  const clients = new ApiClients(target);
  const { control } = clients;
  await control.get('idle', { timeout: WAIT_INPUT });
  const accountId = clients.env.SANDBOX_ACCOUNT_ID;
  const { data: apps } = await control.get('apps');
  const app = apps.find(({ account_id: id }) => id === accountId);
  const own = ({ app_id: id }: { readonly app_id: string | null }) => id === app?.id;
  const { data: endpoints } = await control.get('endpoints');
  const events = (await control.list('events')).filter(own).reverse();
  const eventIds = new Set(events.map(({ id }) => id));
  const all = (await control.list('deliveries')).filter((one) => eventIds.has(one.event_id)).reverse();
  const endpointId = mostFrequent(all.map(({ endpoint_id: id }) => id));
  const deliveries: DeliveryView[] = [];
  for (const { id } of all.filter((one) => one.endpoint_id === endpointId))
    deliveries.push(await control.get('deliveries/:id', { id }));
  const { accounts, clock } = await control.get('status');
  const sessions = (await control.list('kyc/sessions')).reverse();
  return {
    charges: (await control.list('charges')).filter(own).reverse(),
    withdrawals: (await control.list('withdrawals')).filter(own).reverse(),
    sessions: sessions.filter((session) => session.organization_id === app?.organization_id),
    events,
    deliveries,
    endpoint: endpoints.find(({ id }) => id === endpointId),
    assumptions: await clients.assumptions(),
    balance: accounts.find(({ id }) => id === accountId)?.balance ?? '0.00',
    now: clock.now,
  };
}

function mostFrequent(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Formats a scenario that replays a recording and expects the same events and delivery results. Omits data
 * that the sandbox does not report: rejected requests, faults, and the order of actions at the same instant
 * of a frozen clock.
 */
export function formatRecording(recording: Recording): string {
  const recorded = new RecordedSteps(recording);
  const assumed = recording.assumptions.filter((one) => one.choices !== null && one.value !== one.default);
  const assume = Object.fromEntries(assumed.map(({ id, value }) => [id, value]));
  const head = {
    $schema: SCHEMA,
    description: 'The recorded history of a sandbox.',
    sandbox: { freeze: formatIsoTime(recorded.startMs), ...(assumed.length === 0 ? {} : { assume }) },
  };
  const onOneLine = (value: unknown) => JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ');
  const members = Object.entries(head).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${onOneLine(value)}`,
  );
  const lines = recorded.all().map((step) => `    ${onOneLine(step)}`);
  return `{\n${[...members, `  "steps": [\n${lines.join(',\n')}\n  ]`].join(',\n')}\n}\n`;
}

type TimelineItem = ReturnType<typeof createTimelineItem>;

/** Creates an item at a sandbox time. `repeat` returns the steps that replay a request. */
function createTimelineItem(time: string | number | null, repeat?: () => Json[], event?: EventLine) {
  return { at: typeof time === 'number' ? time : Date.parse(time ?? ''), repeat, event };
}

/** Converts a recording to ordered steps with names instead of ids. */
class RecordedSteps {
  readonly #timelineItems: readonly TimelineItem[];
  readonly #steps: Json[] = [];
  readonly #recording: Recording;
  readonly #receiver: ReturnType<typeof replayedReceiver>;
  /** References to charges, withdrawals and sessions, by id. */
  readonly #references = new Map<string, string>();
  readonly #named = new Map<string, number>();
  readonly #settled = new Set<string>();
  #isConnected = false;
  /** Sandbox time after the last step. */
  #clock: number;

  constructor(recording: Recording) {
    this.#recording = recording;
    this.#receiver = replayedReceiver(recording);
    const until = Date.parse(recording.now);
    this.#timelineItems = this.#everything()
      .filter(({ at }) => at <= until)
      .sort((a, b) => a.at - b.at);
    this.#clock = this.#timelineItems[0]?.at ?? until;
  }

  get startMs(): number {
    return this.#clock;
  }

  /** Lists all items. Scheduled changes precede requests at the same instant; the real order is unknown. */
  #everything(): TimelineItem[] {
    const { charges, withdrawals, sessions, events } = this.#recording;
    const { deliveries = [] } = this.#receiver ?? {};
    const attempts = deliveries.flatMap((one) =>
      one.attempts.map(({ at, isRetry }) => ({ at, repeat: isRetry ? () => this.#retried(one) : undefined })),
    );
    return [
      ...events
        .filter((event) => !this.#isCausedByRequest(event))
        .map((event) => createTimelineItem(event.created_at, undefined, event)),
      ...charges.map((one) =>
        createTimelineItem(one.created_at, () => [
          this.#created('charge', one.id, pick(one, PAYMENT_FIELDS.charge)),
        ]),
      ),
      ...sessions.map((one) => createTimelineItem(one.created_at, () => [this.#newSession(one)])),
      ...events
        .filter((event) => this.#isCausedByRequest(event))
        .map((event) => createTimelineItem(event.created_at, () => this.#buildEventStep(event), event)),
      ...withdrawals
        .filter((one) => !this.#isMadeByEvent(one))
        .map((one) => createTimelineItem(one.created_at, () => this.#newWithdrawal(one))),
      ...sessions.map((one) => createTimelineItem(one.decided_at, () => [this.#decision(one)])),
      ...deliveries
        .filter(({ copy }) => copy > 0)
        .map((one) => createTimelineItem(one.at, () => this.#resent(one))),
      ...attempts.filter(({ repeat }) => repeat).map(({ at, repeat }) => createTimelineItem(at, repeat)),
      ...attempts.filter(({ repeat }) => !repeat).map(({ at }) => createTimelineItem(at)),
      ...sessions.map((one) => createTimelineItem(one.readable_at)),
      ...sessions.map((one) => createTimelineItem(one.status === 'expired' ? one.expires_at : null)),
    ];
  }

  /** Returns true if the withdrawal and its first event were created at the same time. */
  #isMadeByEvent({ id, created_at: at }: WithdrawalView): boolean {
    return this.#recording.events.find(({ resource }) => resource.id === id)?.created_at === at;
  }

  /** Returns true if a request caused the event. Charges expire automatically at their expiry time. */
  #isCausedByRequest({ type, resource, created_at: at }: EventLine): boolean {
    const { charges, assumptions } = this.#recording;
    const charge = charges.find(({ id }) => id === resource.id);
    if (type !== 'pix.expired' || charge === undefined) return true;
    const lifetime = assumptions.find(({ id }) => id === 'charge.lifetime')?.value ?? '';
    return Date.parse(at) - Date.parse(charge.created_at) < (parseDuration(lifetime) ?? Infinity);
  }

  /** Returns all steps and an expectation for the final state. Undefined fields are omitted. */
  all(): readonly Json[] {
    let latest = this.#clock;
    for (const { at, event, repeat } of this.#timelineItems) {
      // Automatic events occur while the clock advances, so the receiver must already be connected.
      this.#push(event === undefined ? [] : this.#connect(event), latest);
      latest = at;
      // Automatic events require no step, only time to pass.
      this.#push(repeat?.() ?? [], latest);
    }
    this.#advance(latest);
    const { events, sessions, balance, charges, withdrawals, now } = this.#recording;
    const wanted = {
      events: events.length === 0 ? undefined : events.map((event) => this.#matcher(event)),
      deliveries: this.#receiver?.deliveries.map(({ event, end }) => ({ ...this.#matcher(event), ...end })),
      balance: charges.length + withdrawals.length === 0 ? undefined : balance,
    };
    const results = sessions
      .filter((one) => one.decided_at !== null && Date.parse(one.readable_at ?? '') <= Date.parse(now))
      .map(({ id, status }) => ({ result: { session: this.#reference(id), status } }));
    const last = [wanted, ...results]
      .filter((one) => Object.values(one).some((value) => value !== undefined))
      .map((expect) => ({ expect }));
    const all = [...this.#steps, ...last];
    return all.length > 0 ? all : [{ expect: { events: { count: 0 } } }];
  }

  #push(steps: readonly Json[], at: number): void {
    if (steps.length > 0) this.#advance(at);
    this.#steps.push(...steps);
  }

  #advance(at: number): void {
    if (at > this.#clock) this.#steps.push({ advance: formatDuration(at - this.#clock) });
    this.#clock = at;
  }

  #created(what: string, id: string, fields: Json, field = 'id'): Json {
    return { create: { [what]: fields }, as: this.#nameFor(what, id, field) };
  }

  #newWithdrawal(withdrawal: WithdrawalView): Json[] {
    const { id, status } = withdrawal;
    const step = this.#created('withdrawal', id, withdrawalOf(withdrawal));
    return status === 'PROCESSING' ? [step, { process: { withdrawal: this.#reference(id) } }] : [step];
  }

  #newSession({ id, customer_type: customerType }: SessionView): Json {
    return this.#created('session', id, { customerType }, 'sessionId');
  }

  #decision({ id, status, document, decided_at, readable_at }: SessionView): Json {
    const delayMs = Date.parse(readable_at ?? '') - Date.parse(decided_at ?? '');
    const delay = delayMs > 0 ? formatDuration(delayMs) : null;
    return { decide: { session: this.#reference(id), status, ...present({ document, delay }) } };
  }

  /** Connects the receiver before its first received event. */
  #connect({ id }: EventLine): Json[] {
    const { answers, retries, deliveries = [] } = this.#receiver ?? {};
    if (this.#isConnected || !deliveries.some(({ event }) => event.id === id)) return [];
    this.#isConnected = true;
    const { events } = this.#recording.endpoint ?? {};
    return [{ receiver: { answers, retries, events } }];
  }

  /** Returns the step that causes an event. Triggering a new withdrawal also adds missing funds. */
  #buildEventStep({ type, resource: { id } }: EventLine): Json[] {
    const { charges, withdrawals } = this.#recording;
    const withdrawal = withdrawals.find((one) => one.id === id);
    const payment = withdrawal ?? charges.find((one) => one.id === id);
    if (payment === undefined) return [];
    const { kind, moves, status } = describeEvent(type);
    const why = isFailed(status) ? present({ reason: payment.reason }) : {};
    // After settlement, a withdrawal can only be returned.
    const move = this.#settled.has(id) ? moves.at(-1) : moves[0];
    if (isSettled(status)) this.#settled.add(id);
    if (withdrawal === undefined || this.#references.has(id))
      return [{ [move ?? '']: { [kind]: this.#reference(id), ...why } }];
    const as = this.#nameFor('withdrawal', id, 'events.0.resource.id');
    return [{ trigger: { type, with: withdrawalOf(withdrawal), ...why }, as }];
  }

  #resent({ event }: ReplayedDelivery): Json[] {
    const as = this.#nextName('event');
    return [
      { expect: { events: this.#matcher(event) }, as },
      { resend: { event: `\${${as}.events.0.id}`, endpoint: '${receiver.id}' } },
    ];
  }

  #retried({ event, copy }: ReplayedDelivery): Json[] {
    const as = this.#nextName('dead');
    const look = { expect: { deliveries: this.#matcher(event) }, as };
    return [look, { retry: `\${${as}.deliveries.${copy}.id}` }];
  }

  #matcher({ type, resource }: EventLine): Json {
    return { type, resource: { id: this.#reference(resource.id) } };
  }

  #nameFor(what: string, id: string, field: string): string {
    const name = this.#nextName(what);
    this.#references.set(id, `\${${name}.${field}}`);
    return name;
  }

  #nextName(what: string): string {
    const number = (this.#named.get(what) ?? 0) + 1;
    this.#named.set(what, number);
    return `${what}_${number}`;
  }

  #reference(id: string): string {
    return this.#references.get(id) ?? id;
  }
}

function withdrawalOf(withdrawal: WithdrawalView): Json {
  return pick({ ...withdrawal, ...withdrawal.destination }, PAYMENT_FIELDS.withdrawal);
}

/** Returns the fields that recreate a resource. The default account is omitted. */
function pick(row: Json, fields: object): Json {
  const names = Object.keys(fields).filter((name) => name !== 'account_id');
  return present(Object.fromEntries(names.map((name) => [name, row[name] ?? null])));
}

/** Returns the non-empty fields. Strings that look like references are escaped. */
function present(fields: Json): Json {
  const given = Object.entries(fields).filter(
    ([, value]) => value !== null && !(typeof value === 'object' && Object.keys(value).length === 0),
  );
  const escape = (text: string) => text.replaceAll('${', () => '$${');
  return Object.fromEntries(given.map(([name, value]) => [name, mapTexts(value, escape)]));
}

/** A delivery in a replay. `copy` is 0 for an event's first delivery and higher for resent ones. */
type ReplayedDelivery = ReturnType<typeof replay>;

const ACCEPTED = 200;

/** Returns a receiver that reproduces the recorded results, or undefined if nothing was delivered. */
function replayedReceiver({ deliveries, endpoint, events, now }: Recording) {
  const [first] = deliveries;
  if (first === undefined) return undefined;
  const retries = endpoint?.retries ?? guessedSchedule(deliveries);
  const heard = new Set(deliveries.map((delivery) => delivery.event_id));
  const since = events.slice(events.findIndex(({ id }) => heard.has(id)));
  const replayed = since
    .filter(({ type }) => endpoint?.events.includes(type) ?? true)
    .flatMap((event): ReplayedDelivery[] => {
      const own = deliveries.filter((delivery) => delivery.event_id === event.id);
      if (own.length > 0) return own.map((delivery, index) => replay(delivery, event, retries, index));
      // The endpoint was disconnected; in a replay, the receiver accepts the event.
      const at = Date.parse(event.created_at);
      return [{ event, at, copy: 0, attempts: [{ at, isRetry: false, answer: ACCEPTED }], end: undefined }];
    });
  const until = Date.parse(now);
  // At the same instant, events come first, then resent events, then retries.
  const rankOf = ({ isRetry, copy }: { isRetry: boolean; copy: number }) => (isRetry ? 2 : Number(copy > 0));
  const answers = replayed
    .flatMap(({ attempts, copy }, ordinal) => attempts.map((attempt) => ({ ...attempt, ordinal, copy })))
    .filter(({ at }) => at <= until)
    .sort((a, b) => a.at - b.at || rankOf(a) - rankOf(b) || a.ordinal - b.ordinal)
    .map(({ answer }) => answer);
  const end = answers.findLastIndex((answer) => answer !== answers.at(-1)) + 2;
  return {
    retries,
    answers: answers.slice(0, end),
    deliveries: [...replayed].sort((a, b) => a.at - b.at || Number(a.copy > 0) - Number(b.copy > 0)),
  };
}

function replay(
  { created_at: createdAt, attempt_log: log, status: ended, attempts: count }: DeliveryView,
  event: EventLine,
  retries: RetrySchedule,
  copy: number,
) {
  const at = Date.parse(createdAt);
  const waitsMs: readonly number[] = RETRY_SCHEDULES[retries];
  const attempts: { at: number; isRetry: boolean; answer: ScenarioReply }[] = [];
  let dueAt = at;
  for (const logged of log) {
    const startedAt = Date.parse(logged.started_at);
    const isRetry = attempts.length >= waitsMs.length;
    const isExpected = logged.number === attempts.length + 1 && (isRetry || startedAt === dueAt);
    if (!isExpected) break;
    const { response_status: status, error } = logged;
    const answer = error === null ? ACCEPTED : (status ?? (error === 'TIMEOUT' ? 'timeout' : 'reset'));
    attempts.push({ at: startedAt, isRetry, answer });
    dueAt = startedAt + (waitsMs[attempts.length] ?? 0);
  }
  const isAccepted = attempts.at(-1)?.answer === ACCEPTED;
  const isExhausted = attempts.length >= waitsMs.length;
  const isWhole = attempts.length === count && (!isFailed(ended) || isExhausted);
  if (!isWhole && !isAccepted && !isExhausted) attempts.push({ at: dueAt, isRetry: false, answer: ACCEPTED });
  return {
    event,
    at,
    copy,
    attempts,
    /** Undefined if an external change ended the delivery, e.g. a listener disconnected. */
    end: isWhole ? { status: ended, attempts: count } : undefined,
  };
}

/** Infers the retry schedule of a deleted endpoint from its attempt times. */
function guessedSchedule(deliveries: readonly DeliveryView[]): RetrySchedule {
  const waitsMs = deliveries.flatMap(({ attempt_log: [one, two] }) =>
    one === undefined || two === undefined ? [] : [Date.parse(two.started_at) - Date.parse(one.started_at)],
  );
  const schedules = Object.keys(RETRY_SCHEDULES) as RetrySchedule[];
  const known = schedules.find((name) => waitsMs.some((waitMs) => RETRY_SCHEDULES[name][1] === waitMs));
  return known ?? (deliveries.some(({ attempt_limit: limit }) => limit === 1) ? 'off' : 'real');
}
