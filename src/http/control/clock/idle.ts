import { clearTimeout, setTimeout } from 'node:timers';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { optional } from '../../../schema/fields.js';
import { object } from '../../../schema/object.js';
import { DEFAULT_TIMEOUT_MS, TIMEOUT_MS } from '../../operation/until.js';
import type { ControlRoute } from '../control.js';
import { ok, route } from '../control.js';

/** Resolves to true as soon as the sandbox is idle, to false when the real time runs out or the sandbox closes. */
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

const PATIENCE = object('a query', { timeoutMs: optional(TIMEOUT_MS) });

export const IDLE_ROUTES: readonly ControlRoute[] = [
  route('GET', 'idle', { query: PATIENCE }, async ({ sandbox, query }) =>
    ok({ idle: await untilIdle(sandbox, query.timeoutMs ?? DEFAULT_TIMEOUT_MS) }),
  ),
];
