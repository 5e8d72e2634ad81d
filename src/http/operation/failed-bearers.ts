import type { HttpBindings } from '@hono/node-server';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { pause } from '../../delivery/pause.js';
import { Recent } from '../../sandbox/recent.js';
import type { Sandbox } from '../../sandbox/sandbox.js';

/** Waits for this many milliseconds of real time. */
export type Wait = (ms: number) => Promise<void>;

/** The sender and credential of a request. */
interface Bearing {
  readonly env: Partial<HttpBindings>;
  readonly req: { readonly header: (name: 'authorization') => string | undefined };
}

interface Failures {
  readonly count: number;
  readonly at: number;
}

/** Slows guessing where others can reach the sandbox: each wrong bearer from an address is answered later than the last. */
export class FailedBearers {
  readonly #sandbox: Sandbox;
  readonly #wait: Wait;
  readonly #byAddress = new Recent<Failures>(LIMITS.failedBearerAddresses);

  /** By default, `wait` waits in real time until the sandbox closes. */
  constructor(sandbox: Sandbox, wait: Wait = waitWhileOpen(sandbox)) {
    this.#sandbox = sandbox;
    this.#wait = wait;
  }

  /** Resolves when a request with a wrong bearer may be answered; at once without a bearer. */
  async held({ env, req }: Bearing): Promise<void> {
    if (req.header('authorization') === undefined) return;
    const address = env.incoming?.socket.remoteAddress ?? '';
    const now = this.#sandbox.realNow();
    const { count, at } = this.#byAddress.get(address) ?? { count: 0, at: now };
    const failed = now - at < LIMITS.failedBearerMemoryMs ? count + 1 : 1;
    this.#byAddress.set(address, { count: failed, at: now });
    await this.#wait(Math.min(LIMITS.failedBearerDelayMs * 2 ** (failed - 1), LIMITS.failedBearerDelayMaxMs));
  }
}

function waitWhileOpen(sandbox: Sandbox): Wait {
  const closing = new AbortController();
  sandbox.onClose(() => closing.abort());
  return (ms) => pause(ms, closing.signal).catch(() => undefined);
}

/** Runs a bearer check. Where wrong ones are delayed, its UNAUTHENTICATED is thrown only after the delay. */
export function slowedCheck<Owner>(
  bearers: FailedBearers | undefined,
  request: Bearing,
  check: () => Owner,
): Owner | Promise<Owner> {
  try {
    return check();
  } catch (error) {
    if (bearers === undefined || !(error instanceof Refusal) || error.code !== 'UNAUTHENTICATED') throw error;
    return bearers.held(request).then(() => {
      throw error;
    });
  }
}
