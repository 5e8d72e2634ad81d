import type { ControlClient } from '../client/control.js';
import { NotReachableError } from '../client/control.js';
import { createSocketClient } from '../client/socket.js';
import { PROGRAM_NAME } from '../text/program-name.js';
import { redactUrl } from '../text/redaction.js';
import { isSandboxUrl } from '../text/urls.js';
import type { ClockApi, LedgerApi, SandboxVerbs } from './api.js';
import { checkOptions, TEXT_OPTION } from './options.js';
import { createClockApi, requireFetch, createSandboxApi } from './verbs.js';
import { type Forwarding, forwardOverStream, type ForwardVerb } from './forward.js';

/**
 * A sandbox in another process. Supports all methods except `fetch`. Each method returns a promise, which
 * rejects with Error once the sandbox has stopped.
 */
export interface ConnectedSandbox extends SandboxVerbs {
  readonly clock: ClockApi<Promise<Date>>;
  readonly ledger: LedgerApi<Promise<string[]>>;
  readonly forwardTo: ForwardVerb<Promise<Forwarding>>;
  /** Stops all `forwardTo` connections. The sandbox keeps running. */
  readonly close: () => Promise<void>;
}

const UNDER_EXEC = `Run the tests with \`${PROGRAM_NAME} exec -- npm test\``;

/** Selects a sandbox. Defaults to the sandbox in the environment variables. */
export interface ConnectSandboxOptions {
  /** URL of a running sandbox. Defaults to `SANDBOX_URL`. */
  readonly url?: string | undefined;
  /** Control token of the sandbox, if any. Without `url`, defaults to `SANDBOX_CONTROL_TOKEN`. */
  readonly token?: string | undefined;
}

/**
 * Connects to the sandbox at `url`, or to the sandbox in the environment variables set by `sandbox exec`,
 * `sandbox explore` or `sandbox env`. Rejects with TypeError for invalid options, and with Error if no
 * sandbox is specified or running. Disconnect with `close()` or `await using`.
 */
export async function connectSandbox(options: ConnectSandboxOptions = {}): Promise<ConnectedSandbox> {
  requireFetch('connectSandbox');
  const given = checkOptions('connectSandbox', options, { url: TEXT_OPTION, token: TEXT_OPTION });
  const { SANDBOX_URL, SANDBOX_CONTROL_TOKEN } = process.env;
  const name = given.url === undefined ? 'SANDBOX_URL' : 'url';
  const url = given.url ?? SANDBOX_URL ?? '';
  const token = given.token ?? (given.url === undefined ? SANDBOX_CONTROL_TOKEN : undefined);
  if (url === '' && name === 'SANDBOX_URL') {
    throw new Error(
      `connectSandbox found no sandbox: SANDBOX_URL is not set. ${UNDER_EXEC}, load the output of ` +
        `\`${PROGRAM_NAME} env\`, or pass the \`url\` of a running sandbox.`,
    );
  }
  if (!isSandboxUrl(url)) {
    throw new Error(
      `${name} must look like http://127.0.0.1:7490; got ${redactUrl(url)}. ${UNDER_EXEC}, which sets ` +
        'SANDBOX_URL.',
    );
  }
  const control = createSocketClient({ url, token });
  try {
    return await connectWithClient(control);
  } catch (error) {
    control.close();
    if (!(error instanceof NotReachableError)) throw error;
    throw new Error(`No sandbox is running at ${url} (${name}). ${UNDER_EXEC}, or start that sandbox.`, {
      cause: error,
    });
  }
}

/** Creates the methods for a client. `close` also closes the client. @internal */
export async function connectWithClient(control: ControlClient): Promise<ConnectedSandbox> {
  const forwardings = new Set<Forwarding>();
  const close = async () => {
    await Promise.all(Array.from(forwardings, ({ stop }) => stop()));
    control.close();
  };
  return {
    ...createSandboxApi(control, await control.get('env')),
    clock: createClockApi(control, async () => new Date((await control.get('clock')).now)),
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
