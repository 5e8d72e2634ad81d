import { onTestFinished } from 'vitest';
import { createPaymentDraft } from '../../../src/core/payments/payments.js';
import { EVENT_TYPES, type EventType } from '../../../src/contract/enums.js';
import type { ConnectedListener } from '../../../src/core/webhooks/endpoints.js';
import type { Charge, Delivery, Endpoint } from '../../../src/core/world.js';
import type { RetrySchedule } from '../../../src/contract/limits.js';
import type { ListenerAttempt } from '../../../src/delivery/listener-hub.js';
import type { SandboxOptions } from '../../../src/sandbox/options.js';
import type { ConnectedListenerHost } from '../../../src/sandbox/connect-listener.js';
import { attachListener } from '../../../src/sandbox/connect-listener.js';
import { Sandbox } from '../../../src/sandbox/sandbox.js';
import { attemptResult } from '../delivery/attempts.js';
import { START_MS } from '../core/world.js';

export const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes ...').toString('base64')}`;

/** A sandbox that stands still until it is moved, and is closed when the test is over. */
export function startSandbox(options: SandboxOptions = {}): Sandbox {
  const sandbox = new Sandbox({ seed: 'test', freezeAt: START_MS, ...options });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

export interface ListenOptions {
  readonly name?: string;
  readonly events?: readonly EventType[];
  readonly schedule?: RetrySchedule;
  readonly secret?: string;
  readonly fresh?: boolean;
  /** The status to answer with; undefined leaves the attempt open until `answer`. */
  readonly status?: (attempt: ListenerAttempt) => number | undefined;
}

/** A connected listener without a socket. Like a real one it answers later, never within the sending itself. */
export class TestListener {
  readonly endpoint: Endpoint;
  /** What was held for it when it connected. */
  readonly held: readonly Delivery[];
  readonly received: ListenerAttempt[] = [];
  readonly #sandbox: Sandbox;
  readonly #connection: ConnectedListenerHost;

  constructor(sandbox: Sandbox, options: ListenOptions = {}) {
    const {
      name = 'listener',
      events = EVENT_TYPES,
      schedule,
      secret = SECRET,
      status = () => 200,
      fresh,
    } = options;
    this.#sandbox = sandbox;
    const appId = sandbox.world.apps.rows[0]?.id ?? '';
    const listener = { name, events, schedule, secret, fresh, description: null };
    let connected: ConnectedListener | undefined;
    this.#connection = attachListener(sandbox, appId, listener, {
      onConnected: (told) => {
        connected = told;
      },
      send: (attempt) => {
        this.received.push(attempt);
        const answered = status(attempt);
        if (answered !== undefined) setImmediate(() => this.answer(attempt, answered));
      },
    });
    if (connected === undefined) throw new Error('Expected to be connected.');
    ({ endpoint: this.endpoint, held: this.held } = connected);
  }

  /** Hangs up: attempts in flight fail, and what is pending is held. */
  hangUp(): void {
    this.#connection.end();
  }

  /** Reports a result; false when nobody waits for it any more. */
  answer(attempt: ListenerAttempt | undefined, status = 200): boolean {
    const { listeners } = this.#sandbox;
    return listeners.reply(this.endpoint.id, attempt?.attempt_id ?? 'none', attemptResult(status));
  }

  /** The bodies as text, in the order in which they came. */
  bodies(): string[] {
    return this.received.map(({ body }) => Buffer.from(body, 'base64').toString());
  }
}

/** Connects a listener that nobody asks any more. */
export function listenTo(sandbox: Sandbox, options: ListenOptions = {}): TestListener {
  return new TestListener(sandbox, options);
}

/** Makes a charge settle, which is one event. */
export function settle(sandbox: Sandbox): void {
  sandbox.dispatch({ type: 'trigger', event: 'pix.settled' });
}

/** Creates a charge of the default application. */
export function newCharge(sandbox: Sandbox, code = 'order-1'): Charge {
  const [app] = sandbox.world.apps.rows;
  if (app === undefined) throw new Error('Expected an application');
  return sandbox.dispatch({
    type: 'charge.create',
    appId: app.id,
    charge: createPaymentDraft('charge', app, { code }),
  }).charge;
}
