import { lookup } from 'node:dns/promises';
import { statSync } from 'node:fs';
import { createServer } from 'node:net';
import { CONTROL } from '../../../client/control.js';
import { isRunning } from '../../../client/is-running.js';
import type { Environment, RunFile } from '../../../client/run-file.js';
import { allRunFiles, parseRunFile, projectFolder, runFilePaths } from '../../../client/run-file.js';
import { openHttp } from '../../../client/socket.js';
import type { Settled } from '../../../config/load.js';
import type { ClockView } from '../../../http/control/schema.js';
import { SANDBOX_HEADER } from '../../../text/control-api.js';
import { describeMistake, nearMisses } from '../../program/configured-options.js';
import type { Io } from '../../program/io.js';
import { oneLine } from '../../terminal/text.js';
import { offsetText } from '../clock.js';

/** The result of a check, and what to do about it. Only `fail` keeps the sandbox from working. */
export interface Check {
  readonly status: 'ok' | 'warn' | 'fail';
  /** One line with the finding. */
  readonly message: string;
  readonly advice?: string | undefined;
}

export const ok = (message: string): Check => ({ status: 'ok', message });
export const warn = (message: string, advice: string): Check => ({ status: 'warn', message, advice });
export const fail = (message: string, advice: string): Check => ({ status: 'fail', message, advice });

/** Whether `engines` of our package.json allows this version of Node. */
export function nodeCheck(version: string, engines: string): Check {
  if (satisfies(version, engines)) return ok(`Node ${version}; required: ${engines}.`);
  return fail(
    `Node ${version}; required: ${engines}.`,
    'Install a supported Node, for example with `nvm install --lts`.',
  );
}

/** Compares with a range such as `^1.2.3 || >=4.5.6`, the two forms in our engines. */
export function satisfies(version: string, range: string): boolean {
  const numbersOf = (text: string) => Array.from(text.matchAll(/\d+/g), ([digits]) => Number(digits));
  const own = numbersOf(version);
  return range.split('||').some((alternative) => {
    const least = numbersOf(alternative);
    if (alternative.trim().startsWith('^') && own[0] !== least[0]) return false;
    const at = least.findIndex((part, index) => part !== own[index]);
    return at < 0 || (own[at] ?? 0) > (least[at] ?? 0);
  });
}

const PROXIES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];
const LOCAL_NAMES = ['localhost', '127.0.0.1'];

/** A proxy cannot reach this machine's loopback, so NO_PROXY has to exclude it. */
export function proxyCheck(env: Environment): Check {
  const set = PROXIES.filter((name) => env[name]);
  if (set.length === 0) return ok('No proxy is set.');
  const entries = (env.NO_PROXY ?? env.no_proxy ?? '').split(/[\s,]+/);
  const covered = (name: string) => entries.some((entry) => entry === '*' || entry.split(':')[0] === name);
  const missing = LOCAL_NAMES.filter((name) => !covered(name));
  if (missing.length === 0) return ok(`${set.join(', ')} set; NO_PROXY covers this machine.`);
  return warn(
    `${set.join(', ')} set, and NO_PROXY leaves out ${missing.join(' and ')}: clients may ` +
      'ask the proxy for the sandbox.',
    `export NO_PROXY=${[...entries, ...missing].filter((entry) => entry !== '').join(',')}`,
  );
}

/** Real time that a sandbox has to respond. */
const TIMEOUT_MS = 3_000;

/** Lets a test replace this machine's host names. */
export interface Names {
  readonly addressesOf: (name: string) => Promise<readonly string[]>;
  /** Undefined if the address can be listened on, otherwise the error code. */
  readonly refusalToListen: (host: string, port: number) => Promise<string | undefined>;
}

export const MACHINE: Names = {
  addressesOf: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  refusalToListen,
};

