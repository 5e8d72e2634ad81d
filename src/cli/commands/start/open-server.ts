import { isRunning } from '../../../client/is-running.js';
import { readAllRunFiles, findProjectFolder, type RunFile } from '../../../client/run-file.js';
import { parseRoutes } from '../../../delivery/destination.js';
import { PortTakenError } from '../../../http/server/serve.js';
import { type SandboxServer, type ServerOptions, startServer } from '../../../http/server/start.js';
import type { RestartPort } from '../../../sandbox/options.js';
import type { ScenarioOutcome } from '../../../scenario/run.js';
import { readPairs } from '../../../text/overrides.js';
import { redactUrl } from '../../../text/redaction.js';
import type { NamedFaultFile } from '../../faults/faults.js';
import type { FAULT_OPTIONS, SANDBOX_OPTIONS, SCENARIO_OPTIONS } from '../../program/setting-options.js';
import type { OptionValuesOf } from '../../program/declaration.js';
import { CliError, EXIT_CODES, createUsageError } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import { parseMapping, parsePairs } from '../../program/options.js';
import { toOneLine } from '../../terminal/text.js';

interface FaultInvocation {
  readonly io: Io;
  readonly options: OptionValuesOf<typeof FAULT_OPTIONS>;
}

/** Reads the `--faults` file. Loads the code only if the option is set. */
export async function readFaultOption({ io, options }: FaultInvocation): Promise<NamedFaultFile | undefined> {
  const { faults, restart } = options;
  if (faults === undefined) return undefined;
  return (await import('../../faults/faults.js')).readFaultFile(io, faults, restart !== undefined);
}

/** Installs a file's faults in a new sandbox, but not in a restored sandbox. */
export async function installFaults(
  server: SandboxServer,
  { faults }: NamedFaultFile,
  io: Io,
  controlToken: string | undefined,
): Promise<void> {
  if (server.isRestored) noteRestored(io, ', including its faults; --faults is ignored');
  else await (await import('../../faults/faults.js')).installFaultFile(server, faults, controlToken);
}

function noteRestored({ note, colors }: Io, consequence: string): void {
  note(`${colors.yellow('warning')} The sandbox continues with the stored data${consequence}.`);
}

/** Creates the restart fault's handler: runs the `--restart` command and leaves its processes running. */
export function createRestart(
  { io, options: { restart } }: FaultInvocation,
  server: () => SandboxServer,
): RestartPort | undefined {
  if (restart === undefined) return undefined;
  return async () => {
    const { runRestart } = await import('../../../child.js');
    await runRestart(restart, { cwd: io.cwd, env: { ...io.env, ...server().env } });
  };
}

/**
 * Runs the `--scenario` files or built-in scenarios in a new sandbox. Loads the code only if the option is
 * set. Throws a CliError: exit code 2 for an invalid file, exit code 1 with the reasons for a failed step.
 */
export async function seedByScenarios(
  server: SandboxServer,
  { io, options }: { readonly io: Io; readonly options: OptionValuesOf<typeof SCENARIO_OPTIONS> },
  controlToken?: string,
): Promise<void> {
  const { scenario: files } = options;
  if (files.length === 0) return;
  if (server.isRestored) return noteRestored(io, '; --scenario is not run again');
  const [{ createInProcessTarget }, { runScenario }, { annotateFailure, loadScenarios }] = await Promise.all([
    import('../../../scenario/api-clients.js'),
    import('../../../scenario/run.js'),
    import('../run/scenarios.js'),
  ]);
  const target = createInProcessTarget({ ...server, controlToken });
  try {
    for (const file of files) {
      const [loaded] = await loadScenarios(io, [file]);
      if (loaded === undefined) continue;
      const { scenario, name } = loaded;
      const ignored = Object.keys(scenario.sandbox ?? {}).map((option) => `sandbox.${option}`);
      if (ignored.length > 0)
        io.note(
          `The command options configure this sandbox; ignored scenario settings: ${ignored.join(', ')}.`,
        );
      const { passed, steps } = await runScenario(scenario, {
        target,
        name,
        isFresh: true,
        signal: io.stopping,
      });
      if (passed) continue;
      annotateFailure(io, loaded, { steps });
      throw scenarioFailed(name, file, steps);
    }
  } catch (error) {
    // With `--data`, a failed run must not leave data behind for the next one.
    server.sandbox.reset();
    throw error;
  }
}

