import { isDisabled } from '../../../contract/transitions.js';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { DEFAULT_PORT } from '../../../config/settings.js';
import { getProcessIdentity } from '../../../client/is-running.js';
import { findProjectFolder, removeRunFile, type RunFile, writeRunFile } from '../../../client/run-file.js';
import { formatIsoTime } from '../../../contract/time.js';
import { createTimeout, raceAbort } from '../../../delivery/abort.js';
import { presentCall } from '../../../http/control/exchanges.js';
import type { SandboxServer } from '../../../http/server/start.js';
import { withProgramName } from '../../../text/program-name.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { listPassedFlags, type InvocationOf } from '../../program/declaration.js';
import { CliError, EXIT_CODES, describeUnwritable, createUsageError } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import { findRespondingSandboxes, warnOtherSandboxes } from '../../sandbox/find-sandbox.js';
import { formatHanging } from '../../terminal/text.js';
import { formatCall } from '../calls.js';
import { FORWARDING_NAMES } from '../../declarations/serve.js';
import type { EmbeddedListener } from '../listen/listen.js';
import { planFaults, planHeaders, planListeners, planTunnel } from '../listen/plan.js';
import type { start } from '../../declarations/serve.js';
import { type Exposure, resolveExposure } from './exposure.js';
import { formatReady, listTargets } from './detach.js';
import {
  readFaultOption,
  openServer,
  installFaults,
  createRestart,
  resolveSandboxOptions,
  seedByScenarios,
} from './open-server.js';

type Invocation = InvocationOf<typeof start>;

const DRAIN_MS = 2_000;

export async function runSandbox(invocation: Invocation): Promise<void> {
  const { io, options } = invocation;
  const tunnel = planTunnel(io, options);
  checkForwarding(options);
  const exposure = resolveExposure(options, io.env);
  const file = await readFaultOption(invocation);
  let publicOrigin: string | undefined;
  const server: SandboxServer = await openServer(
    {
      ...resolveSandboxOptions({ ...options, seed: options.seed ?? file?.seed }),
      keepDeliveries: options.keepDeliveries,
      ...exposure,
      restart: createRestart(invocation, () => server),
      scenarios: async () =>
        (await import('../run/scenarios.js')).createScenarioService(server, exposure.controlToken),
      port: options.port ?? DEFAULT_PORT,
      allowedHosts: options.allowHost,
      payButtons: options.payButtons,
      payOrigin: () => publicOrigin,
      onStop: io.stop,
      dataDirectory: options.data === undefined ? undefined : resolve(io.cwd, options.data),
      recordFile: options.record === undefined ? undefined : resolve(io.cwd, options.record),
      onWarning: (message) =>
        io.note(`${io.colors.yellow('warning')} ${withProgramName(message, io.program)}`),
    },
    io,
  );
  let run: RunFile | undefined;
  let endKeys: (() => void) | undefined;
  let forwarding: Forwarding | undefined;
  try {
    if (file !== undefined) await installFaults(server, file, io, exposure.controlToken);
    await seedByScenarios(server, invocation, exposure.controlToken);
    run = register(server, exposure, io);
    // Run after writing the run file, so that at least one of two concurrent starts detects the other.
    warnOtherSandboxes(io, await findRespondingSandboxes(findProjectFolder(io.cwd), io, server.instanceId));
    forwarding = await forwardFrom(server, exposure.controlToken, invocation);
    announce(server, exposure, invocation);
    if (!options.quiet) showCalls(server, io);
    forwarding?.show();
    await server.open();
    if (io.interactive) endKeys = (await import('./keys/keyboard.js')).runKeys(server, io);
    if (tunnel !== undefined) {
      const { showThroughTunnel } = await import('./tunnel.js');
      await showThroughTunnel(server, tunnel, invocation, (origin) => {
        publicOrigin = options.payPage ? origin : undefined;
      });
    }
    if (!io.stopping.aborted) await once(io.stopping, 'abort');
    const left = forwarding?.leave();
    await waitForAttempts(server, io);
    forwarding?.abandon();
    await left;
  } finally {
    endKeys?.();
    forwarding?.abandon();
    await forwarding?.leave().catch(() => undefined);
    if (run !== undefined) removeRunFile(run, io.env);
    await server.close();
  }
  if (server.isSaved()) return;
  throw new CliError(
    EXIT_CODES.no,
    'DATA_NOT_SAVED',
    `Changes to this sandbox were not saved in ${options.data}.`,
    {
      hint:
        'See the warnings above. Before you stop a sandbox that cannot save, run `npx sandbox ' +
        'state export > state.json`.',
    },
  );
}

/** Writes the run file, or warns how other commands can find the sandbox without it. */
function register(server: SandboxServer, { controlToken }: Exposure, io: Io): RunFile | undefined {
  const { url, instanceId } = server;
  const run: RunFile = {
    url,
    pid: process.pid,
    process_identity: getProcessIdentity(),
    instance_id: instanceId,
    folder: findProjectFolder(io.cwd),
    version: __VERSION__,
    started_at: new Date().toISOString(),
    control_token: controlToken,
  };
  try {
    writeRunFile(run, io.env);
    return run;
  } catch (error) {
    const reason = describeUnwritable(error);
    if (reason === undefined) throw error;
    const token = controlToken === undefined ? '' : ', with SANDBOX_CONTROL_TOKEN';
    io.note(
      `${io.colors.yellow('warning')} Other commands cannot find this sandbox automatically: ` +
        `${reason}. Pass \`--url ${url}\`, set SANDBOX_URL=${url}${token}, or choose another ` +
        'directory with XDG_STATE_HOME.',
    );
    return undefined;
  }
}

