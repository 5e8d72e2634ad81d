import { clearTimeout, setTimeout } from 'node:timers';
import type { FieldReader } from '../../../core/input/field-reader.js';
import { DAY_MS, SECOND_MS } from '../../../contract/time.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import type { Answer } from '../../operation/answer.js';
import type { ControlRequest, ControlRoute, Sent } from '../control.js';
import { ok, route } from '../control.js';

const DEFAULT_TIMEOUT_MS = 30 * SECOND_MS;
/** What waits longer has lost its client. */
const LONGEST_TIMEOUT_MS = DAY_MS;

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

function readPatience(fields: FieldReader) {
  const timeout = { mostMs: LONGEST_TIMEOUT_MS, example: '30s' };
  return { timeoutMs: fields.duration('timeout', timeout) ?? DEFAULT_TIMEOUT_MS };
}

/** GET idle?timeout=30s: whether it became idle in time. */
async function waitIdle(
  { sandbox }: ControlRequest,
  { query }: Sent<undefined, ReturnType<typeof readPatience>>,
): Promise<Answer> {
  return ok({ idle: await untilIdle(sandbox, query.timeoutMs) });
}

export const IDLE_ROUTES: readonly ControlRoute[] = [
  route({ method: 'GET', path: 'idle', query: readPatience, handle: waitIdle }),
];
