import type { ControlClient } from '../client/control.js';
import { NotReachableError } from '../client/control.js';
import { socketClient } from '../client/socket.js';
import { PROGRAM } from '../text/program-name.js';
import { withoutUrlSecrets } from '../text/redaction.js';
import { isSandboxUrl } from '../text/urls.js';
import type { ClockApi, LedgerApi, SandboxVerbs } from './api.js';
import { clockVerbs, requireFetch, sandboxVerbs } from './verbs.js';
import { type Forwarding, forwardOverStream, type ForwardVerb } from './forward.js';

/**
 * A sandbox of another process: all verbs but `fetch`, each with a promise as its result. They reject with
 * Error once it has stopped.
 */
export interface ConnectedSandbox extends SandboxVerbs {
  readonly clock: ClockApi<Promise<Date>>;
  readonly ledger: LedgerApi<Promise<string[]>>;
  readonly forwardTo: ForwardVerb<Promise<Forwarding>>;
  /** Ends what `forwardTo` began; the sandbox keeps running. */
  readonly close: () => Promise<void>;
}

const UNDER_EXEC = `Run the tests with a sandbox: \`${PROGRAM} exec -- npm test\``;

/**
 * Connects to the sandbox of `sandbox exec` or `sandbox explore`, or to the one whose `sandbox env` was
 * loaded. Rejects with Error where the environment names none. End it with `close()` or `await using`.
 */
export async function connectSandbox(): Promise<ConnectedSandbox> {
  requireFetch('connectSandbox');
  const { SANDBOX_URL: url = '', SANDBOX_CONTROL_TOKEN: token } = process.env;
  if (url === '') {
    throw new Error(
      `connectSandbox found no sandbox: SANDBOX_URL is not set. ${UNDER_EXEC}, or load what ` +
        `\`${PROGRAM} env\` prints for a running one.`,
    );
  }
  if (!isSandboxUrl(url)) {
    throw new Error(
      `SANDBOX_URL must look like http://127.0.0.1:7490; got ${withoutUrlSecrets(url)}. ${UNDER_EXEC}, which sets it.`,
    );
  }
  const control = socketClient({ url, token });
  try {
    return await connectOver(control);
  } catch (error) {
    control.close();
    if (!(error instanceof NotReachableError)) throw error;
    throw new Error(`No sandbox is running at ${url} (SANDBOX_URL). ${UNDER_EXEC}, or start that one.`, {
      cause: error,
    });
  }
}

/** The verbs over a client, which `close` closes. @internal */
export async function connectOver(control: ControlClient): Promise<ConnectedSandbox> {
  const forwardings = new Set<Forwarding>();
  const close = async () => {
    await Promise.all(Array.from(forwardings, ({ stop }) => stop()));
    control.close();
  };
  return {
    ...sandboxVerbs(control, await control.get('env')),
    clock: clockVerbs(control, async () => new Date((await control.get('clock')).now)),
    ledger: { problems: async () => [...(await control.get('ledger', { limit: 1 })).problems] },
    forwardTo: async (target, options) => {
      const forwarding = await forwardOverStream(control, target, options);
      forwardings.add(forwarding);
      return forwarding;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
