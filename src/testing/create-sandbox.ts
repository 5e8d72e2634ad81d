import { ledgerProblems } from '../core/payments/ledger-check.js';
import type { ServerOptions } from '../http/server/start.js';
import { startServer } from '../http/server/start.js';
import { ControlClient, fetchTransport } from '../client/control.js';
import { keepFaults } from '../sandbox/faults/kept-faults.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { EnvironmentBlock } from '../shapes.js';
import type { AppVerbs } from './apps.js';
import { appVerbs } from './apps.js';
import type { CallVerbs } from './calls.js';
import { callVerbs } from './calls.js';
import type { CheckVerb } from './check.js';
import { checkVerb } from './check.js';
import type { ClockVerbs } from './clock.js';
import { clockVerbs } from './clock.js';
import type { CreateSandboxOptions } from './create-options.js';
import { givenFaults, OPTION_KINDS, restartOf, serverOptions } from './create-options.js';
import type { FaultFields, FaultVerbs } from './faults.js';
import { faultVerbs } from './faults.js';
import type { Forwarding, ForwardOptions, ForwardTarget } from './forward.js';
import { forwardTo } from './forward.js';
import type { GlobalRequest, GlobalRequestInit, GlobalResponse, GlobalUrl } from './global-types.js';
import type { KycVerbs } from './identity.js';
import type { DeliveryVerbs, EndpointVerbs, EventVerbs, TestReceiverVerbs, TriggerVerb } from './webhooks.js';
import {
  deliveryVerbs,
  endpointVerbs,
  eventVerbs,
  patienceMs,
  testReceiverVerbs,
  triggerVerb,
} from './webhooks.js';
import { kycVerbs } from './identity.js';
import { checkedOptions } from './options.js';
import type { ChargeVerbs, WithdrawalVerbs } from './payments.js';
import { chargeVerbs, withdrawalVerbs } from './payments.js';
import type { StateVerbs } from './state.js';
import { stateVerbs } from './state.js';
import type { Patience } from './verb-options.js';

const NO_FETCH =
  'createSandbox needs the fetch API of Node: expected the global Response, and there is none. Jest’s jsdom environment hides it: begin the test file with /** @jest-environment node */.';

/** A sandbox in this process, with the verbs of the payer, the bank and the tester. */
export interface TestSandbox extends StateVerbs, AsyncDisposable {
  /** The origin; without a port, one that only `fetch` knows. */
  readonly url: string;
  /** The environment block: what an application needs to use this sandbox. */
  readonly env: EnvironmentBlock;
  /** Answers without a socket; takes what global fetch takes, and paths. */
  readonly fetch: (
    input: string | GlobalUrl | GlobalRequest,
    init?: GlobalRequestInit,
  ) => Promise<GlobalResponse>;
  readonly apps: AppVerbs;
  readonly charges: ChargeVerbs;
  readonly withdrawals: WithdrawalVerbs;
  readonly kyc: KycVerbs;
  readonly trigger: TriggerVerb;
  readonly events: EventVerbs;
  readonly deliveries: DeliveryVerbs;
  readonly endpoints: EndpointVerbs;
  readonly testReceiver: TestReceiverVerbs;
  readonly clock: ClockVerbs;
  readonly faults: FaultVerbs;
  readonly calls: CallVerbs;
  readonly ledger: {
    /** The problems of the ledger, in words; empty when all transactions are right and add up to the balances. */
    readonly problems: () => string[];
  };
  /** Delivers every event to a URL or a `fetch`, signed with SANDBOX_WEBHOOK_SECRET. */
  readonly forwardTo: (target: ForwardTarget, options?: ForwardOptions) => Forwarding;
  /** Checks a webhook receiver: signatures, repeats, order and speed, as `sandbox check` does. */
  readonly check: CheckVerb;
  /** Resolves when nothing is in flight and nothing is due now; rejects on a timeout in real time. */
  readonly idle: (patience?: Patience) => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Starts a sandbox in this process, as `sandbox start` does. Throws TypeError for invalid options, SandboxError for invalid
 * faults, and Error if the port is taken. End it with `close()` or `await using`.
 */
export async function createSandbox(options: CreateSandboxOptions = {}): Promise<TestSandbox> {
  return (await openSandbox(options)).verbs;
}

/** The verbs of a sandbox with what is behind them. @internal */
export interface OpenSandbox {
  readonly verbs: TestSandbox;
  readonly sandbox: Sandbox;
  readonly control: ControlClient;
}

/** Does what `createSandbox` does. @internal */
export async function openSandbox(options: CreateSandboxOptions): Promise<OpenSandbox> {
  if (typeof Response === 'undefined') throw new Error(NO_FETCH);
  const checked = checkedOptions('createSandbox', options, OPTION_KINDS);
  const { faults: wanted, seed } = givenFaults(checked);
  let env: EnvironmentBlock | undefined;
  const settings = { ...serverOptions({ ...checked, seed }), restart: restartOf(checked.restart, () => env) };
  const { port = 0 } = options;
  // Check the faults in a sandbox without a port first, so that invalid ones open none.
  if (port !== false && wanted.length > 0) {
    const trial = await startWith(settings, undefined, wanted);
    await trial.server.close();
  }
  const { server, control, faults } = await startWith(settings, port === false ? undefined : port, wanted);
  const { sandbox, url } = server;
  env = server.env;
  const close = () => server.close();
  keepFaults(sandbox);
  const verbs: TestSandbox = {
    url,
    env,
    fetch: async (input, init) =>
      server.fetch(new Request(input instanceof Request ? input : new URL(input, url), init), {}),
    apps: appVerbs(control),
    charges: chargeVerbs(control),
    withdrawals: withdrawalVerbs(control),
    kyc: kycVerbs(control),
    trigger: triggerVerb(control),
    events: eventVerbs(control),
    deliveries: deliveryVerbs(control),
    endpoints: endpointVerbs(control),
    testReceiver: testReceiverVerbs(control),
    clock: clockVerbs(control, sandbox),
    faults,
    calls: callVerbs(control),
    ledger: {
      problems: () => ledgerProblems(sandbox.world),
    },
    forwardTo: (target, forward = {}) => forwardTo(sandbox, target, forward),
    check: checkVerb(control, env),
    ...stateVerbs(control),
    idle: async (patience = {}) => {
      const timeoutMs = patienceMs('idle', patience);
      const { idle } = await control.get('idle', { timeout: `${timeoutMs}ms` });
      if (idle) return;
      throw new Error(`Not idle within ${timeoutMs} ms: ${sandbox.openAttempts} attempts are in flight.`);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  return { verbs, sandbox, control };
}

async function startWith(
  settings: ServerOptions,
  port: number | undefined,
  wanted: readonly FaultFields[] = [],
) {
  const server = await startServer({ ...settings, port });
  const control = new ControlClient(
    fetchTransport(server.url, (target, init) => server.fetch(new Request(server.url + target, init), {})),
  );
  const faults = faultVerbs(control);
  try {
    for (const fault of wanted) await faults.add(fault);
  } catch (error) {
    await server.close();
    throw error;
  }
  return { server, control, faults };
}
