import type { ControlClient } from '../client/control.js';
import type { EnvironmentBlock } from '../shapes.js';
import type { AppVerbs } from './apps.js';
import { appVerbs } from './apps.js';
import type { CallVerbs } from './calls.js';
import { callVerbs } from './calls.js';
import type { CheckVerb } from './check.js';
import { checkVerb } from './check.js';
import type { ClockVerbs } from './clock.js';
import type { FaultVerbs } from './faults.js';
import { faultVerbs } from './faults.js';
import type { Forwarding, ForwardVerb } from './forward.js';
import type { KycVerbs } from './identity.js';
import { kycVerbs } from './identity.js';
import type { ChargeVerbs, WithdrawalVerbs } from './payments.js';
import { chargeVerbs, withdrawalVerbs } from './payments.js';
import type { StateVerbs } from './state.js';
import { stateVerbs } from './state.js';
import type { Patience } from './verb-options.js';
import type { DeliveryVerbs, EndpointVerbs, EventVerbs, TestReceiverVerbs, TriggerVerb } from './webhooks.js';
import {
  deliveryVerbs,
  endpointVerbs,
  eventVerbs,
  patienceMs,
  testReceiverVerbs,
  triggerVerb,
} from './webhooks.js';

/** A sandbox of `createSandbox` or `connectSandbox`: a helper that awaits every result works with both. */
export interface SandboxVerbs extends StateVerbs, AsyncDisposable {
  /** The origin; without a port, one that only `fetch` knows. */
  readonly url: string;
  /** The environment block: what an application needs to use this sandbox. */
  readonly env: EnvironmentBlock;
  readonly apps: AppVerbs;
  readonly charges: ChargeVerbs;
  readonly withdrawals: WithdrawalVerbs;
  readonly kyc: KycVerbs;
  readonly trigger: TriggerVerb;
  readonly events: EventVerbs;
  readonly deliveries: DeliveryVerbs;
  readonly endpoints: EndpointVerbs;
  readonly testReceiver: TestReceiverVerbs;
  readonly clock: ClockVerbs<Date | Promise<Date>>;
  readonly faults: FaultVerbs;
  readonly calls: CallVerbs;
  readonly ledger: LedgerVerbs<string[] | Promise<string[]>>;
  readonly forwardTo: ForwardVerb<Forwarding | Promise<Forwarding>>;
  /** Checks a webhook receiver: signatures, repeats, order and speed, as `sandbox check` does. */
  readonly check: CheckVerb;
  /** Resolves when nothing is in flight and nothing is due now; rejects on a timeout in real time. */
  readonly idle: (patience?: Patience) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface LedgerVerbs<Problems> {
  /** In words; empty when all transactions are right and add up to the balances. */
  readonly problems: () => Problems;
}

/** The verbs that only need the control API. @internal */
export function sandboxVerbs(control: ControlClient, env: EnvironmentBlock) {
  return {
    url: control.url,
    env,
    apps: appVerbs(control),
    charges: chargeVerbs(control),
    withdrawals: withdrawalVerbs(control),
    kyc: kycVerbs(control),
    trigger: triggerVerb(control),
    events: eventVerbs(control),
    deliveries: deliveryVerbs(control),
    endpoints: endpointVerbs(control),
    testReceiver: testReceiverVerbs(control),
    faults: faultVerbs(control),
    calls: callVerbs(control),
    check: checkVerb(control, env),
    ...stateVerbs(control),
    idle: async (patience: Patience = {}) => {
      const timeoutMs = patienceMs('idle', patience);
      const { idle } = await control.get('idle', { timeout: `${timeoutMs}ms` });
      if (idle) return;
      const { attempts_in_flight: open } = await control.get('status');
      throw new Error(`Not idle within ${timeoutMs} ms: ${open} attempts are in flight.`);
    },
  };
}

const NO_FETCH =
  'needs the fetch API of Node: expected the global Response, and there is none. Jest’s jsdom environment hides it: begin the test file with /** @jest-environment node */.';

/** Throws Error where a test environment hides fetch. @internal */
export function requireFetch(what: string): void {
  if (typeof Response === 'undefined') throw new Error(`${what} ${NO_FETCH}`);
}