/** A restored sandbox ignores these options and uses its original ones. */
const LASTING = ['seed', 'assume', 'autoSettle', 'kyc', 'kycAuto', 'origin', 'keepDeliveries'] as const;

/** Describes where the data is stored, and what was restored. */
function keepingNote(directory: string | undefined, { world, clock }: Sandbox): string {
  if (directory === undefined) return 'All data is in memory. Press Ctrl-C to stop.';
  const counts = `charges: ${world.charges.rows.length}, deliveries: ${world.deliveries.rows.length}`;
  const frozen = clock.rate === 0 ? `, clock frozen at ${formatIsoTime(clock.now())}` : '';
  return `All data is stored in ${directory} (${counts}${frozen}). Press Ctrl-C to stop.`;
}

function announce(server: SandboxServer, exposure: Exposure, { io, options }: Invocation): void {
  const { controlToken } = exposure;
  const env = {
    ...server.env,
    ...(controlToken !== undefined && { SANDBOX_CONTROL_TOKEN: controlToken }),
  };
  io.emit({ type: 'ready', url: server.url, pid: process.pid, version: __VERSION__, env });
  const targets = listTargets(options);
  const offersReceiver = io.interactive && !isAnythingReceiving(server.sandbox);
  const text = { url: server.url, version: __VERSION__, env, targets, isDetached: false, offersReceiver };
  io.say(formatReady(io, text));
  if (exposure.controlToken !== undefined) {
    io.note(
      '\nOthers can reach this sandbox: its credentials were generated for this run, and the ' +
        'control API requires the token.',
    );
  }
  io.say(`\n${io.colors.dim(formatHanging(keepingNote(options.data, server.sandbox), io.columns))}`);
  const flags = server.isRestored ? listPassedFlags(options, LASTING) : [];
  if (flags.length > 0)
    io.note(
      `${io.colors.yellow('warning')} The sandbox keeps its original settings; ` +
        `${flags.join(', ')} will apply after \`${io.program} reset\`.`,
    );
}

function isAnythingReceiving({ world }: Sandbox): boolean {
  return [...world.endpoints.values()].some(
    ({ status, transport, connected }) => !isDisabled(status) && (transport === 'http' || connected),
  );
}

function showCalls({ sandbox }: SandboxServer, io: Io): void {
  sandbox.calls.subscribe((call) => {
    const view = presentCall(call);
    io.emit({ type: 'call', call: view });
    if (!io.json) for (const line of formatCall(io, view)) io.note(line);
  });
}

async function waitForAttempts({ sandbox }: SandboxServer, io: Io): Promise<void> {
  const { openAttempts: count } = sandbox.epoch;
  if (count === 0) return;
  const attempts = count === 1 ? '1 attempt is' : `${count} attempts are`;
  io.note(
    `Stopping; ${attempts} in flight and may take ${DRAIN_MS / 1000} s. Press Ctrl-C again to exit immediately.`,
  );
  await raceAbort(sandbox.attemptsEnded(), createTimeout(DRAIN_MS)).catch(() => undefined);
}

interface Forwarding extends EmbeddedListener {
  /** Prints the buffered output, then new output immediately. */
  readonly show: () => void;
}

/** Throws a usage error for forwarding options that are invalid or lack `--forward-to`. */
function checkForwarding(options: Invocation['options']): void {
  if (options.forwardTo.length > 0) {
    planListeners(options);
    planFaults(options);
    planHeaders(options.header);
    return;
  }
  const [stray] = listPassedFlags(options, FORWARDING_NAMES);
  if (stray === undefined) return;
  throw createUsageError(
    `${stray} requires --forward-to.`,
    'Add --forward-to 3000/webhooks, or omit the option.',
  );
}

/** Connects the `--forward-to` listeners, if any, and buffers their output until `show`. */
async function forwardFrom(
  server: SandboxServer,
  controlToken: string | undefined,
  { io, options }: Invocation,
): Promise<Forwarding | undefined> {
  if (options.forwardTo.length === 0) return undefined;
  const { listenWithin } = await import('../listen/listen.js');
  let waiting: (() => void)[] | undefined = [];
  const inTurn =
    <Shown>(print: (shown: Shown) => void) =>
    (shown: Shown) => {
      if (options.quiet) return;
      if (waiting === undefined) print(shown);
      else waiting.push(() => print(shown));
    };
  // Print attempts among the requests, on stderr.
  const note = inTurn(io.note);
  const listening = await listenWithin({
    by: 'start',
    isPersisted: options.data !== undefined,
    io: { ...io, say: io.json ? io.say : note, note, emit: inTurn(io.emit) },
    options: {
      forwardTo: options.forwardTo,
      ...Object.fromEntries(FORWARDING_NAMES.map((name) => [name, options[name]])),
    },
    server,
    controlToken,
  });
  return {
    ...listening,
    show: () => {
      const earlier = waiting ?? [];
      waiting = undefined;
      for (const print of earlier) print();
    },
  };
}
