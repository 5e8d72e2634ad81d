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
import { CliError, EXIT, describeUnwritable, createUsageError } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import { findRespondingSandboxes, warnOtherSandboxes } from '../../sandbox/find-sandbox.js';
import { formatHanging } from '../../terminal/text.js';
import { formatCall } from '../calls.js';
import { FORWARDING_NAMES } from '../../declarations/serve.js';
import type { EmbeddedListener } from '../listen/listen.js';
import { planFaults, planHeaders, planListeners, planTunnel } from '../listen/plan.js';
import type { start } from '../../declarations/serve.js';
import { type Exposure, resolveExposure } from './exposure.js';
import { formatReady } from './detach.js';
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
    // After its own file is written: of two that start at the same time, at least one sees the other.
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
    await drained(server, io);
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
  throw new CliError(EXIT.no, 'DATA_NOT_SAVED', `Changes of this sandbox are not saved in ${options.data}.`, {
    hint:
      'The warnings before say why. While a sandbox that cannot save still runs, `npx sandbox ' +
      'state export > state.json` saves it.',
  });
}

/** Writes the run file for other commands; if that fails, warns how they can find the sandbox. */
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
      `${io.colors.yellow('warning')} Other commands cannot find this sandbox by themselves: ` +
        `${reason}. Give them \`--url ${url}\` or SANDBOX_URL=${url}${token}, or choose another ` +
        'folder with XDG_STATE_HOME.',
    );
    return undefined;
  }
}

/** Options ignored by a restored world in favor of its original ones. */
const LASTING = ['seed', 'assume', 'autoSettle', 'kyc', 'kycAuto', 'origin', 'keepDeliveries'] as const;

/** Says whether the data survives a stop, and what was restored. */
function keepingNote(directory: string | undefined, { world, clock }: Sandbox): string {
  if (directory === undefined) return 'Everything is in memory; Ctrl-C stops it.';
  const counts = `charges: ${world.charges.rows.length}, deliveries: ${world.deliveries.rows.length}`;
  const frozen = clock.rate === 0 ? `, clock frozen at ${formatIsoTime(clock.now())}` : '';
  return `Everything is kept in ${directory} (${counts}${frozen}); Ctrl-C stops it.`;
}

function announce(server: SandboxServer, exposure: Exposure, { io, options }: Invocation): void {
  const secrets = exposure.controlToken === undefined ? {} : { SANDBOX_CONTROL_TOKEN: exposure.controlToken };
  const env = { ...server.env, ...secrets };
  io.emit({ type: 'ready', url: server.url, pid: process.pid, version: __VERSION__, env });
  const forwards = options.forwardTo.length > 0;
  const offersReceiver = io.interactive && !isAnythingReceiving(server.sandbox);
  const text = { url: server.url, version: __VERSION__, env, forwards, isDetached: false, offersReceiver };
  io.say(formatReady(io, text));
  if (exposure.controlToken !== undefined) {
    io.note(
      '\nOthers can reach this sandbox: its credentials were generated for this run, and the ' +
        'control API needs its token.',
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

async function drained({ sandbox }: SandboxServer, io: Io): Promise<void> {
  const { openAttempts: count } = sandbox.epoch;
  if (count === 0) return;
  const attempts = count === 1 ? '1 attempt is' : `${count} attempts are`;
  io.note(
    `Leaving; ${attempts} under way and may take ${DRAIN_MS / 1000} s. Press Ctrl-C again to exit immediately.`,
  );
  await raceAbort(sandbox.attemptsEnded(), createTimeout(DRAIN_MS)).catch(() => undefined);
}

interface Forwarding extends EmbeddedListener {
  /** Prints from now on, and first what has happened so far. */
  readonly show: () => void;
}

/** Throws a usage error for options of `--forward-to` that are wrong, or given without it. */
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
    `${stray} goes with --forward-to.`,
    'Add --forward-to 3000/webhooks, or leave it out.',
  );
}

/** Connects what `--forward-to` asks for, and shows nothing until `show`; undefined without it. */
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
  // The attempts stand among the calls, on stderr.
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
