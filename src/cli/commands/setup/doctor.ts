import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { lookup } from 'node:dns/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { CONTROL_PATH } from '../../../client/control.js';
import { isRunning } from '../../../client/is-running.js';
import {
  type Environment,
  parseRunFile,
  findProjectFolder,
  readRunFile,
  type RunFile,
  runFilePaths,
} from '../../../client/run-file.js';
import { openHttp } from '../../../client/socket.js';
import { DEFAULT_PORT } from '../../../config/settings.js';
import { loadSettings, type ResolvedSettings } from '../../../config/load.js';
import type { AssumptionLine } from '../../../contract/assumptions.js';
import type { ClockView } from '../../../http/control/schema.js';
import { startServer } from '../../../http/server/start.js';
import { runScenario } from '../../../scenario/run.js';
import { SANDBOX_HEADER } from '../../../text/control-api.js';
import { getErrorMessage } from '../../../text/errors.js';
import { readForwardTarget } from '../../../text/forward-target.js';
import { withProgramName } from '../../../text/program-name.js';
import { redactUrl } from '../../../text/redaction.js';
import { parseUrl } from '../../../text/urls.js';
import { formatConfigIssue, findMisspelledVariables } from '../../program/configured-options.js';
import type { BodyOf, Invocation } from '../../program/declaration.js';
import { EXIT_CODES } from '../../program/errors.js';
import { createTimeout, raceAbort } from '../../../delivery/abort.js';
import { isLoopback, getLoopbackAddresses, createPinnedLookup } from '../../../delivery/addresses.js';
import { findPackageFolder } from '../../program/input-bytes.js';
import type { Io } from '../../program/io.js';
import { createClient, fetchInstanceId, withRunningSandbox } from '../../sandbox/find-sandbox.js';
import { toOneLine, wrapSentence } from '../../terminal/text.js';
import { formatOffset } from '../clock.js';
import { splitRoute } from '../listen/plan.js';
import { readProjectAssumptions } from '../parity/files.js';
import { findBuiltInScenario, createHttpFetch } from '../run/scenarios.js';
import { runOnPort } from '../start/open-server.js';
import { readEnvSources, readOwnMapping } from '../../signatures/env-files.js';
import type { doctor } from '../../declarations/setup.js';
import { type DoctorCheck, fail, ok, warn } from './check-result.js';
import { checkEnvironment } from './environment-check.js';
import { checkTraffic } from './traffic-checks.js';

const COLORS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;
const STATUS_COLUMNS = 6;
const NAME_COLUMNS = 13;
const LEAST_COLUMNS = 20;
const ARROW = '→ ';

/** Runs `sandbox doctor`. Exits with 1 if a requirement is not met. */
export const runDoctor: BodyOf<typeof doctor> = (invocation) => runDoctorChecks(invocation, SYSTEM_NAMES);

export async function runDoctorChecks(invocation: Invocation, names: HostNames): Promise<number> {
  const { io } = invocation;
  const found = await allChecks(invocation, names);
  const checks = Object.entries(found).flatMap(([name, results]) =>
    [results].flat().map(({ status, message, advice }) => ({
      name,
      status,
      message,
      advice: advice === undefined ? undefined : withProgramName(advice, io.program),
    })),
  );
  const count = (status: DoctorCheck['status']) => checks.filter((check) => check.status === status).length;
  const failed = count('fail');
  io.emit({ ok: failed === 0, checks });
  io.say(checks.flatMap((check) => checkLines(io, check)).join('\n'));
  io.say(`\n${count('ok')} ok, ${count('warn')} with warnings, ${failed} failed.`);
  return failed === 0 ? EXIT_CODES.done : EXIT_CODES.no;
}

type Checks = Readonly<Record<string, DoctorCheck | readonly DoctorCheck[]>>;