function scenarioFailed(name: string, file: string, steps: ScenarioOutcome['steps']): CliError {
  const details = steps
    .filter(({ status }) => status === 'failed')
    .flatMap(({ number, title, reasons }) =>
      reasons.map((reason) => ({
        field: `step ${number}, ${toOneLine(title, 0)}`,
        message: toOneLine(reason, 0),
      })),
    );
  return new CliError(EXIT_CODES.no, 'SCENARIO_FAILED', `The scenario ${toOneLine(name, 0)} failed.`, {
    details,
    hint: `\`npx sandbox run ${toOneLine(file, 0)} --fresh\` shows each step.`,
  });
}

type SandboxOptions = OptionValuesOf<typeof SANDBOX_OPTIONS>;

/**
 * Converts the options of `start` and `exec` into server options. Throws a usage error for invalid options.
 */
export function resolveSandboxOptions(options: SandboxOptions): ServerOptions {
  return {
    env: parseMapping(options.env),
    seed: options.seed,
    freezeAt: options.freeze,
    assume: parsePairs('--assume', readPairs(options.assume)),
    kycEnabled: options.kyc !== 'off',
    kycAuto: decision(options),
    rateLimit: options.rateLimit,
    kycRateLimit: options.kycRateLimit,
    origins: options.origin,
    autoSettleMs: options.autoSettle?.ms,
    policy: {
      routes: routesOf(options.route, options.allowLocalEndpoints),
      allowLocalEndpoints: options.allowLocalEndpoints,
    },
    strict: options.strict,
  };
}

function decision({ kycAuto: status, kycDelay: delay }: SandboxOptions): ServerOptions['kycAuto'] {
  if (status !== undefined) return { status, delayMs: delay?.ms ?? 0 };
  if (delay === undefined) return undefined;
  throw createUsageError(
    '--kyc-delay requires --kyc-auto.',
    `For example: --kyc-auto approved --kyc-delay ${delay.text}`,
  );
}

function routesOf(texts: readonly string[], allowLocalEndpoints: boolean): Map<string, string> {
  try {
    return parseRoutes(texts, allowLocalEndpoints);
  } catch (error) {
    throw createUsageError(redactUrl(error instanceof Error ? error.message : String(error)));
  }
}

/** Starts the server. Throws a CliError if the port or address is unavailable. */
export async function openServer(options: ServerOptions, io: Io): Promise<SandboxServer> {
  try {
    const observations = async () => (await import('../parity/files.js')).readObservations(io);
    return await startServer({ observations, ...options, program: io.program });
  } catch (error) {
    if (error instanceof PortTakenError) throw portTaken(error, io);
    const { code, syscall } = error as NodeJS.ErrnoException;
    const isDenied = code === 'EACCES' && syscall === 'listen';
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || isDenied) {
      throw createUsageError(`Cannot listen on ${options.host ?? 'loopback'}:${options.port} (${code}).`);
    }
    throw error;
  }
}

/** Finds this user's sandbox on a port. */
export function runOnPort(port: number, { env }: Pick<Io, 'env'>): RunFile | undefined {
  return readAllRunFiles(env).find((run) => new URL(run.url).port === String(port));
}

function portTaken({ port, message }: PortTakenError, io: Io): CliError {
  const holder = runOnPort(port, io);
  const free = 'a free port with --port 0';
  if (holder === undefined || !isRunning(holder))
    return new CliError(EXIT_CODES.portTaken, 'PORT_TAKEN', message, { hint: `Use ${free}.` });
  const { folder, pid } = holder;
  const [whose, hint] =
    folder === findProjectFolder(io.cwd)
      ? [
          'The',
          `Use the running sandbox (\`npx sandbox env\`), stop it first with \`npx sandbox stop\`, or use ${free}.`,
        ]
      : ['A', `Use ${free}, or stop the other sandbox with \`npx sandbox stop\` in its project directory.`];
  const who = `${whose} sandbox of ${folder} (pid ${pid}) is using this port.`;
  return new CliError(EXIT_CODES.portTaken, 'PORT_TAKEN', `${message} ${who}`, { hint });
}
