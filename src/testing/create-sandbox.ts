import { ledgerProblems } from '../core/payments/ledger-check.js';
import type { ServerOptions } from '../http/server/start.js';
import { startServer } from '../http/server/start.js';
import { ControlClient, fetchTransport } from '../client/control.js';
import { keepFaults } from '../sandbox/faults/kept-faults.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { EnvironmentBlock } from '../shapes.js';
import type { ClockVerbs } from './clock.js';
import { clockVerbs } from './clock.js';
import type { CreateSandboxOptions } from './create-options.js';
import { givenFaults, OPTION_KINDS, restartOf, serverOptions } from './create-options.js';
import type { FaultFields } from './faults.js';
import { faultVerbs } from './faults.js';
import type { Forwarding, ForwardVerb } from './forward.js';
import { forwardTo } from './forward.js';
import type { GlobalRequest, GlobalRequestInit, GlobalResponse, GlobalUrl } from './global-types.js';
import { checkedOptions } from './options.js';
import type { LedgerVerbs, SandboxVerbs } from './verbs.js';
import { requireFetch, sandboxVerbs } from './verbs.js';

/** A sandbox in this process, with the verbs of the payer, the bank and the tester. */
export interface TestSandbox extends SandboxVerbs {
  /** Answers without a socket; takes what global fetch takes, and paths. */
  readonly fetch: (
    input: string | GlobalUrl | GlobalRequest,
    init?: GlobalRequestInit,
  ) => Promise<GlobalResponse>;
  readonly clock: ClockVerbs<Date>;
  readonly ledger: LedgerVerbs<string[]>;
  readonly forwardTo: ForwardVerb<Forwarding>;
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
