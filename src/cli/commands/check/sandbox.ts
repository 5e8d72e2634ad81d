import type { ControlClient } from '../../../client/control.js';
import { socketClient } from '../../../client/socket.js';
import { CliError, EXIT, passedOn } from '../../program/errors.js';
import type { InvocationOf } from '../../program/declaration.js';
import { findSandbox } from '../../sandbox/find-sandbox.js';
import { openServer } from '../start/open-server.js';
import type { check } from './command.js';

type Invocation = InvocationOf<typeof check>;

/** The sandbox in which the application creates its charges, and its environment block. */
export interface Surrounding extends AsyncDisposable {
  readonly sandbox: { readonly control: ControlClient; readonly settles: boolean } | undefined;
  readonly env: Readonly<Record<string, string>>;
}

/** A sandbox of its own with `--order`, or the one that runs; none without. */
export async function surrounding(invocation: Invocation): Promise<Surrounding> {
  const { options } = invocation;
  if (options.order === undefined) {
    return { sandbox: undefined, env: {}, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  return options.useRunning ? running(invocation) : own(invocation);
}

async function running(invocation: Invocation): Promise<Surrounding> {
  const control = findSandbox(invocation);
  const close = () => {
    control.close();
    return Promise.resolve();
  };
  try {
    const env = await control.get('env');
    return { sandbox: { control, settles: false }, env, [Symbol.asyncDispose]: close };
  } catch (error) {
    control.close();
    throw error;
  }
}

async function own({ io, options: { port = 0 } }: Invocation): Promise<Surrounding> {
  const server = await openServer({ port }, io).catch((error: unknown) => {
    const isTaken = error instanceof CliError && error.exitCode === EXIT.portTaken;
    if (!isTaken) throw error;
    throw passedOn(EXIT.portTaken, {
      code: error.code,
      message: error.message,
      details: [],
      hint: 'If it is the sandbox of this project, use it with --use-running. For a free port, leave --port out.',
    });
  });
  await server.opened;
  const control = socketClient({ url: server.url });
  const close = async () => {
    control.close();
    await server.close();
  };
  return { sandbox: { control, settles: true }, env: { ...server.env }, [Symbol.asyncDispose]: close };
}