/** Listens on the address for a moment, then closes it. */
function refusalToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'ERROR'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Whether `localhost` resolves to this machine, over IPv4 and IPv6. */
export async function localhostCheck({ addressesOf, refusalToListen }: Names): Promise<Check> {
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

/** Whether the port of `start` is free, and if not, who holds it. */
export async function portCheck(port: number, io: Io, { refusalToListen }: Names): Promise<Check> {
  if (port === 0) return ok('`start` takes a free port.');
  const onV6 = await refusalToListen('::1', port);
  // Other errors on ::1 mean that the machine does not have it.
  const refusal = (await refusalToListen('127.0.0.1', port)) ?? (onV6 === 'EADDRINUSE' ? onV6 : undefined);
  if (refusal === undefined) return ok(`Port ${port} is free.`);
  const otherPort = 'Give another one: `npx sandbox start --port 0`.';
  if (refusal !== 'EADDRINUSE') return fail(`Port ${port} cannot be used (${refusal}).`, otherPort);
  if (!(await isSandboxAt(port))) {
    return warn(`Port ${port} is taken by something that is not a sandbox.`, otherPort);
  }
  const run = allRunFiles(io.env).find(({ url }) => new URL(url).port === String(port));
  if (run?.folder === projectFolder(io.cwd)) {
    return ok(`Port ${port} is held by the sandbox of this project (pid ${run.pid}).`);
  }
  const whose = run === undefined ? 'another user’s sandbox' : `the sandbox of ${oneLine(run.folder, 0)}`;
  return warn(`Port ${port} is held by ${whose}.`, otherPort);
}

async function isSandboxAt(port: number): Promise<boolean> {
  const asked = ['127.0.0.1', '[::1]'].map(async (host) => {
    const answer = await ask(`http://${host}:${port}/_sandbox/livez`);
    if (!answer.isSandbox) throw new Error('Something else answers.');
    return true;
  });
  return Promise.any(asked).catch(() => false);
}

/** Whether the settings can be read, and their sources. */
export function configCheck({ mistakes, files, values }: Settled, env: Environment): Check {
  if (mistakes.length > 0) {
    const all = mistakes.map((mistake) => {
      const { field, message } = describeMistake(mistake);
      return `${field} ${message}`;
    });
    return fail(all.join(' '), '`npx sandbox config --help` says what each setting takes.');
  }
  const [miss] = nearMisses(Object.keys(env));
  if (miss !== undefined) {
    const [name, meant] = miss;
    return warn(`${name} is not a setting.`, `Did you mean ${meant}?`);
  }
  const there = files.filter(({ isThere }) => isThere).map(({ path }) => oneLine(path, 0));
  const count = values.filter(({ source }) => source.from !== 'default').length;
  const from = there.length === 0 ? 'no file' : there.join(' and ');
  return ok(`${from}; ${count} of ${values.length} settings chosen.`);
}

/** Whether each run file of a project is current, and readable by its user only; the first that is not counts. */
export async function runFileCheck(folder: string, env: Environment): Promise<Check> {
  const paths = runFilePaths(env, folder);
  if (paths.length === 0) return ok(`None: no sandbox was started for ${oneLine(folder, 0)}.`);
  const checks = await Promise.all(paths.map(oneRunFileCheck));
  const wrong = checks.find(({ status }) => status !== 'ok');
  return wrong ?? ok(checks.map(({ message }) => message).join(' '));
}

async function oneRunFileCheck(path: string): Promise<Check> {
  const shown = oneLine(path, 0);
  const run = parseRunFile(path);
  const restart = `rm '${shown}', or start the sandbox again.`;
  if (run === undefined) return warn(`${shown} cannot be read.`, `rm '${shown}'`);
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    return warn(`${shown} can be read by others, and may hold a token.`, `chmod 600 '${shown}'`);
  }
  if (!isRunning(run)) {
    return warn(`${shown} was left behind by process ${run.pid}, which has ended.`, restart);
  }
  const place = `${oneLine(run.url, 0)} (pid ${run.pid})`;
  if (await answers(run)) return ok(`The sandbox of this project is ${place}.`);
  return warn(`The sandbox that was started for this project does not answer at ${place}.`, `rm '${shown}'`);
}

/** Whether the sandbox that answers is the one that wrote the file. */
async function answers(run: RunFile): Promise<boolean> {
  try {
    const { body } = await askSandbox(run, 'readyz');
    return (JSON.parse(body) as { readonly instance_id?: unknown }).instance_id === run.instance_id;
  } catch {
    return false;
  }
}

/** Signatures are valid for five minutes (§8); a clock skew should stay well below that. */
const TOLERANCE_S = 300;
const SUSPECT_S = 5;

/**
 * The clock skew of a running sandbox, and how far its own time was moved. Without one it is unknown: no
 * other server is asked.
 */
export async function clockCheck(
  sandbox: Pick<RunFile, 'url' | 'control_token'> | undefined,
  nowMs: () => number,
): Promise<Check> {
  const unknown =
    'Nothing to compare with: ' +
    `${sandbox === undefined ? 'no sandbox is running' : 'the sandbox does not answer'}, and ` +
    'no other server is asked.';
  if (sandbox === undefined) return ok(unknown);
  const before = nowMs();
  const answer = await askSandbox(sandbox, 'clock').catch(() => undefined);
  if (answer !== undefined && !answer.isSandbox) {
    const message = `${oneLine(sandbox.url, 0)} responded with HTTP ${answer.status}, but it is not a pix-sandbox.`;
    return fail(message, 'Check `--url` and `SANDBOX_URL`.');
  }
  const theirs = Date.parse(answer?.date ?? '');
  if (Number.isNaN(theirs)) return ok(unknown);
  // The Date header has whole seconds.
  const skewS = Math.round((theirs + 500 - (before + nowMs()) / 2) / 1000);
  const message = `The sandbox's clock is ${Math.abs(skewS)} s ${skewS < 0 ? 'behind' : 'ahead of'} ours.`;
  const advice =
    'Synchronise both with a time server; a container or virtual machine may have been suspended.';
  if (Math.abs(skewS) > TOLERANCE_S) return fail(`${message} Every signature will be refused.`, advice);
  if (Math.abs(skewS) > SUSPECT_S) return warn(message, advice);
  // A refusal has the Date header, too, but no clock.
  const offset = answer?.status === 200 ? offsetText(JSON.parse(answer.body) as ClockView) : '';
  return ok(`The sandbox’s clock and ours agree.${offset === '' ? '' : ` Sandbox time is ${offset}.`}`);
}

function askSandbox({ url, control_token: token }: Pick<RunFile, 'url' | 'control_token'>, route: string) {
  const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
  return ask(`${url}${CONTROL}${route}`, { headers });
}

interface HttpCall {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: Uint8Array;
  readonly timeoutMs?: number;
}

/** One HTTP request over its own connection. Rejects when there is no answer within the real-time limit. */
export async function ask(url: string, { headers, body, timeoutMs = TIMEOUT_MS }: HttpCall = {}) {
  const answer = await openHttp(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, connection: 'close' },
    body,
    signal: AbortSignal.timeout(timeoutMs),
  });
  return {
    status: answer.statusCode ?? 0,
    date: answer.headers.date,
    isSandbox: answer.headers[SANDBOX_HEADER] !== undefined,
    body: Buffer.concat(await answer.toArray()).toString('utf8'),
  };
}
