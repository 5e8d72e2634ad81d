import { strict as assert } from 'node:assert';
import { resolveAssumptions } from '../../../src/contract/assumptions.js';
import { EVENT_TYPES, type Scope, SCOPES } from '../../../src/contract/enums.js';
import { Refusal } from '../../../src/contract/refusals.js';
import { applyCommand, type Command, type CommandType, type ResultOf } from '../../../src/core/apply.js';
import type { Effect } from '../../../src/core/effects.js';
import { createSeed } from '../../../src/core/ids.js';
import { createPaymentDraft } from '../../../src/core/payments/payments.js';
import { exportWorld } from '../../../src/core/state/export.js';
import type { EndpointInput, ListenerInput } from '../../../src/core/webhooks/endpoints.js';
import {
  type App,
  type Charge,
  type ChargeInput,
  type Delivery,
  createWorld,
  type Endpoint,
  type Withdrawal,
  type WithdrawalInput,
  type World,
  type WorldSettings,
} from '../../../src/core/world.js';
import { thrownBy } from '../thrown-by.js';

/** A refusal in one line: `CODE message (field: problem) → hint`. */
export function refusalText({ code, message, details, hint }: Refusal): string {
  const problems = details.map((problem) => ` (${problem.field}: ${problem.message})`).join('');
  return `${code} ${message}${problems}${hint === undefined ? '' : ` → ${hint}`}`;
}

/** The refusal that a function throws, in one line. */
export function refusalTextOf(act: () => unknown): string {
  return refusalText(thrownBy(act, Refusal));
}

/** Commands that a world refuses, each with the refusal. */
export function refusalsOf(life: TestWorld, commands: readonly Command[]): string {
  return commands
    .map((command) => `${JSON.stringify(command)}\n  ${refusalText(life.refuse(command))}\n`)
    .join('');
}

/** Where the sandbox time of every test world begins. */
export const START_MS = Date.UTC(2026, 0, 1, 12);
export const OPENING_BALANCE_CENTS = 1_000_000;

export interface TestWorldOptions extends Partial<WorldSettings> {
  readonly seed?: string;
  readonly assume?: Readonly<Record<string, string>>;
}

/** An attempt that the core started and nobody has answered yet. */
export interface OpenAttempt {
  readonly deliveryId: string;
  readonly number: number;
  readonly at: number;
}

/** A world with one application, an instant that only the test moves, and a memory of what was to be sent. */
export class TestWorld {
  readonly world: World;
  readonly app: App;
  readonly effects: Effect[] = [];
  /** Every attempt that was ever started, in order. */
  readonly attempts: OpenAttempt[] = [];
  now = START_MS;
  #appCount = 0;

  constructor({ seed = 'test', assume: chosen = {}, ...settings }: TestWorldOptions = {}) {
    this.world = createWorld(createSeed(seed), resolveAssumptions(chosen), START_MS, settings);
    this.app = this.addApp();
  }

  addApp(scopes: readonly Scope[] = SCOPES): App {
    this.#appCount += 1;
    return this.do({
      type: 'app.create',
      name: `app-${this.#appCount}`,
      token: `token-${this.#appCount}`,
      signingSecret: `signing-secret-${this.#appCount}`,
      scopes,
      openingBalanceCents: OPENING_BALANCE_CENTS,
      organization: {
        name: 'first',
        kycToken: 'kyc-token-1',
        publishableKey: 'publishable-key-1',
      },
    });
  }

  /** Applies a command now; a refusal fails the test. */
  do<Type extends CommandType>(command: Command<Type>): ResultOf<Type> {
    const applied = applyCommand(this.world, command, this.now);
    this.remember(applied.effects);
    if (applied.refusal !== undefined) throw applied.refusal;
    return applied.result;
  }

  /** Applies a command that must be refused and must leave everything as it was; returns the refusal. */
  refuse(command: Command): Refusal {
    this.tick();
    const before = exportWorld(this.world);
    const { effects, refusal } = applyCommand(this.world, command, this.now);
    assert.ok(refusal !== undefined, `${command.type} was not refused`);
    assert.deepEqual(effects, []);
    assert.deepEqual(exportWorld(this.world), before);
    return refusal;
  }

  tick(): void {
    this.do({ type: 'clock.tick' });
  }

  /** Lets time pass, in ms, and does what falls due. */
  pass(ms: number): void {
    this.now += ms;
    this.tick();
  }

  charge(fields: Partial<ChargeInput> = {}, app = this.app): Charge {
    return this.do({
      type: 'charge.create',
      appId: app.id,
      charge: createPaymentDraft('charge', app, fields),
    }).charge;
  }

  withdrawal(fields: Partial<WithdrawalInput> = {}, app = this.app): Withdrawal {
    const withdrawal = createPaymentDraft('withdrawal', app, fields);
    return this.do({ type: 'withdrawal.create', appId: app.id, withdrawal }).withdrawal;
  }

  endpoint(fields: Partial<EndpointInput> = {}, app = this.app): Endpoint {
    return this.do({ type: 'endpoint.create', appId: app.id, endpoint: endpointInput(fields) });
  }

  listener(name: string, fields: Partial<ListenerInput> = {}, app = this.app): Endpoint {
    const listener = { ...endpointInput({}), name, ...fields };
    return this.do({ type: 'listener.connect', appId: app.id, listener }).endpoint;
  }

  /** Makes one event and returns its deliveries, which are then in flight. */
  announce(): Delivery[] {
    const { events } = this.do({ type: 'trigger', event: 'pix.settled', appId: this.app.id });
    return this.world.deliveries.rows.filter((delivery) => events.includes(delivery.event));
  }

  /** Reports how an attempt of a delivery ended: with this status, by default of its newest attempt. */
  answer(delivery: Delivery, status: number, number = delivery.attempts): boolean {
    const error = status < 300 ? null : 'HTTP_STATUS';
    return this.do({ type: 'delivery.attempted', deliveryId: delivery.id, number, status, error });
  }

  balance(app = this.app): bigint {
    return this.world.accounts.get(app.accountId)?.balanceCents ?? -1n;
  }

  /** Keeps what a command brought about; `do` does it by itself. */
  remember(effects: readonly Effect[]): void {
    this.effects.push(...effects);
    for (const effect of effects) {
      if (effect.type !== 'attempt') continue;
      this.attempts.push({ deliveryId: effect.delivery.id, number: effect.number, at: effect.at });
    }
  }
}

/** An endpoint that wants every event. */
export function endpointInput(fields: Partial<EndpointInput>): EndpointInput {
  return {
    url: 'https://shop.example/webhooks',
    description: null,
    events: EVENT_TYPES,
    secret: 'whsec_AAAA',
    ...fields,
  };
}
