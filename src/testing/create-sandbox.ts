import { runRestart } from '../child.js';
import { ControlClient, createFetchTransport, SandboxError } from '../client/control.js';
import { LIMITS } from '../contract/limits.js';
import { SESSION_DECISIONS } from '../contract/transitions.js';
import { findLedgerProblems } from '../core/payments/ledger.js';
import { parseSandboxOptions } from '../sandbox/options.js';
import { type ServerOptions, startServer } from '../http/server/start.js';
import { restoreFaultsOnReset } from '../sandbox/faults/fault-file.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { object, optional } from '../schema/object.js';
import { anyValue, boolean, enumOf, integer } from '../schema/values.js';
import type { EnvironmentBlock, FaultFields, SessionDecision } from '../public-types.js';
import { findMappingProblem } from '../text/environment.js';
import { SANDBOX_HEADER } from '../text/control-api.js';
import { type Forwarding, forwardTo, type ForwardVerb } from './forward.js';
import type { GlobalRequest, GlobalRequestInit, GlobalResponse, GlobalUrl } from './global-types.js';
import {
  checkOptions,
  DELAY_OPTION,
  parseFreezeAt,
  matchesSchema,
  FUNCTION_OR_COMMAND,
  defineList,
  type OptionSchemas,
  OBJECT_OPTION,
  PORT_OPTION,
  RATE_OPTION,
  TEXT_OPTION,
  TEXTS_OPTION,
  predicate,
} from './options.js';
import type { ClockApi, LedgerApi, SandboxVerbs } from './api.js';
import {
  createClockApi,
  readFaultsOfFile,
  createFaultsApi,
  requireFetch,
  SANDBOX_CLOSED,
  createSandboxApi,
} from './verbs.js';

export interface CreateSandboxOptions {
  /** Port on 127.0.0.1. 0 (the default) picks a free port; false opens no port, so only `fetch` works. */
  readonly port?: number | false | undefined;
  /** Determines ids, generated secrets and random choices. A number is equivalent to its decimal string. */
  readonly seed?: string | number | undefined;
  /** Starts with the clock frozen at this instant (ISO 8601, a Date, or milliseconds since 1970). */
  readonly freezeAt?: string | number | Date | undefined;
  /**
   * Own variables for `env`, each with its source: a variable of the environment block, or a template such as
   * `{SANDBOX_BASE_URL}/api`. The format is that of `env` in sandbox.config.json.
   */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Redirects deliveries between origins, e.g. `{'https://shop.example': 'http://localhost:3000'}`. */
  readonly routes?: Readonly<Record<string, string>> | undefined;
  /** Allows http and local endpoints. */
  readonly allowLocalEndpoints?: boolean | undefined;
  /**
   * Settles charges automatically after this delay of sandbox time: `5s`, `2.8s~4.6s` (median~99th percentile)
   * or `spi`.
   */
  readonly autoSettle?: string | undefined;
  /** Limits requests to the payments API per application, in sandbox time, e.g. `100/1m`. */
  readonly rateLimit?: string | undefined;
  /** Chooses behavior that the contract leaves open, by assumption id, e.g. `{'charge.lifetime': '15m'}`. */
  readonly assume?: Readonly<Record<string, string>> | undefined;
  /**
   * Faults added at the start and after each `reset`, as a list or file path. A file can also set the seed.
   */
  readonly faults?: readonly FaultFields[] | string | undefined;
  /** Restarts the application for the `restart` fault. Shell commands get the sandbox's environment. */
  readonly restart?: (() => Promise<void> | void) | string | undefined;
  /**
   * Decides identity sessions automatically. Results are readable after `delay` in sandbox time, e.g. `2s` or `2s~9s`.
   */
  readonly kycAuto?: { readonly status: SessionDecision; readonly delay?: string | undefined } | undefined;
  /** Origins allowed to use the browser SDK, in addition to `http://localhost:*` and `http://127.0.0.1:*`. */
  readonly origins?: readonly string[] | undefined;
  /** Maximum number of finished deliveries to store. Defaults to 100,000; older deliveries are dropped. */
  readonly keepDeliveries?: number | undefined;
  /** Responds exactly like the service, without explanations. */
  readonly strict?: boolean | undefined;
}

const { deliveriesKeptMax } = LIMITS;

const OPTION_SCHEMAS: OptionSchemas<CreateSandboxOptions> = {
  port: predicate(
    `${PORT_OPTION.what}, or false`,
    (value) => value === false || matchesSchema(PORT_OPTION, value),
  ),
  seed: predicate(
    'a string or a whole number',
    (value) => typeof value === 'string' || Number.isSafeInteger(value),
  ),
  // Validated by `parseFreezeAt`.
  freezeAt: anyValue,
  env: TEXTS_OPTION,
  routes: TEXTS_OPTION,
  allowLocalEndpoints: boolean,
  autoSettle: DELAY_OPTION,
  rateLimit: RATE_OPTION,
  assume: TEXTS_OPTION,
  faults: predicate(
    'a list of faults, or the path of a file',
    (value) => matchesSchema(TEXT_OPTION, value) || matchesSchema(defineList(OBJECT_OPTION), value),
  ),
  restart: FUNCTION_OR_COMMAND,
  kycAuto: object('an object', { status: enumOf(SESSION_DECISIONS), delay: optional(DELAY_OPTION) }),
  origins: defineList(TEXT_OPTION),
  keepDeliveries: integer(`a whole number from 1 to ${deliveriesKeptMax}`, {
    min: 1,
    max: deliveriesKeptMax,
  }),
  strict: boolean,
};

