import { runShell, type ShellResult, type CommandContext } from '../child.js';
import { getErrorMessage } from '../text/errors.js';
import {
  expandCommand,
  isHttpUrl,
  type PlaceholderValues,
  listPlaceholderVariables,
  parseRequest,
  fillUrlPlaceholders,
} from '../text/shell/placeholders.js';
import type { OrderHook, Probe } from './check.js';
import { OrderError } from './orders.js';
import { ProbeError } from './probe.js';
import { toSingleLine } from './receiver-response.js';
import { createTimeout } from '../delivery/abort.js';

const LIMIT_MS = 15_000;
const LATE = `did not finish within ${LIMIT_MS / 1000} s`;
/** Shell exit codes for missing and non-executable commands. */
const NOT_RUN = new Set<number | null>([126, 127]);

export function createProbeHook(text: string, where: CommandContext): Probe {
  return async (subject, signal) => {
    if (isHttpUrl(text)) {
      const { response, body } = await fetched(
        fillUrlPlaceholders(text, subject),
        'GET',
        signal,
        (reason) => {
          throw new ProbeError(`The probe request failed: ${reason}`);
        },
      );
      return response.ok ? body : `${response.status}\n${body}`;
    }
    const ended = await run(text, subject, where, signal);
    if (typeof ended === 'string') throw new ProbeError(`The probe cannot be run: ${ended}`);
    if (ended.code === null) throw new ProbeError(`The probe ${LATE}.`);
    if (NOT_RUN.has(ended.code)) throw new ProbeError(`The probe cannot be run: ${describeOutput(ended)}`);
    return ended.code === 0 ? ended.stdout : `exit ${ended.code}\n${ended.stdout}`;
  };
}

/** Creates orders with a command, or with a request, e.g. `PUT http://localhost:3000/orders/{code}`. */
export function createOrderHook(text: string, where: CommandContext): OrderHook {
  const request = parseRequest(text, 'POST');
  return async ({ code, amount }, signal) => {
    const values = { code, id: '', amount };
    if (request !== undefined) {
      const url = fillUrlPlaceholders(request.url, values);
      const { response, body } = await fetched(url, request.method, signal, (reason, isLate) => {
        throw new OrderError(`The order request got no response: ${reason}`, { isLate });
      });
      // HTML forms redirect to the created order.
      if (response.status < 400) return;
      const shown = toSingleLine(body) || 'empty body.';
      throw new OrderError(`The order request got ${response.status}: ${shown}`);
    }
    const ended = await run(text, values, where, signal);
    if (typeof ended === 'string') throw new OrderError(`The order command cannot be run: ${ended}`);
    if (ended.code === 0) return;
    const isLate = ended.code === null;
    const how = isLate ? LATE : `exited with code ${ended.code}`;
    throw new OrderError(`The order command ${how}: ${describeOutput(ended)}`, { isLate });
  };
}

async function fetched(
  url: string,
  method: string,
  signal: AbortSignal,
  onFailure: (reason: string, isLate: boolean) => never,
) {
  try {
    const limited = AbortSignal.any([signal, createTimeout(LIMIT_MS)]);
    const response = await fetch(url, { method, signal: limited, redirect: 'manual' });
    return { response, body: await response.text() };
  } catch (error) {
    signal.throwIfAborted();
    const { cause = error, name } = error as Error;
    return onFailure(getErrorMessage(cause), name === 'TimeoutError');
  }
}

function describeOutput({ stderr, stdout }: ShellResult): string {
  return toSingleLine(stderr.trim() === '' ? stdout : stderr) || 'no output.';
}

/** Runs a command after filling in the placeholders. Resolves to a message if a placeholder is invalid. */
async function run(
  text: string,
  values: PlaceholderValues,
  { cwd, env }: CommandContext,
  signal: AbortSignal,
): Promise<ShellResult | string> {
  const expanded = expandCommand(text, values);
  if ('problem' in expanded) return expanded.problem;
  const own = { cwd, env: { ...env, ...listPlaceholderVariables(values) } };
  return runShell(expanded.command, own, { signal, limitMs: LIMIT_MS });
}
