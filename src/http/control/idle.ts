import { clearTimeout, setTimeout } from 'node:timers';
import { Refusal } from '../../core/refusal.js';
import { parseDuration } from '../../core/time.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Answer } from '../answer.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { ok } from './control.js';

const DEFAULT_TIMEOUT = '30s';
/** A day: what waits longer has lost its client. */
const LONGEST_TIMEOUT_MS = 86_400_000;

/** Resolves to true as soon as the sandbox is idle, to false when the real time is up or the sandbox closes. */
function untilIdle(sandbox: Sandbox, timeoutMs: number): Promise<boolean> {
  if (sandbox.isIdle()) return Promise.resolve(true);
  return new Promise((resolve, reject) => {
    const finish = (isIdle: boolean) => {
      clearTimeout(timer);
      endClose();
      resolve(isIdle);
    };
    const timer = setTimeout(() => finish(false), timeoutMs);
    const endClose = sandbox.onClose(() => finish(false));
    sandbox.idle().then(() => finish(true), reject);
  });
}

/** GET idle?timeout=30s: whether it became idle in time. */
async function waitIdle({ sandbox, query }: ControlRequest): Promise<Answer> {
  const timeout = query('timeout') ?? DEFAULT_TIMEOUT;
  const timeoutMs = parseDuration(timeout);
  if (timeoutMs === undefined || timeoutMs > LONGEST_TIMEOUT_MS) {
    throw new Refusal('INVALID_REQUEST', `timeout must be a duration up to 1d, such as 30s; got ${timeout}.`);
  }
  return ok({ idle: await untilIdle(sandbox, timeoutMs) });
}

export const IDLE_ROUTES: readonly ControlRoute[] = [{ method: 'GET', path: 'idle', handle: waitIdle }];
