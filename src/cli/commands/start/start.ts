import { once } from 'node:events';
import { projectFolder, removeRunFile, writeRunFile } from '../../../client/run-file.js';
import type { RunFile } from '../../../client/run-file.js';
import { processIdentity } from '../../../client/is-running.js';
import { callView } from '../../../http/control/calls.js';
import type { SandboxServer } from '../../../http/server/start.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import type { start } from './command.js';
import type { Exposure } from './exposure.js';
import { exposureOf } from './exposure.js';
import { untilAborted } from '../../../delivery/abort.js';
import type { InvocationOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import { keepingNote, keepingOptions, noteUnheeded, notSaved } from './keeping.js';
import type { Forwarding } from './forwarding.js';
import { checkForwarding, forwardFrom } from './forwarding.js';
import { openServer, sandboxOptions } from './open-server.js';
import { faultFileOf, plantAtStart, restartOf } from './faults.js';
import { seedByScenarios } from './seeding.js';
import { answeringRuns, noteOthers } from '../../sandbox/answering-runs.js';
import { callLines } from '../calls/calls.js';
import { hanging } from '../../terminal/text.js';
import { readyText } from './ready-text.js';
import { unwritableReason } from '../../program/system-refusal.js';
import { planTunnel } from '../listen/plan.js';

type Invocation = InvocationOf<typeof start>;

const DEFAULT_PORT = 7490;
/** Real time that open attempts have to end after the first Ctrl-C. */
const DRAIN_MS = 2_000;

/** `sandbox start`: runs until a signal. */
export async function runSandbox(invocation: Invocation): Promise<void> {
  const { io, options } = invocation;
  const tunnel = planTunnel(io, options);
  await checkForwarding(options);
  const exposure = exposureOf(options, io.env);
  const file = await faultFileOf(invocation);
  let publicOrigin: string | undefined;
  const server: SandboxServer = await openServer(
    {
      ...sandboxOptions({ ...options, seed: options.seed ?? file?.seed }),
      keepDeliveries: options.keepDeliveries,
      ...exposure,
      restart: restartOf(invocation, () => server),
      scenarios: () => scenariosOf(server, exposure.controlToken),
      port: options.port ?? DEFAULT_PORT,
      allowedHosts: options.allowHost,
      payButtons: options.payButtons,
      payOrigin: () => publicOrigin,
      onStop: io.stop,
      ...keepingOptions(options, io),
    },
    io,
  );
  let run: RunFile | undefined;
  let endKeys: (() => void) | undefined;
  let forwarding: Forwarding | undefined;
  try {
    if (file !== undefined) await plantAtStart(server, file, io, exposure.controlToken);
    await seedByScenarios(server, invocation, exposure.controlToken);
    run = register(server, exposure, io);
    // After its own file is written: of two that start at the same time, at least one sees the other.
    noteOthers(io, await answeringRuns(projectFolder(io.cwd), io, server.instanceId));
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
  if (!server.isSaved()) throw notSaved(options);
}

/** The code of scenarios is loaded when they are first used. */
async function scenariosOf(server: SandboxServer, token: string | undefined) {
  const { scenarioService } = await import('../run/scenario-service.js');
  return scenarioService(server, token);
}

/** Writes the run file for other commands; if that fails, warns how they can find the sandbox. */
function register(server: SandboxServer, { controlToken }: Exposure, io: Io): RunFile | undefined {
  const { url, instanceId } = server;
  const run: RunFile = {
    url,
    pid: process.pid,
    process_identity: processIdentity(),
    instance_id: instanceId,
    folder: projectFolder(io.cwd),
    version: __VERSION__,
    started_at: new Date().toISOString(),
    control_token: controlToken,
  };
  try {
    writeRunFile(run, io.env);
    return run;
  } catch (error) {
    const reason = unwritableReason(error);
    if (reason === undefined) throw error;
    const token = controlToken === undefined ? '' : ', with SANDBOX_CONTROL_TOKEN';
    io.note(
      `${io.colour.yellow('warning')} Other commands cannot find this sandbox by themselves: ${reason}. Give them \`--url ${url}\` or SANDBOX_URL=${url}${token}, or choose another folder with XDG_STATE_HOME.`,
    );
    return undefined;
  }
}

function announce(server: SandboxServer, exposure: Exposure, { io, options }: Invocation): void {
  const secrets = exposure.controlToken === undefined ? {} : { SANDBOX_CONTROL_TOKEN: exposure.controlToken };
  const env = { ...server.env, ...secrets };
  io.emit({ type: 'ready', url: server.url, pid: process.pid, version: __VERSION__, env });
  const forwards = options.forwardTo.length > 0;
  const offersReceiver = io.interactive && !isAnythingReceiving(server.sandbox);
  const text = { url: server.url, version: __VERSION__, env, forwards, isDetached: false, offersReceiver };
  io.say(readyText(io, text));
  if (exposure.controlToken !== undefined) {
    io.note(
      '\nOthers can reach this sandbox: its credentials were generated for this run, and the control API needs its token.',
    );
  }
  io.say(`\n${io.colour.dim(hanging(keepingNote(options, server.sandbox), io.columns))}`);
  if (server.isRestored) noteUnheeded(options, io);
}

/** Whether a delivery would go anywhere now. */
function isAnythingReceiving({ world }: Sandbox): boolean {
  return [...world.endpoints.values()].some(
    ({ status, transport, connected }) => status === 'ACTIVE' && (transport === 'http' || connected),
  );
}

function showCalls({ sandbox }: SandboxServer, io: Io): void {
  sandbox.calls.subscribe((call) => {
    const view = callView(call);
    io.emit({ type: 'call', call: view });
    if (!io.json) for (const line of callLines(io, view)) io.note(line);
  });
}

async function drained({ sandbox }: SandboxServer, io: Io): Promise<void> {
  const { openAttempts: count } = sandbox;
  if (count === 0) return;
  const attempts = count === 1 ? '1 attempt is' : `${count} attempts are`;
  io.note(`Leaving; ${attempts} under way and may take ${DRAIN_MS / 1000} s. Ctrl-C again exits at once.`);
  await untilAborted(sandbox.attemptsEnded(), AbortSignal.timeout(DRAIN_MS)).catch(() => undefined);
}
