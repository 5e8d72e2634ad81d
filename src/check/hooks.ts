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

const LIMIT_MS = 15_000;
const MOST_CHARACTERS = 1_000_000;
/** The shell's exit codes for what does not exist and what cannot be executed. */
const NOT_RUN = new Set([126, 127]);
/** Only POSIX has process groups. */
const HAS_GROUPS = process.platform !== 'win32';

/** A probe that is a command for the shell, or a URL to get. */
export function probeBy(text: string, where: Surroundings): Probe {
  return async (subject, signal) => {
    if (isUrl(text)) {
      const { response, body } = await fetched(urlWithValues(text, subject), {}, signal).catch(
        (error: unknown) => {
          signal.throwIfAborted();
          throw new ProbeError(`The probe cannot be read: ${reasonOf(error)}`);
        },
      );
      return response.ok ? body : `${response.status}\n${body}`;
    }
    const ended = await run(text, subject, where, signal);
    if (typeof ended === 'string') throw new ProbeError(`The probe cannot be run: ${ended}`);
    if (ended.code === null) throw new ProbeError(`The probe did not end within ${LIMIT_MS / 1000} s.`);
    if (NOT_RUN.has(ended.code)) throw new ProbeError(`The probe cannot be run: ${complaint(ended)}`);
    return ended.code === 0 ? ended.stdout : `exit ${ended.code}\n${ended.stdout}`;
  };
}

/**
 * Creates orders by a command for the shell, or by a request such as `PUT
 * http://localhost:3000/orders/{code}`; a bare URL is posted to.
 */
export function orderBy(text: string, where: Surroundings): Order {
  const request = requestIn(text, 'POST');
  return async ({ code, amount }, signal) => {
    const values = { code, id: '', amount };
    if (request !== undefined) {
      const { method, url } = request;
      const { response, body } = await fetched(urlWithValues(url, values), { method }, signal).catch(
        (error: unknown) => {
          signal.throwIfAborted();
          const isLate = error instanceof Error && error.name === 'TimeoutError';
          throw new OrderError(`The order request got no response: ${reasonOf(error)}`, { isLate });
        },
      );
      // Forms redirect to the order that they created.
      if (response.status < 400) return;
      throw new OrderError(
        `The order request got ${response.status}: ${oneLineOf(body) || 'its body is empty.'}`,
      );
    }
    const ended = await run(text, values, where, signal);
    if (typeof ended === 'string') throw new OrderError(`The order command cannot be run: ${ended}`);
    if (ended.code === 0) return;
    const isLate = ended.code === null;
    const how = isLate ? `did not end within ${LIMIT_MS / 1000} s` : `ended with ${ended.code}`;
    throw new OrderError(`The order command ${how}: ${complaint(ended)}`, { isLate });
  };
}

/**
 * A restart command for the shell; one that continues is left running, because it may be the application.
 * Rejects with RestartError where it fails.
 */
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

async function fetched(url: string, init: RequestInit, signal: AbortSignal) {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  const response = await fetch(url, { ...init, signal: limited, redirect: 'manual' });
  return { response, body: await response.text() };
}

function reasonOf(error: unknown): string {
  return messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
}

function complaint({ stderr, stdout }: Ended): string {
  return oneLineOf(stderr.trim() === '' ? stdout : stderr) || 'it printed nothing.';
}

/** Runs a command with its values filled in; returns a text where they cannot be. */
async function run(
  text: string,
  values: PlaceholderValues,
  { cwd, env }: Surroundings,
  signal: AbortSignal,
): Promise<Ended | string> {
  const expanded = expandCommand(text, values);
  if ('problem' in expanded) return expanded.problem;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(expanded.command, {
      shell: true,
      cwd,
      env: { ...env, ...placeholderVariables(values) },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: HAS_GROUPS,
    });
    const read = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        read[name] = (read[name] + chunk).slice(0, MOST_CHARACTERS);
      });
    }
    const timer = setTimeout(() => kill(child), LIMIT_MS);
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
