import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { clearTimeout, setTimeout } from 'node:timers';
import { messageOf } from '../text/errors.js';
import type { PlaceholderValues } from '../text/shell/placeholders.js';
import {
  expandCommand,
  isUrl,
  placeholderVariables,
  requestIn,
  urlWithValues,
} from '../text/shell/placeholders.js';
import { RestartError } from './bench.js';
import type { Order, Probe, Restart } from './check.js';
import { OrderError } from './orders.js';
import { ProbeError } from './probe.js';
import { oneLineOf } from './response.js';

/** Where commands run, and with which environment. */
export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface Ended {
  /** The exit code, or null when it was killed or is still running. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const PROBE_MS = 15_000;
const ORDER_MS = 15_000;
const MOST_CHARACTERS = 1_000_000;
/** The shell's exit codes for what does not exist and what cannot be executed. */
const NOT_RUN = new Set([126, 127]);
/** Only POSIX has process groups. */
const HAS_GROUPS = process.platform !== 'win32';

/** A probe that is a command for the shell, or a URL to get. */
export function probeBy(text: string, where: Surroundings): Probe {
  if (isUrl(text)) return (subject, signal) => fetched(urlWithValues(text, subject), signal);
  return async (subject, signal) => {
    const expanded = expandCommand(text, subject);
    if ('problem' in expanded) throw new ProbeError(`The probe cannot be run: ${expanded.problem}`);
    const ended = await run(expanded.command, withVariables(where, subject), { signal, timeoutMs: PROBE_MS });
    if (ended.code === null) throw new ProbeError(`The probe did not end within ${PROBE_MS / 1000} s.`);
    if (NOT_RUN.has(ended.code)) throw new ProbeError(`The probe cannot be run: ${complaint(ended)}`);
    return ended.code === 0 ? ended.stdout : `exit ${ended.code}\n${ended.stdout}`;
  };
}

/** Creates orders by a command for the shell, or by a request such as `PUT http://localhost:3000/orders/{code}`; a bare URL is posted to. */
export function orderBy(text: string, where: Surroundings): Order {
  const request = requestIn(text, 'POST');
  if (request !== undefined) return orderByRequest(request);
  return async ({ code, amount }, signal) => {
    const values = { code, id: '', amount };
    const expanded = expandCommand(text, values);
    if ('problem' in expanded) throw new OrderError(`The order command cannot be run: ${expanded.problem}`);
    const ended = await run(expanded.command, withVariables(where, values), { signal, timeoutMs: ORDER_MS });
    if (ended.code === 0) return;
    const how = ended.code === null ? `did not end within ${ORDER_MS / 1000} s` : `ended with ${ended.code}`;
    throw new OrderError(`The order command ${how}: ${complaint(ended)}`, { isLate: ended.code === null });
  };
}

function orderByRequest({ method, url }: { readonly method: string; readonly url: string }): Order {
  return async ({ code, amount }, signal) => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(ORDER_MS)]);
    try {
      const address = urlWithValues(url, { code, id: '', amount });
      const response = await fetch(address, { method, signal: limited, redirect: 'manual' });
      const text = await response.text();
      // Forms redirect to the order that they created.
      if (response.status < 400) return;
      throw new OrderError(
        `The order request got ${response.status}: ${oneLineOf(text) || 'its body is empty.'}`,
      );
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof OrderError) throw error;
      throw new OrderError(`The order request got no response: ${reasonOf(error)}`, {
        isLate: limited.aborted,
      });
    }
  };
}

function reasonOf(error: unknown): string {
  return messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
}

/** A restart command for the shell; one that goes on is left running, because it may be the application. Rejects with RestartError where it fails. */
export function restartBy(text: string, { cwd, env }: Surroundings): Restart {
  return () =>
    new Promise((resolve, reject) => {
      const child = spawn(text, { shell: true, cwd, env, stdio: 'ignore', detached: HAS_GROUPS });
      child.once('exit', (code) => {
        if (code === null || code === 0) resolve();
        else reject(new RestartError(`The restart command ended with ${code}.`));
      });
      child.once('error', (error) =>
        reject(new RestartError(`The restart command cannot be run: ${error.message}`)),
      );
      child.unref();
    });
}

function withVariables({ cwd, env }: Surroundings, values: PlaceholderValues): Surroundings {
  return { cwd, env: { ...env, ...placeholderVariables(values) } };
}

function complaint({ stderr, stdout }: Ended): string {
  return oneLineOf(stderr.trim() === '' ? stdout : stderr) || 'it printed nothing.';
}

async function fetched(url: string, signal: AbortSignal): Promise<string> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]);
  try {
    const response = await fetch(url, { signal: limited, redirect: 'manual' });
    const text = await response.text();
    return response.ok ? text : `${response.status}\n${text}`;
  } catch (error) {
    signal.throwIfAborted();
    throw new ProbeError(`The probe cannot be read: ${reasonOf(error)}`);
  }
}

interface Limits {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

function run(command: string, { cwd, env }: Surroundings, { signal, timeoutMs }: Limits): Promise<Ended> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const child = spawn(command, {
      shell: true,
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: HAS_GROUPS,
    });
    const read = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        read[name] = (read[name] + chunk).slice(0, MOST_CHARACTERS);
      });
    }
    const timer = setTimeout(() => kill(child), timeoutMs);
    const giveUp = () => {
      kill(child);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      resolve({ code, ...read });
    });
  });
}

/** Ends a command with all that it started. */
function kill(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(HAS_GROUPS ? -child.pid : child.pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
