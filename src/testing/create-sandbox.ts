import { runRestart } from '../child.js';
import { ControlClient, fetchTransport } from '../client/control.js';
import { LIMITS } from '../contract/limits.js';
import { SESSION_DECISIONS } from '../contract/transitions.js';
import type { AutoDecision } from '../core/world.js';
import { ledgerProblems } from '../core/payments/ledger.js';
import { parseRoutes } from '../delivery/destination.js';
import { type ServerOptions, startServer } from '../http/server/start.js';
import { keepFaults } from '../sandbox/faults/fault-file.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { EnvironmentBlock, SessionDecision } from '../shapes.js';
import { type Forwarding, forwardTo, type ForwardVerb } from './forward.js';
import type { GlobalRequest, GlobalRequestInit, GlobalResponse, GlobalUrl } from './global-types.js';
import {
  checkArgument,
  checkedOptions,
  COUNT,
  durationMs,
  FLAG,
  freezeAtMs,
  FUNCTION,
  listOf,
  OBJECT,
  oneOf,
  type OptionKind,
  type OptionKinds,
  PORT,
  TEXT,
  TEXTS_BY_NAME,
} from './options.js';
import type { ClockApi, FaultFields, LedgerApi, SandboxVerbs } from './api.js';
import { clockVerbs, faultsOfFile, faultVerbs, requireFetch, sandboxVerbs } from './verbs.js';

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
  /**
   * The faults at the start, and again after every `reset`; or the path of a file that holds them, whose seed
   * is used unless one is given.
   */
  readonly faults?: readonly FaultFields[] | string | undefined;
  /**
   * Restarts the application, for the fault `restart`: a function, or a command for the shell, which gets the
   * environment block.
   */
  readonly restart?: (() => Promise<void> | void) | string | undefined;
  /** Identity: decides sessions automatically; results are readable after a delay such as `2s` of sandbox time. */
  readonly kycAuto?: { readonly status: SessionDecision; readonly delay?: string | undefined } | undefined;
  /** Origins whose pages may use the browser SDK, besides `http://localhost:*` and `http://127.0.0.1:*`. */
  readonly origins?: readonly string[] | undefined;
  /** How many finished deliveries are kept, 100,000 by default; beyond, the oldest are dropped. */
  readonly keepDeliveries?: number | undefined;
  /** Answers exactly like the service, without explanations. */
  readonly strict?: boolean | undefined;
}

/** The parser of a text reports what is wrong with it. */
const ANYTHING: OptionKind = { wanted: 'a value', is: () => true };
const FAULTS = listOf(OBJECT);
/** @internal */
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
  keepDeliveries: {
    wanted: `a whole number from 1 to ${LIMITS.deliveriesKeptMax}`,
    is: (value) => COUNT.is(value) && Number(value) >= 1 && Number(value) <= LIMITS.deliveriesKeptMax,
  },
  strict: FLAG,
};

/**
 * The faults of the options or of their file, and the seed. Throws SandboxError for a file that holds none.
 * @internal
 */
function givenFaults({ faults = [], seed }: CreateSandboxOptions): {
  readonly faults: readonly FaultFields[];
  readonly seed: CreateSandboxOptions['seed'];
} {
  if (typeof faults !== 'string') return { faults, seed };
  const file = faultsOfFile(faults);
  return { faults: file.faults, seed: seed ?? file.seed };
}

/** What the fault `restart` does. @internal */
function restartOf(
  restart: CreateSandboxOptions['restart'],
  env: () => EnvironmentBlock | undefined,
): ServerOptions['restart'] {
  if (restart === undefined) return undefined;
  if (typeof restart !== 'string') return async () => restart();
  return () => runRestart(restart, { cwd: process.cwd(), env: { ...process.env, ...env() } });
}

/** The options as a server takes them. @internal */
function serverOptions(options: CreateSandboxOptions): ServerOptions {
  const { seed, assume, strict, origins, keepDeliveries, allowLocalEndpoints = false } = options;
  return {
    seed: seed?.toString(),
    assume,
    strict,
    freezeAt: freezeAtMs(options.freezeAt),
    autoSettleMs: durationMs('autoSettle', options.autoSettle),
    kycAuto: autoDecision(options.kycAuto),
    origins,
    keepDeliveries,
    policy: {
      routes: parseRoutes(
        Object.entries(options.routes ?? {}).map(([from, to]) => `${from}=${to}`),
        allowLocalEndpoints,
      ),
      allowLocalEndpoints,
    },
  };
}

function autoDecision(auto: CreateSandboxOptions['kycAuto']): AutoDecision | undefined {
  if (auto === undefined) return undefined;
  checkArgument('createSandbox: kycAuto.status', auto.status, oneOf(SESSION_DECISIONS));
  const { status, delay } = checkedOptions('kycAuto', auto, { status: TEXT, delay: ANYTHING });
  return { status, delayMs: durationMs('kycAuto.delay', delay) ?? 0 };
}

/** A sandbox in this process, with the verbs of the payer, the bank and the tester. */
export interface TestSandbox extends SandboxVerbs {
  /** Answers without a socket; takes what global fetch takes, and paths. */
  readonly fetch: (
    input: string | GlobalUrl | GlobalRequest,
    init?: GlobalRequestInit,
  ) => Promise<GlobalResponse>;
  readonly clock: ClockApi<Date>;
  readonly ledger: LedgerApi<string[]>;
  readonly forwardTo: ForwardVerb<Forwarding>;
}

/**
 * Starts a sandbox in this process, as `sandbox start` does. Throws TypeError for invalid options,
 * SandboxError for invalid faults, and Error if the port is taken. End it with `close()` or `await using`.
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
  requireFetch('createSandbox');
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
  const { server, control } = await startWith(settings, port === false ? undefined : port, wanted);
  const { sandbox, url } = server;
  env = server.env;
  const close = () => server.close();
  keepFaults(sandbox);
  const verbs: TestSandbox = {
    ...sandboxVerbs(control, env),
    fetch: async (input, init) =>
      server.fetch(new Request(input instanceof Request ? input : new URL(input, url), init), {}),
    clock: clockVerbs(control, () => new Date(sandbox.clock.now())),
    ledger: { problems: () => ledgerProblems(sandbox.world) },
    forwardTo: (target, forward = {}) => forwardTo(sandbox, target, forward),
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
  try {
    const faults = faultVerbs(control);
    for (const fault of wanted) await faults.add(fault);
  } catch (error) {
    await server.close();
    throw error;
  }
  return { server, control };
}