/** A sandbox in this process, with methods for the payer, the bank and the tester. */
export interface TestSandbox extends SandboxVerbs {
  /** Sends a request without a socket. Accepts a path or the arguments of global fetch. */
  readonly fetch: (
    input: string | GlobalUrl | GlobalRequest,
    init?: GlobalRequestInit,
  ) => Promise<GlobalResponse>;
  readonly clock: ClockApi<Date>;
  readonly ledger: LedgerApi<string[]>;
  readonly forwardTo: ForwardVerb<Forwarding>;
}

/**
 * Starts a sandbox in this process, like `sandbox start`. Rejects with TypeError for invalid options,
 * SandboxError for invalid faults, and Error if the port is in use. Stop the sandbox with `close()` or `await
 * using`.
 */
export async function createSandbox<Name extends string = never>(
  options: CreateSandboxOptions & { readonly env?: Readonly<Record<Name, string>> | undefined } = {},
): Promise<TestSandbox & { readonly env: Readonly<Record<Name, string>> }> {
  const { verbs } = await openSandbox(options);
  return verbs as TestSandbox & { readonly env: Readonly<Record<Name, string>> };
}

/** A test sandbox with its internals. @internal */
export interface OpenSandbox {
  readonly verbs: TestSandbox;
  readonly sandbox: Sandbox;
  readonly control: ControlClient;
}

/** Implements `createSandbox`. @internal */
export async function openSandbox(options: CreateSandboxOptions): Promise<OpenSandbox> {
  requireFetch('createSandbox');
  const checked = checkOptions('createSandbox', options, OPTION_SCHEMAS);
  const { port = 0, faults = [], restart, assume, strict, origins, keepDeliveries } = checked;
  const given = typeof faults === 'string' ? readFaultsOfFile(faults) : { faults };
  for (const [name, source] of Object.entries(checked.env ?? {})) {
    const problem = findMappingProblem(name, source);
    if (problem !== undefined) throw new TypeError(`createSandbox: env ${problem}.`);
  }
  let env: EnvironmentBlock | undefined;
  const runCommand = (command: string) =>
    runRestart(command, { cwd: process.cwd(), env: { ...process.env, ...env } });
  const settings: ServerOptions = {
    assume,
    env: checked.env,
    strict,
    origins,
    keepDeliveries,
    ...parseSandboxOptions(checked),
    freezeAt: parseFreezeAt(checked.freezeAt),
    seed: (checked.seed ?? given.seed)?.toString(),
    restart:
      restart === undefined
        ? undefined
        : async () => (typeof restart === 'string' ? runCommand(restart) : restart()),
  };
  // Validate the faults in a sandbox without a port first, so that no port is opened for invalid faults.
  if (port !== false && given.faults.length > 0) {
    const trial = await startWith(settings, undefined, given.faults);
    await trial.server.close();
  }
  const { server, control, closing, response } = await startWith(
    settings,
    port === false ? undefined : port,
    given.faults,
  );
  const { sandbox, url } = server;
  env = server.env;
  const close = async () => {
    await server.close();
    closing.abort();
  };
  restoreFaultsOnReset(sandbox);
  /** Returns the sandbox for methods that bypass the control API. */
  const whileOpen = (verb: string) => {
    if (closing.signal.aborted) throw new SandboxError(503, CLOSED, verb);
    return sandbox;
  };
  const verbs: TestSandbox = {
    ...createSandboxApi(control, env),
    fetch: async (input, init) =>
      response(new Request(input instanceof Request ? input : new URL(input, url), init)),
    clock: createClockApi(control, () => new Date(whileOpen('clock.now').clock.now())),
    ledger: { problems: () => findLedgerProblems(whileOpen('ledger.problems').world) },
    forwardTo: (target, forward = {}) => forwardTo(whileOpen('forwardTo'), target, forward),
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
  const closing = new AbortController();
  const response = async (request: Request) =>
    closing.signal.aborted ? closedResponse() : server.fetch(request, {});
  const control = new ControlClient(
    createFetchTransport(server.url, (target, init) => response(new Request(server.url + target, init))),
  );
  try {
    const faults = createFaultsApi(control);
    for (const fault of wanted) await faults.add(fault);
  } catch (error) {
    await server.close();
    throw error;
  }
  return { server, control, closing, response };
}

/** Error thrown by every method after `close()`. */
const CLOSED = {
  code: SANDBOX_CLOSED,
  message: 'The sandbox is closed.',
  request_id: '',
  details: [],
  hint: 'Call `close()` after the last use, or create another sandbox with `createSandbox()`.',
};

function closedResponse(): Response {
  return Response.json({ error: CLOSED }, { status: 503, headers: { [SANDBOX_HEADER]: 'closed' } });
}
