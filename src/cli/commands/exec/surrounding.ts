import type { Environment } from '../../../client/run-file.js';
import type { SandboxServer } from '../../../http/server/start.js';
import { freePort, withPort } from '../../faults/own-port.js';
import { Restarts } from '../../faults/restarts.js';
import type { ValuesOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import { openServer, sandboxOptions } from '../start/open-server.js';
import type { SANDBOX } from '../start/sandbox-options.js';

/** The sandbox of one run of a command, and what the command gets of it. */
export interface Surrounding extends AsyncDisposable {
  readonly server: SandboxServer;
  readonly cwd: string;
  /** With the environment block, and with PORT where the run has a port of its own. */
  readonly env: Environment;
  /** A text of the command line, with the port in the place of `{port}`. */
  readonly own: (text: string) => string;
}

interface Wanted {
  readonly io: Io;
  readonly options: ValuesOf<typeof SANDBOX>;
  /** Port of the sandbox; 0 takes a free one. */
  readonly port: number;
  /** Whether the command gets a port of its own. */
  readonly hasPort: boolean;
  readonly restart: string | undefined;
}

/** Opens a sandbox; disposed, it ends what restarts left running, and closes. */
export async function surrounding({ io, options, port, hasPort, restart }: Wanted): Promise<Surrounding> {
  const ownPort = hasPort ? await freePort() : undefined;
  const own = (text: string) => withPort(text, ownPort);
  const env = (): Environment => ({
    ...io.env,
    ...server.env,
    ...(ownPort === undefined ? {} : { PORT: String(ownPort) }),
  });
  const restarts =
    restart === undefined ? undefined : new Restarts(own(restart), () => ({ cwd: io.cwd, env: env() }));
  const server = await openServer({ ...sandboxOptions(options), port, restart: restarts?.restart }, io);
  return {
    server,
    cwd: io.cwd,
    env: env(),
    own,
    [Symbol.asyncDispose]: async () => {
      await restarts?.[Symbol.asyncDispose]();
      await server.close();
    },
  };
}