async function allChecks(invocation: Invocation, names: HostNames): Promise<Checks> {
  const { io } = invocation;
  const { env, cwd } = io;
  const folder = findProjectFolder(cwd);
  const { engines } = JSON.parse(readFileSync(join(findPackageFolder(), 'package.json'), 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  const settled = loadSettings({ env, cwd, folder, given: {} });
  const sandbox = await withRunningSandbox(invocation, async (client) => {
    const traffic = await checkTraffic(client, createTimeout(TIMEOUT_MS)).catch(() => undefined);
    return { url: client.url, control_token: client.token, traffic };
  });
  const traffic = sandbox?.traffic;
  const settingOf = (key: string) => settled.values.find(({ setting }) => setting.key === key)?.value;
  const port = settingOf('port');
  const startPort = typeof port === 'string' ? Number(port) : DEFAULT_PORT;
  const forwardTo = settingOf('forwardTo');
  const targets = [
    ...configuredTargets(Array.isArray(forwardTo) ? forwardTo : []),
    ...(traffic?.targets ?? []).flatMap((target) => parseUrl(target) ?? []),
  ];
  const unseen = ok('Not checked: no sandbox responds.');
  return {
    node: checkNodeVersion(process.version, engines.node),
    proxy: checkProxy(env),
    localhost: await checkLocalhost(names),
    config: checkConfig(settled, env),
    environment: await checkEnvironment(readEnvSources(io), {
      sandbox: traffic,
      startPort,
      isSandboxAt,
      mapping: readOwnMapping(io),
    }),
    parity: checkParityFile(readProjectAssumptions(io)),
    'run file': await checkRunFile(folder, env),
    port: await checkPort(runningPort(folder, env) ?? startPort, io, names),
    'forward to': await checkForwarding(targets),
    clock: await checkClock(sandbox, Date.now),
    ...(traffic?.checks ?? { endpoints: unseen, deliveries: unseen, requests: unseen }),
    'round trip': await checkRoundTrip(),
  };
}

function checkLines(
  { colors, columns }: Io,
  { name, status, message, advice }: DoctorCheck & { readonly name: string },
): readonly string[] {
  const indent = STATUS_COLUMNS + NAME_COLUMNS;
  const width = columns === 0 ? 0 : Math.max(columns - indent, LEAST_COLUMNS);
  const head = colors[COLORS[status]](status) + ' '.repeat(STATUS_COLUMNS - status.length);
  const wrap = (text: string, room: number) => wrapSentence(toOneLine(text, 0), room);
  const next = advice === undefined ? [] : wrap(advice, width === 0 ? 0 : width - ARROW.length);
  const lines = [...wrap(message, width), ...next.map((line, at) => (at === 0 ? ARROW : '  ') + line)];
  return lines.map(
    (line, index) => (index === 0 ? head + name.padEnd(NAME_COLUMNS) : ' '.repeat(indent)) + line,
  );
}

/** Checks the Node version against `engines` in this package's package.json. */
export function checkNodeVersion(version: string, engines: string): DoctorCheck {
  if (satisfiesRange(version, engines)) return ok(`Node ${version}; required: ${engines}.`);
  return fail(
    `Node ${version}; required: ${engines}.`,
    'Install a supported Node version, for example with `nvm install --lts`.',
  );
}

/** Supports only the two forms used in this package's `engines`, e.g. `^1.2.3 || >=4.5.6`. */
export function satisfiesRange(version: string, range: string): boolean {
  const numbersOf = (text: string) => Array.from(text.matchAll(/\d+/g), ([digits]) => Number(digits));
  const own = numbersOf(version);
  return range.split('||').some((alternative) => {
    const min = numbersOf(alternative);
    if (alternative.trim().startsWith('^') && own[0] !== min[0]) return false;
    const at = min.findIndex((part, index) => part !== own[index]);
    return at < 0 || (own[at] ?? 0) > (min[at] ?? 0);
  });
}

const PROXIES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];
const LOCAL_NAMES = ['localhost', '127.0.0.1'];

/** Checks that NO_PROXY excludes this machine, because a proxy cannot reach its loopback address. */
export function checkProxy(env: Environment): DoctorCheck {
  const set = PROXIES.filter((name) => env[name]);
  if (set.length === 0) return ok('No proxy is set.');
  const entries = (env.NO_PROXY ?? env.no_proxy ?? '').split(/[\s,]+/);
  const covered = (name: string) => entries.some((entry) => entry === '*' || entry.split(':')[0] === name);
  const missing = LOCAL_NAMES.filter((name) => !covered(name));
  if (missing.length === 0) return ok(`${set.join(', ')} set; NO_PROXY covers this machine.`);
  return warn(
    `${set.join(', ')} set, and NO_PROXY does not include ${missing.join(' and ')}: clients may ` +
      'send sandbox requests to the proxy.',
    `export NO_PROXY=${[...entries, ...missing].filter((entry) => entry !== '').join(',')}`,
  );
}

const TIMEOUT_MS = 3_000;

/** Allows tests to replace host name lookups. */
export interface HostNames {
  readonly addressesOf: (name: string) => Promise<readonly string[]>;
  /** Resolves to the error code, or to undefined if the address is available. */
  readonly refusalToListen: (host: string, port: number) => Promise<string | undefined>;
}

export const SYSTEM_NAMES: HostNames = {
  addressesOf: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  refusalToListen,
};

function refusalToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'ERROR'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

export async function checkLocalhost({ addressesOf, refusalToListen }: HostNames): Promise<DoctorCheck> {
  const addresses = await addressesOf('localhost').catch((): readonly string[] => []);
  const loopback = addresses.filter((address) => address === '::1' || address.startsWith('127.'));
  if (loopback.length === 0) {
    const found = addresses.length === 0 ? 'nothing' : addresses.join(', ');
    return fail(
      `localhost resolves to ${found}.`,
      'Add `127.0.0.1 localhost` to /etc/hosts, or use 127.0.0.1 everywhere.',
    );
  }
  const message = `localhost is ${addresses.join(' and ')}`;
  if ((await refusalToListen('::1', 0)) === undefined) return ok(`${message}; ::1 works here.`);
  if (!addresses.includes('::1')) return ok(`${message}; this machine has no ::1.`);
  return warn(
    `${message}, but nothing can listen on ::1.`,
    'Use 127.0.0.1 instead of localhost if a client cannot connect.',
  );
}

/** Returns the port of the project's running sandbox, if any. */
function runningPort(folder: string, env: Environment): number | undefined {
  const run = readRunFile(folder, env);
  return run !== undefined && isRunning(run) ? Number(new URL(run.url).port) : undefined;
}

/** Parses the configured targets; ignores invalid ones, which `checkConfig` reports. */
function configuredTargets(texts: readonly string[]): URL[] {
  const reads = texts.map((text) => readForwardTarget(splitRoute(text)[1]));
  return reads.flatMap((read) => ('url' in read ? read.url : []));
}

/** Checks that a server is listening on each local webhook target; skips remote targets. */
export async function checkForwarding(targets: readonly URL[]): Promise<DoctorCheck> {
  const local = new Map(
    targets.filter(isLoopback).map((url) => [toOneLine(redactUrl(url.href), 0), url] as const),
  );
  if (local.size === 0) return ok('No local target is configured.');
  const results = await Promise.all(
    Array.from(local, async ([shown, url]) => ({ shown, isListening: await isListening(url) })),
  );
  const silent = results.filter((result) => !result.isListening).map(({ shown }) => shown);
  if (silent.length === 0) return ok(`A server is listening on ${[...local.keys()].join(' and ')}.`);
  return warn(
    `Nothing is listening on ${silent.join(' or ')}: webhooks cannot be delivered there.`,
    'Start your application, or correct the setting `forwardTo` or the flag `--forward-to`.',
  );
}

async function isListening({ protocol, hostname, port }: URL): Promise<boolean> {
  const addresses = getLoopbackAddresses(hostname);
  const socket = connect({
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
    lookup: addresses === null ? undefined : createPinnedLookup(addresses),
  });
  try {
    await once(socket, 'connect', { signal: createTimeout(TIMEOUT_MS) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Checks that the `start` port is free, or finds its owner. */
export async function checkPort(port: number, io: Io, { refusalToListen }: HostNames): Promise<DoctorCheck> {
  if (port === 0) return ok('`start` uses a free port.');
  const onV6 = await refusalToListen('::1', port);
  // Other errors on ::1 mean that the machine has no IPv6.
  const refusal = (await refusalToListen('127.0.0.1', port)) ?? (onV6 === 'EADDRINUSE' ? onV6 : undefined);
  if (refusal === undefined) return ok(`Port ${port} is free.`);
  const other = 'start on another port: `npx sandbox start --port 0`.';
  if (refusal !== 'EADDRINUSE')
    return fail(`Port ${port} cannot be used (${refusal}).`, `S${other.slice(1)}`);
  const isSandbox = await Promise.any(
    ['127.0.0.1', '[::1]'].map(async (host) => {
      const { isSandbox } = await ask(`http://${host}:${port}/_sandbox/livez`);
      if (!isSandbox) throw new Error('Something else responds.');
      return true;
    }),
  ).catch(() => false);
  if (!isSandbox) {
    const message = `Port ${port} is used by another program.`;
    return warn(message, `Stop that program, or ${other}`);
  }
  const run = runOnPort(port, io);
  if (run === undefined) return warn(`Port ${port} is used by another user’s sandbox.`, `S${other.slice(1)}`);
  const { folder, pid } = run;
  if (folder === findProjectFolder(io.cwd))
    return ok(`Port ${port} is used by this project’s sandbox (pid ${pid}).`);
  const message = `Port ${port} is used by the sandbox of ${toOneLine(folder, 0)} (pid ${pid}).`;
  return warn(message, `Stop it with \`npx sandbox stop\` in that directory, or ${other}`);
}

/** Checks that the settings are valid, and lists their sources. */
export function checkConfig({ issues, files, values }: ResolvedSettings, env: Environment): DoctorCheck {
  if (issues.length > 0) {
    const all = issues.map((mistake) => {
      const { field, message } = formatConfigIssue(mistake);
      return `${field} ${message}`;
    });
    return fail(all.join(' '), '`npx sandbox config --help` describes each setting.');
  }
  const [miss] = findMisspelledVariables(Object.keys(env));
  if (miss !== undefined) {
    const [name, meant] = miss;
    return warn(`${name} is not a setting.`, `Did you mean ${meant}?`);
  }
  const there = files.filter(({ exists }) => exists).map(({ path }) => toOneLine(path, 0));
  const count = values.filter(({ source }) => source.from !== 'default').length;
  const from = there.length === 0 ? 'no file' : there.join(' and ');
  return ok(`${from}; ${count} of ${values.length} settings are set.`);
}

/** Reports when the assumptions were last compared with the TEST environment, and whether they match. */
export function checkParityFile(lines: readonly AssumptionLine[]): DoctorCheck {
  const observed = lines.flatMap((line) =>
    line.observed === null ? [] : [{ ...line.observed, id: line.id }],
  );
  const [newest] = observed.map(({ on }) => on).toSorted((one, other) => other.localeCompare(one));
  if (newest === undefined) return ok('The assumptions were not compared with the TEST environment.');
  const differing = observed.filter(({ matches }) => !matches).map(({ id }) => id);
  const text = `${observed.length} assumptions were observed, most recently on ${newest}`;
  if (differing.length === 0) return ok(`${text}; all match.`);
  return warn(`${text}; ${differing.length} differ: ${differing.join(', ')}.`, '`npx sandbox parity check`');
}

/** Checks that each run file of a project is current and private to its user; reports the first failure. */
export async function checkRunFile(folder: string, env: Environment): Promise<DoctorCheck> {
  const paths = runFilePaths(env, folder);
  if (paths.length === 0) return ok(`None: no sandbox was started for ${toOneLine(folder, 0)}.`);
  const checks = await Promise.all(paths.map(oneRunFileCheck));
  const wrong = checks.find(({ status }) => status !== 'ok');
  return wrong ?? ok(checks.map(({ message }) => message).join(' '));
}

async function oneRunFileCheck(path: string): Promise<DoctorCheck> {
  const shown = toOneLine(path, 0);
  const run = parseRunFile(path);
  const restart = `rm '${shown}', or start the sandbox again.`;
  if (run === undefined) return warn(`${shown} cannot be read.`, `rm '${shown}'`);
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    return warn(`${shown} can be read by others, and may contain a token.`, `chmod 600 '${shown}'`);
  }
  if (!isRunning(run)) {
    return warn(`${shown} was left behind by process ${run.pid}, which has exited.`, restart);
  }
  const place = `${toOneLine(run.url, 0)} (pid ${run.pid})`;
  const client = createClient(run);
  const instance = await raceAbort(fetchInstanceId(client), createTimeout(TIMEOUT_MS))
    .catch(() => undefined)
    .finally(() => client.close());
  if (instance === run.instance_id) return ok(`The sandbox of this project is running at ${place}.`);
  return warn(`The sandbox started for this project does not respond at ${place}.`, `rm '${shown}'`);
}

/** Signatures are valid for five minutes (§8), so the clock skew should stay well below that. */
const TOLERANCE_S = 300;
const SUSPECT_S = 5;

/**
 * Checks the clock skew of a running sandbox, and reports its clock offset. Without a sandbox, the skew is
 * unknown, because no other server is contacted.
 */
export async function checkClock(
  sandbox: Pick<RunFile, 'url' | 'control_token'> | undefined,
  nowMs: () => number,
): Promise<DoctorCheck> {
  if (sandbox === undefined)
    return ok('Not checked: no sandbox is running, and no other server is contacted.');
  const before = nowMs();
  const answer = await askSandbox(sandbox, 'clock').catch(() => undefined);
  if (answer !== undefined && !answer.isSandbox) {
    const message = `${toOneLine(sandbox.url, 0)} responded with HTTP ${answer.status}, but it is not a pix-sandbox.`;
    return fail(message, 'Check `--url` and `SANDBOX_URL`.');
  }
  const theirs = Date.parse(answer?.date ?? '');
  if (Number.isNaN(theirs)) {
    return warn(
      `Nothing responds at ${toOneLine(sandbox.url, 0)}.`,
      'Start the sandbox, or check `--url` and `SANDBOX_URL`.',
    );
  }
  // The Date header has a resolution of one second.
  const skewS = Math.round((theirs + 500 - (before + nowMs()) / 2) / 1000);
  const message = `The sandbox's clock is ${Math.abs(skewS)} s ${skewS < 0 ? 'behind' : 'ahead of'} this machine’s.`;
  const advice =
    'Synchronize both clocks with a time server; a container or virtual machine may have been suspended.';
  if (Math.abs(skewS) > TOLERANCE_S) return fail(`${message} Every signature will be refused.`, advice);
  if (Math.abs(skewS) > SUSPECT_S) return warn(message, advice);
  // An error response also has a Date header, but no clock.
  const offset = answer?.status === 200 ? formatOffset(JSON.parse(answer.body) as ClockView) : '';
  return ok(
    `The clocks of the sandbox and this machine agree.${offset === '' ? '' : ` Sandbox time is ${offset}.`}`,
  );
}

function askSandbox({ url, control_token: token }: Pick<RunFile, 'url' | 'control_token'>, route: string) {
  const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
  return ask(`${url}${CONTROL_PATH}${route}`, headers);
}

async function isSandboxAt(url: string): Promise<boolean | undefined> {
  const answer = await ask(`${url}${CONTROL_PATH}livez`).catch(() => undefined);
  return answer?.isSandbox;
}

/** Sends a GET request over a new connection. Rejects after `TIMEOUT_MS` of real time. */
async function ask(url: string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await openHttp(url, {
    headers: { ...headers, connection: 'close' },
    signal: createTimeout(TIMEOUT_MS),
  });
  return {
    status: answer.statusCode ?? 0,
    date: answer.headers.date,
    isSandbox: answer.headers[SANDBOX_HEADER] !== undefined,
    body: Buffer.concat(await answer.toArray()).toString('utf8'),
  };
}

/** Limits the round trip (real time). */
const ROUND_TRIP_MS = 10_000;

/**
 * Starts a temporary sandbox on a free port and runs the built-in scenario `paid`, which creates a charge,
 * pays it and verifies the delivery.
 */
export async function checkRoundTrip(): Promise<DoctorCheck> {
  const startedMs = performance.now();
  try {
    await roundTrip();
    const tookMs = Math.round(performance.now() - startedMs);
    return ok(`A charge was created and paid, and its webhook was verified, in ${tookMs} ms.`);
  } catch (error) {
    const advice = 'Check the warnings above; a firewall or proxy may block connections within this machine.';
    return fail(toOneLine(getErrorMessage(error), 0), advice);
  }
}

async function roundTrip(): Promise<void> {
  const server = await startServer({ port: 0 });
  try {
    const target = { env: server.env, fetch: createHttpFetch(server.url) };
    const signal = createTimeout(ROUND_TRIP_MS);
    const { steps } = await runScenario(findBuiltInScenario('paid'), { target, isFresh: true, signal });
    const [reason] = steps.flatMap(({ reasons }) => reasons);
    if (reason !== undefined) throw new Error(reason);
  } finally {
    await server.close(0);
  }
}
