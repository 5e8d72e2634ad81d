import { formatDuration } from '../../contract/time.js';
import type { ChargeView, EventLine, SessionView, WithdrawalView } from '../../http/control/schema.js';
import { mapTexts } from '../format/references.js';
import type { ReplayedDelivery, ReplayedReceiver } from './recorded-deliveries.js';
import type { Happening } from './recorded-timeline.js';
import { isMadeByEvent } from './recorded-timeline.js';
import type { Recording } from './recording.js';

export type Json = Readonly<Record<string, unknown>>;

/** The opening balance of a fresh sandbox's default account. */
const OPENING_CENTS = 1_000_000n;

/** Turns a recording into steps in order, with names instead of ids. */
export class RecordedSteps {
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

  constructor(recording: Recording, receiver: ReplayedReceiver | undefined) {
    this.#recording = recording;
    this.#receiver = receiver;
  }

  add(happening: Happening): void {
    this.#clock ??= happening.at;
    const connecting = happening.event === undefined ? [] : this.#connect(happening.event);
    if (connecting.length > 0) {
      // An automatic event comes while the clock advances, so the receiver must be connected before.
      this.#advance();
      this.#steps.push(...connecting);
    }
    this.#latest = happening.at;
    const steps = happening.repeat?.(this) ?? [];
    if (steps.length > 0) this.#advance();
    this.#steps.push(...steps);
  }

  /** All steps, and an expectation of the final state; undefined fields are absent. */
  finished(): readonly Json[] {
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
    const isExpected = (one: object) => Object.values(one).some((value) => value !== undefined);
    const expectations = [wanted, ...results].filter(isExpected);
    const last = expectations.map((expect) => ({ expect }));
    const all = [...this.#steps, ...last];
    return all.length > 0 ? all : [{ expect: { events: { count: 0 } } }];
  }

  /** An automatic event needs no step, only time to pass. */
  #advance(): void {
    if (this.#latest === undefined || this.#clock === undefined) return;
    const ms = this.#latest - this.#clock;
    if (ms > 0) this.#steps.push({ advance: formatDuration(ms) });
    this.#clock = this.#latest;
  }

  newCharge(charge: ChargeView): Json[] {
    const { code, amount, payer_name, payer_document, metadata } = charge;
    const fields = present({ code, amount, payer_name, payer_document, metadata });
    return [{ create: { charge: fields }, as: this.#nameFor('charge', charge.id, 'id') }];
  }

  newWithdrawal(withdrawal: WithdrawalView): Json[] {
    this.#balanceCents -= centsOf(withdrawal.amount);
    const step = {
      create: { withdrawal: withdrawalFields(withdrawal) },
      as: this.#nameFor('withdrawal', withdrawal.id, 'id'),
    };
    return withdrawal.status === 'PROCESSING'
      ? [step, { process: { withdrawal: this.#reference(withdrawal.id) } }]
      : [step];
  }

  newSession({ id, customer_type: customerType }: SessionView): Json[] {
    return [{ create: { session: { customerType } }, as: this.#nameFor('session', id, 'sessionId') }];
  }

  decision({ id, status, document, decided_at, readable_at }: SessionView): Json[] {
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
  made({ type, resource }: EventLine): Json[] {
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
    const isNew = !this.#references.has(id) && isMadeByEvent(withdrawal, this.#recording.events);
    const isFailure = type === 'withdrawal.failed';
    const verb = isFailure ? (this.#settled.has(id) ? 'return' : 'fail') : 'settle';
    this.#settled.add(id);
    const why = isFailure ? present({ reason }) : {};
    const isFunded = isNew && this.#balanceCents < centsOf(amount);
    const first = isFunded
      ? [this.#funded(type, withdrawal, why)]
      : isNew
        ? this.newWithdrawal(withdrawal)
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

  resent({ event }: ReplayedDelivery): Json[] {
    const as = this.#nextName('event');
    return [
      { expect: { events: this.#matcher(event) }, as },
      { resend: { event: `\${${as}.events.0.id}`, endpoint: '${receiver.id}' } },
    ];
  }

  retried({ event, copy }: ReplayedDelivery): Json[] {
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
