import type { AutoDecision } from '../core/identity/session.js';
import { ledgerProblems } from '../core/payments/ledger-check.js';
import { Refusal } from '../contract/refusals.js';
import { SESSION_DECISIONS } from '../contract/transitions.js';
import { restartBy } from '../check/hooks.js';
import { readFaultFile } from '../sandbox/fault-file.js';
import { parseRoutes } from '../delivery/destination.js';
import type { ServerOptions } from '../http/server/start.js';
import { startServer } from '../http/server/start.js';
import { ControlClient, fetchTransport } from '../client/control.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { SandboxError } from '../client/sandbox-error.js';
import type { EnvironmentBlock, SessionDecision } from '../shapes.js';
import type { AppVerbs } from './apps.js';
import { appVerbs } from './apps.js';
import type { CallVerbs } from './calls.js';
import { callVerbs } from './calls.js';
import type { CheckVerb } from './check.js';
import { checkVerb } from './check.js';
import type { ClockVerbs } from './clock.js';
import { clockVerbs } from './clock.js';
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
import type { OptionKind, OptionKinds } from './options.js';
import {
  checkArgument,
  checkedOptions,
  durationMs,
  FLAG,
  freezeAtMs,
  FUNCTION,
  listOf,
  OBJECT,
  oneOf,
  PORT,
  TEXT,
  TEXTS_BY_NAME,
} from './options.js';
import type { ChargeVerbs, WithdrawalVerbs } from './payments.js';
import { chargeVerbs, withdrawalVerbs } from './payments.js';
import type { StateVerbs } from './state.js';
import { stateVerbs } from './state.js';
import type { Patience } from './verb-options.js';

export interface CreateSandboxOptions {
  /** A port of 127.0.0.1; 0, the default, takes a free one, and false opens none: then only `fetch` answers. */
  readonly port?: number | false | undefined;
  /** Determines ids, generated secrets and chance; a whole number is the same as its decimal digits. */
  readonly seed?: string | number | undefined;
  /** Sandbox time starts frozen at this instant (ISO 8601, a Date, or milliseconds since 1970). */
  readonly freezeAt?: string | number | Date | undefined;
  /** Redirects deliveries from one origin to another: `{'https://shop.example': 'http://localhost:3000'}`. */
  readonly routes?: Readonly<Record<string, string>> | undefined;
  /** Allows http and local endpoints. */
  readonly allowLocalEndpoints?: boolean | undefined;
  /** Settles charges automatically after this time, a duration of sandbox time such as `5s`. */
  readonly autoSettle?: string | undefined;
  /** Choices for what the contract leaves open, by id: `{'charge.lifetime': '15m'}`. */
  readonly assume?: Readonly<Record<string, string>> | undefined;
  /** The faults at the start, and again after every `reset`; or the path of a file that holds them, whose seed is used unless one is given. */
  readonly faults?: readonly FaultFields[] | string | undefined;
  /** Restarts the application, for the fault `restart`: a function, or a command for the shell, which gets the environment block. */
  readonly restart?: (() => Promise<void> | void) | string | undefined;
  /** Identity: decides sessions automatically; results are readable after a delay such as `2s` of sandbox time. */
  readonly kycAuto?: { readonly status: SessionDecision; readonly delay?: string | undefined } | undefined;
  /** Origins whose pages may use the browser SDK, besides `http://localhost:*` and `http://127.0.0.1:*`. */
  readonly origins?: readonly string[] | undefined;
  /** Answers exactly like the service, without explanations. */
  readonly strict?: boolean | undefined;
}

const NO_FETCH =
  'createSandbox needs the fetch API of Node: expected the global Response, and there is none. Jest’s jsdom environment hides it: begin the test file with /** @jest-environment node */.';

/** The parser of a text reports what is wrong with it. */
const ANYTHING: OptionKind = { wanted: 'a value', is: () => true };
const FAULTS = listOf(OBJECT);
const OPTION_KINDS: OptionKinds<CreateSandboxOptions> = {
  port: { wanted: `${PORT.wanted}, or false`, is: (value) => value === false || PORT.is(value) },
  seed: {
    wanted: 'a string or a whole number',
    is: (value) => typeof value === 'string' || Number.isSafeInteger(value),
  },
  freezeAt: ANYTHING,
  routes: TEXTS_BY_NAME,
  allowLocalEndpoints: FLAG,
  autoSettle: ANYTHING,
  assume: TEXTS_BY_NAME,
  faults: {
    wanted: 'a list of faults, or the path of a file',
    is: (value) => TEXT.is(value) || FAULTS.is(value),
  },
  restart: { wanted: 'a function or a command', is: (value) => FUNCTION.is(value) || TEXT.is(value) },
  kycAuto: OBJECT,
  origins: listOf(TEXT),
  strict: FLAG,
};

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
  const initialFaults = [...sandbox.world.faults.values()];
  sandbox.onReset((isFresh) => {
    if (!isFresh) return;
    for (const fault of initialFaults) sandbox.dispatch({ type: 'fault.add', fault });
  });
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

/** The faults of the options or of their file, and the seed. Throws SandboxError for a file that holds none. */
function givenFaults({ faults = [], seed }: CreateSandboxOptions): {
  readonly faults: readonly FaultFields[];
  readonly seed: CreateSandboxOptions['seed'];
} {
  if (typeof faults !== 'string') return { faults, seed };
  try {
    const file = readFaultFile(faults);
    return { faults: file.faults as readonly FaultFields[], seed: seed ?? file.seed };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, code, message, hint } = error;
    const body = { code, message, request_id: '', details: [], ...(hint === undefined ? {} : { hint }) };
    throw new SandboxError(status, body, faults);
  }
}

function restartOf(
  restart: CreateSandboxOptions['restart'],
  env: () => EnvironmentBlock | undefined,
): ServerOptions['restart'] {
  if (restart === undefined) return undefined;
  if (typeof restart !== 'string') return async () => restart();
  return (signal) => restartBy(restart, { cwd: process.cwd(), env: { ...process.env, ...env() } })(signal);
}

function serverOptions(options: CreateSandboxOptions): ServerOptions {
  const { seed, assume, strict, origins, allowLocalEndpoints = false } = options;
  return {
    seed: seed?.toString(),
    assume,
    strict,
    freezeAt: freezeAtMs(options.freezeAt),
    autoSettleMs: durationMs('autoSettle', options.autoSettle),
    kycAuto: autoDecision(options.kycAuto),
    origins,
    policy: {
      routes: parseRoutes(
        Object.entries(options.routes ?? {}).map(([from, to]) => `${from}=${to}`),
        allowLocalEndpoints,
      ),
      allowLocalEndpoints,
    },
  };
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

function autoDecision(auto: CreateSandboxOptions['kycAuto']): AutoDecision | undefined {
  if (auto === undefined) return undefined;
  checkArgument('createSandbox: kycAuto.status', auto.status, oneOf(SESSION_DECISIONS));
  const { status, delay } = checkedOptions('kycAuto', auto, { status: TEXT, delay: ANYTHING });
  return { status, delayMs: durationMs('kycAuto.delay', delay) ?? 0 };
}
