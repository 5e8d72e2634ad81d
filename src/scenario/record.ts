import { formatDuration, isoTime, parseDuration } from '../contract/time.js';
import type {
  ChargeView,
  DeliveryView,
  EndpointView,
  EventLine,
  SessionView,
  WithdrawalView,
} from '../http/control/schema.js';
import type { RegisterLine } from '../contract/assumption-register.js';
import { Doors, type Target } from './doors.js';
import { mapTexts } from './references.js';
import { RETRY_SCHEDULES, type RetrySchedule } from '../contract/limits.js';
import type { ReceiverAnswer } from './steps.js';

const SCHEMA = './node_modules/pix-sandbox/fixtures/scenarios/scenario.schema.json';

/**
 * The text of a scenario that repeats a recording, and expects the same events and results of deliveries. It
 * leaves out what the sandbox does not report: refused calls, faults, and the order of different things in
 * one instant of a frozen clock.
 */
export function recordedScenario(recording: Recording): string {
  const steps = new RecordedSteps(recording);
  const chosen = recording.assumptions.filter((one) => one.choices !== null && one.value !== one.default);
  // JSON on one line, with spaces between its parts.
  const onOneLine = (value: unknown) => JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ');
  const head = {
    $schema: SCHEMA,
    description: 'What happened in a sandbox, as it was recorded.',
    sandbox: {
      freeze: isoTime(steps.happenings[0]?.at ?? Date.parse(recording.now)),
      assume:
        chosen.length === 0 ? undefined : Object.fromEntries(chosen.map(({ id, value }) => [id, value])),
    },
  };
  const members = Object.entries(head).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${onOneLine(value)}`,
  );
  const lines = steps.all().map((step) => `    ${onOneLine(step)}`);
  return `{\n${[...members, `  "steps": [\n${lines.join(',\n')}\n  ]`].join(',\n')}\n}\n`;
}

/** What happened in a sandbox to its default application, oldest first. */
export interface Recording {
  readonly charges: readonly ChargeView[];
  readonly withdrawals: readonly WithdrawalView[];
  readonly sessions: readonly SessionView[];
  readonly events: readonly EventLine[];
  /** Those to the endpoint that got most of them. */
  readonly deliveries: readonly DeliveryView[];
  /** That endpoint, if it still exists. */
  readonly endpoint: EndpointView | undefined;
  readonly assumptions: readonly RegisterLine[];
  /** The final balance of the account. */
  readonly balance: string;
  /** Sandbox time. */
  readonly now: string;
}

/** The real time that deliveries get to end first. */
const PATIENCE = '15s';

/**
 * Reads what happened through the control API alone, without secrets. Rejects with SandboxError and
 * NotReachableError.
 */
export async function readRecording(target: Target): Promise<Recording> {
  const doors = new Doors(target);
  const { control } = doors;
  await control.get('idle', { timeout: PATIENCE });
  const accountId = doors.env.SANDBOX_ACCOUNT_ID;
  const { data: apps } = await control.get('apps');
  const app = apps.find(({ account_id: id }) => id === accountId);
  const own = ({ app_id: id }: { readonly app_id: string | null }) => id === app?.id;
  const { data: endpoints } = await control.get('endpoints');
  const events = (await control.list('events')).filter(own).reverse();
  const eventIds = new Set(events.map(({ id }) => id));
  const all = (await control.list('deliveries')).filter((one) => eventIds.has(one.event_id)).reverse();
  const endpointId = mostFrequent(all.map(({ endpoint_id: id }) => id));
  const deliveries: DeliveryView[] = [];
  for (const { id } of all.filter((one) => one.endpoint_id === endpointId)) {
    deliveries.push(await control.get('deliveries/:id', { id }));
  }
  const status = await control.get('status');
  const sessions = (await control.list('kyc/sessions')).reverse();
  return {
    charges: (await control.list('charges')).filter(own).reverse(),
    withdrawals: (await control.list('withdrawals')).filter(own).reverse(),
    sessions: sessions.filter((session) => session.organization_id === app?.organization_id),
    events,
    deliveries,
    endpoint: endpoints.find(({ id }) => id === endpointId),
    assumptions: await doors.assumptions(),
    balance: status.accounts.find(({ id }) => id === accountId)?.balance ?? '0.00',
    now: status.clock.now,
  };
}

function mostFrequent(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** The order within an instant, which the sandbox does not report: what falls due is done before requests. */
const ORDER = [
  'automatic event',
  'charge',
  'session',
  'event',
  'withdrawal',
  'decision',
  'resend',
  'retry',
  'moment',
] as const;

type Json = Readonly<Record<string, unknown>>;

interface Happening {
  readonly kind: (typeof ORDER)[number];
  /** The instant of sandbox time; NaN for what has not happened. */
  readonly at: number;
  /** Returns the steps that repeat it; undefined where it happened automatically. */
  readonly repeat: (() => Json[]) | undefined;
  readonly event: EventLine | undefined;
}

function happening(
  kind: Happening['kind'],
  at: string | number | null,
  repeat?: Happening['repeat'],
  event?: EventLine,
): Happening {
  return { kind, at: typeof at === 'number' ? at : Date.parse(at ?? ''), repeat, event };
}

/** The opening balance of a fresh sandbox's default account. */
const OPENING_CENTS = 1_000_000n;

/** Turns a recording into steps in order, with names instead of ids. */
class RecordedSteps {
  readonly happenings: readonly Happening[];
  readonly #steps: Json[] = [];
  readonly #recording: Recording;
  readonly #receiver: ReplayedReceiver | undefined;
  /** How later steps refer to a charge, a withdrawal or a session, by its id. */
  readonly #references = new Map<string, string>();
  readonly #named = new Map<string, number>();
  readonly #settled = new Set<string>();
  #isConnected = false;
  #balanceCents = OPENING_CENTS;
  /** The instant that the steps have moved the clock to, and the instant of the last event. */
  #clock: number | undefined;
  #latest: number | undefined;

  constructor(recording: Recording) {
    this.#recording = recording;
    this.#receiver = replayedReceiver(recording);
    const until = Date.parse(recording.now);
    this.happenings = this.#everything()
      .filter(({ at }) => at <= until)
      .sort((a, b) => a.at - b.at || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  }

  #everything(): Happening[] {
    const { charges, withdrawals, sessions, events } = this.#recording;
    const { deliveries = [] } = this.#receiver ?? {};
    return [
      ...charges.map((one) => happening('charge', one.created_at, () => this.#newCharge(one))),
      ...withdrawals
        .filter((one) => !this.#isMadeByEvent(one))
        .map((one) => happening('withdrawal', one.created_at, () => this.#newWithdrawal(one))),
      ...sessions.flatMap((one) => [
        happening('session', one.created_at, () => this.#newSession(one)),
        happening('decision', one.decided_at, () => this.#decision(one)),
        happening('moment', one.readable_at),
        happening('moment', one.status === 'expired' ? one.expires_at : null),
      ]),
      ...events.map((event) =>
        this.#isOwn(event)
          ? happening('event', event.created_at, () => this.#made(event), event)
          : happening('automatic event', event.created_at, undefined, event),
      ),
      ...deliveries
        .filter(({ copy }) => copy > 0)
        .map((one) => happening('resend', one.at, () => this.#resent(one))),
      ...deliveries.flatMap((one) =>
        one.attempts.map(({ at, isRetry }) =>
          isRetry ? happening('retry', at, () => this.#retried(one)) : happening('moment', at),
        ),
      ),
    ];
  }

  /**
   * Whether a withdrawal's first event came at the instant of its creation: then it is created just before
   * the event.
   */
  #isMadeByEvent({ id, created_at: at }: WithdrawalView): boolean {
    return this.#recording.events.find(({ resource }) => resource.id === id)?.created_at === at;
  }

  /** Whether it was caused by a request: a charge that reaches its expiry time expires automatically. */
  #isOwn({ type, resource, created_at: at }: EventLine): boolean {
    const { charges, assumptions } = this.#recording;
    const charge = charges.find(({ id }) => id === resource.id);
    if (type !== 'pix.expired' || charge === undefined) return true;
    const lifetime = assumptions.find(({ id }) => id === 'charge.lifetime')?.value ?? '';
    return Date.parse(at) - Date.parse(charge.created_at) < (parseDuration(lifetime) ?? Infinity);
  }

  /** Returns all steps, and an expectation of the final state; undefined fields are absent. */
  all(): readonly Json[] {
    for (const { at, event, repeat } of this.happenings) {
      this.#clock ??= at;
      const connecting = event === undefined ? [] : this.#connect(event);
      // An automatic event comes while the clock advances, so the receiver must be connected before.
      this.#push(connecting);
      this.#latest = at;
      this.#push(repeat?.() ?? []);
    }
    this.#advance();
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

  #push(steps: readonly Json[]): void {
    if (steps.length > 0) this.#advance();
    this.#steps.push(...steps);
  }

  /** An automatic event needs no step, only time to pass. */
  #advance(): void {
    if (this.#latest === undefined || this.#clock === undefined) return;
    const ms = this.#latest - this.#clock;
    if (ms > 0) this.#steps.push({ advance: formatDuration(ms) });
    this.#clock = this.#latest;
  }

  #newCharge(charge: ChargeView): Json[] {
    const { code, amount, payer_name, payer_document, metadata } = charge;
    const fields = present({ code, amount, payer_name, payer_document, metadata });
    return [{ create: { charge: fields }, as: this.#nameFor('charge', charge.id, 'id') }];
  }

  #newWithdrawal(withdrawal: WithdrawalView): Json[] {
    this.#balanceCents -= centsOf(withdrawal.amount);
    const step = {
      create: { withdrawal: withdrawalFields(withdrawal) },
      as: this.#nameFor('withdrawal', withdrawal.id, 'id'),
    };
    return withdrawal.status === 'PROCESSING'
      ? [step, { process: { withdrawal: this.#reference(withdrawal.id) } }]
      : [step];
  }

  #newSession({ id, customer_type: customerType }: SessionView): Json[] {
    return [{ create: { session: { customerType } }, as: this.#nameFor('session', id, 'sessionId') }];
  }

  #decision({ id, status, document, decided_at, readable_at }: SessionView): Json[] {
    const delayMs = Date.parse(readable_at ?? '') - Date.parse(decided_at ?? '');
    const delay = delayMs > 0 ? formatDuration(delayMs) : null;
    return [{ decide: { session: this.#reference(id), status, ...present({ document, delay }) } }];
  }

  /** The receiver connects before the first event that it received. */
  #connect({ id }: EventLine): Json[] {
    const receiver = this.#receiver;
    if (this.#isConnected || receiver === undefined) return [];
    if (!receiver.deliveries.some(({ event }) => event.id === id)) return [];
    this.#isConnected = true;
    const { events } = this.#recording.endpoint ?? {};
    return [{ receiver: { answers: receiver.answers, retries: receiver.retries, events } }];
  }

  /** How an event was made to happen. */
  #made({ type, resource }: EventLine): Json[] {
    const charge = this.#recording.charges.find(({ id }) => id === resource.id);
    if (charge !== undefined) return [this.#movedCharge(type, charge)];
    const withdrawal = this.#recording.withdrawals.find(({ id }) => id === resource.id);
    return withdrawal === undefined ? [] : this.#movedWithdrawal(type, withdrawal);
  }

  #movedCharge(type: EventLine['type'], { id, reason, fees }: ChargeView): Json {
    const charge = this.#reference(id);
    if (type === 'pix.expired') return { expire: { charge } };
    if (type === 'pix.failed') return { fail: { charge, ...present({ reason }) } };
    this.#balanceCents += centsOf(fees.net_amount);
    return { settle: { charge } };
  }

  #movedWithdrawal(type: EventLine['type'], withdrawal: WithdrawalView): Json[] {
    const { id, amount, reason } = withdrawal;
    const isNew = !this.#references.has(id) && this.#isMadeByEvent(withdrawal);
    const isFailure = type === 'withdrawal.failed';
    const verb = isFailure ? (this.#settled.has(id) ? 'return' : 'fail') : 'settle';
    this.#settled.add(id);
    const why = isFailure ? present({ reason }) : {};
    const isFunded = isNew && this.#balanceCents < centsOf(amount);
    const first = isFunded
      ? [this.#funded(type, withdrawal, why)]
      : isNew
        ? this.#newWithdrawal(withdrawal)
        : [];
    if (isFailure) this.#balanceCents += centsOf(amount);
    return isFunded ? first : [...first, { [verb]: { withdrawal: this.#reference(id), ...why } }];
  }

  /** Only a trigger adds the missing funds for a withdrawal. */
  #funded(type: EventLine['type'], withdrawal: WithdrawalView, why: Json): Json {
    this.#balanceCents = 0n;
    const as = this.#nameFor('withdrawal', withdrawal.id, 'events.0.resource.id');
    return { trigger: { type, with: withdrawalFields(withdrawal), ...why }, as };
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

function withdrawalFields({ code, amount, destination, metadata }: WithdrawalView): Json {
  const { pix_key, beneficiary_name, beneficiary_document } = destination;
  return present({ code, amount, pix_key, beneficiary_name, beneficiary_document, metadata });
}

/** The fields with a value; texts that look like references are escaped. */
function present(fields: Json): Json {
  const given = Object.entries(fields).filter(
    ([, value]) => value !== null && !(typeof value === 'object' && Object.keys(value).length === 0),
  );
  const escape = (text: string) => text.replaceAll('${', () => '$${');
  return Object.fromEntries(given.map(([name, value]) => [name, mapTexts(value, escape)]));
}

function centsOf(amount: string): bigint {
  return BigInt(amount.replace('.', ''));
}

/**
 * What the receiver of a replay gets and answers; `copy` is 0 for the first delivery of an event, and more
 * where it was sent again.
 */
type ReplayedDelivery = ReturnType<typeof replay>;
type ReplayedReceiver = NonNullable<ReturnType<typeof replayedReceiver>>;

const ACCEPTED = 200;

/** The receiver with which a replay has the same results; undefined where nothing was delivered. */
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
      // It missed the endpoint, because that was disconnected; in a replay the receiver accepts it.
      const at = Date.parse(event.created_at);
      return [{ event, at, copy: 0, attempts: [{ at, isRetry: false, answer: ACCEPTED }], end: undefined }];
    });
  const until = Date.parse(now);
  // Within one instant: first the events, then resent events, then retries.
  const rankOf = ({ isRetry, copy }: { isRetry: boolean; copy: number }) => (isRetry ? 2 : Number(copy > 0));
  const answers = replayed
    .flatMap(({ attempts, copy }, ordinal) => attempts.map((attempt) => ({ ...attempt, ordinal, copy })))
    .filter(({ at }) => at <= until)
    .sort((a, b) => a.at - b.at || rankOf(a) - rankOf(b) || a.ordinal - b.ordinal)
    .map(({ answer }) => answer);
  // The last answer stays.
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
  const attempts: { at: number; isRetry: boolean; answer: ReceiverAnswer }[] = [];
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
  const isWhole = attempts.length === count && (ended !== 'FAILED' || isExhausted);
  if (!isWhole && !isAccepted && !isExhausted) attempts.push({ at: dueAt, isRetry: false, answer: ACCEPTED });
  return {
    event,
    at,
    copy,
    attempts,
    /** Undefined where the end came from outside, such as a listener that left. */
    end: isWhole ? { status: ended, attempts: count } : undefined,
  };
}

/** The retry schedule of a deleted endpoint, inferred from the times of its attempts. */
function guessedSchedule(deliveries: readonly DeliveryView[]): RetrySchedule {
  const waitsMs = deliveries.flatMap(({ attempt_log: [one, two] }) =>
    one === undefined || two === undefined ? [] : [Date.parse(two.started_at) - Date.parse(one.started_at)],
  );
  const schedules = Object.keys(RETRY_SCHEDULES) as RetrySchedule[];
  const known = schedules.find((name) => waitsMs.some((waitMs) => RETRY_SCHEDULES[name][1] === waitMs));
  return known ?? (deliveries.some(({ attempt_limit: limit }) => limit === 1) ? 'off' : 'real');
}
