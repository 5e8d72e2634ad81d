import { restartBy } from '../check/hooks.js';
import { LIMITS } from '../contract/limits.js';
import { SESSION_DECISIONS } from '../contract/transitions.js';
import type { AutoDecision } from '../core/identity/session.js';
import { parseRoutes } from '../delivery/destination.js';
import type { ServerOptions } from '../http/server/start.js';
import type { EnvironmentBlock, SessionDecision } from '../shapes.js';
import type { FaultFields } from './faults.js';
import { faultsOfFile } from './faults.js';
import type { OptionKind, OptionKinds } from './options.js';
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
  PORT,
  TEXT,
  TEXTS_BY_NAME,
} from './options.js';

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
  /** How many finished deliveries are kept, 100,000 by default; beyond, the oldest are dropped. */
  readonly keepDeliveries?: number | undefined;
  /** Answers exactly like the service, without explanations. */
  readonly strict?: boolean | undefined;
}

/** The parser of a text reports what is wrong with it. */
const ANYTHING: OptionKind = { wanted: 'a value', is: () => true };
const FAULTS = listOf(OBJECT);
/** @internal */
export const OPTION_KINDS: OptionKinds<CreateSandboxOptions> = {
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

/** The faults of the options or of their file, and the seed. Throws SandboxError for a file that holds none. @internal */
export function givenFaults({ faults = [], seed }: CreateSandboxOptions): {
  readonly faults: readonly FaultFields[];
  readonly seed: CreateSandboxOptions['seed'];
} {
  if (typeof faults !== 'string') return { faults, seed };
  const file = faultsOfFile(faults);
  return { faults: file.faults, seed: seed ?? file.seed };
}

/** What the fault `restart` does. @internal */
export function restartOf(
  restart: CreateSandboxOptions['restart'],
  env: () => EnvironmentBlock | undefined,
): ServerOptions['restart'] {
  if (restart === undefined) return undefined;
  if (typeof restart !== 'string') return async () => restart();
  return (signal) => restartBy(restart, { cwd: process.cwd(), env: { ...process.env, ...env() } })(signal);
}

/** The options as a server takes them. @internal */
export function serverOptions(options: CreateSandboxOptions): ServerOptions {
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
