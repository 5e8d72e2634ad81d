import type { EventType } from '../../../src/contract/enums.js';
import type { Endpoint } from '../../../src/core/world.js';
import type { SandboxServer, ServerOptions } from '../../../src/http/server/start.js';
import { startServer } from '../../../src/http/server/start.js';
import type { FakeIoOptions, Ran } from './cli-io.js';
import { CALLED, runBody } from './cli-io.js';
import { createWebhookSecret } from '../../../src/sandbox/credentials.js';

type RunOptions = Omit<FakeIoOptions, 'env'> & {
  readonly args?: readonly string[];
  readonly options?: Readonly<Record<string, unknown>>;
};

/** A sandbox in this process, and commands that find it. */
export interface CliSandbox extends AsyncDisposable {
  readonly server: SandboxServer;
  readonly run: (command: string, options?: RunOptions) => Promise<Ran>;
  /** The same under `--json`: the one object on stdout. */
  readonly runJson: (command: string, options?: RunOptions) => Promise<Record<string, unknown>>;
}

export const START_INSTANT = '2026-01-01T00:00:00.000Z';

/** Starts a sandbox whose ids follow from a seed and whose clock stands still at START_INSTANT. */
export async function cliSandbox(options: ServerOptions = {}): Promise<CliSandbox> {
  const server = await startServer({
    port: 0,
    program: CALLED,
    seed: 'cli',
    freezeAt: Date.parse(START_INSTANT),
    ...options,
  });
  const env = { SANDBOX_URL: server.url };
  const run: CliSandbox['run'] = (command, runOptions = {}) => runBody(command, { ...runOptions, env });
  return {
    server,
    run,
    runJson: async (command, runOptions = {}) => {
      const { stdout, stderr } = await run(command, { ...runOptions, json: true });
      if (stderr !== '') throw new Error(`Expected nothing on stderr under --json; got ${stderr}`);
      const lines = stdout.trimEnd().split('\n');
      if (lines.length !== 1) throw new Error(`Expected one line of JSON; got ${stdout}`);
      return JSON.parse(stdout) as Record<string, unknown>;
    },
    [Symbol.asyncDispose]: () => server.close(0),
  };
}

/** Registers an endpoint for pix.settled. */
export function register({ server: { sandbox } }: CliSandbox, url: string): Endpoint {
  const appId = sandbox.world.apps.rows[0]?.id ?? '';
  const secret = createWebhookSecret(sandbox.epoch.drawBytes);
  const endpoint = { url, description: null, events: ['pix.settled'] as const, secret };
  return sandbox.dispatch({ type: 'endpoint.create', appId, endpoint });
}

/** Registers a receiver and settles a charge, whose delivery is at its first attempt then. */
export function settleFor(sandbox: CliSandbox, url: string): Endpoint {
  const endpoint = register(sandbox, url);
  trigger(sandbox);
  return endpoint;
}

/** The same for a charge `order-1`; resolves when the first attempt has ended. */
export async function settledFor(cli: CliSandbox, url: string) {
  const { sandbox } = cli.server;
  const endpoint = register(cli, url);
  sandbox.dispatch({ type: 'trigger', event: 'pix.settled', chargeFields: { code: 'order-1' } });
  await sandbox.idle();
  const delivery = sandbox.world.deliveries.rows.at(-1);
  const event = sandbox.world.events.rows.at(-1);
  if (delivery === undefined || event === undefined) throw new Error('Expected a delivery.');
  return { endpoint, delivery, event };
}

/** Lets endpoints be on this machine. */
export const LOCAL = { policy: { routes: new Map<string, string>(), allowLocalEndpoints: true } };

/** Makes an event happen. */
export function trigger({ server }: CliSandbox, event: EventType = 'pix.settled'): void {
  server.sandbox.dispatch({ type: 'trigger', event });
}

/** Everything there is in it. */
export function worldOf({ server }: CliSandbox) {
  return server.sandbox.world;
}

/** The faults of the sandbox, as their actions and what they match. */
export function faultsOf(sandbox: CliSandbox) {
  return Array.from(worldOf(sandbox).faults.values(), ({ action, match, probability }) => ({
    action,
    ...(match.on === 'delivery' ? { attempt: match.attempt, endpoint: match.endpointId } : {}),
    probability,
  }));
}

/** Moves its clock, doing all that falls due on the way. */
export function advance({ server: { sandbox } }: CliSandbox, ms: number) {
  return sandbox.travel.advanceTo(sandbox.clock.now() + ms);
}
