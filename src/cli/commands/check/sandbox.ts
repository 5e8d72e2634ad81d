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
  /** A sandbox that outlives the run, whose console shows the report. */
  readonly running: ControlClient | undefined;
}

/** A sandbox of its own with `--order`, or the one that runs; none without. */
export async function surrounding(invocation: Invocation): Promise<Surrounding> {
  const { options } = invocation;
  if (options.order === undefined) {
    const found = runningOne(invocation);
    const close = () => Promise.resolve(found?.close());
    return { sandbox: undefined, env: {}, running: found, [Symbol.asyncDispose]: close };
  }
  return options.useRunning ? running(invocation) : own(invocation);
}

/** The sandbox of this project; without one there is nothing to show the report, and nothing is missing. */
function runningOne(invocation: Invocation): ControlClient | undefined {
  try {
    return findSandbox(invocation);
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

async function running(invocation: Invocation): Promise<Surrounding> {
  const control = findSandbox(invocation);
  const close = () => {
    control.close();
    return Promise.resolve();
  };
  try {
    const env = await control.get('env');
    return { sandbox: { control, settles: false }, env, running: control, [Symbol.asyncDispose]: close };
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
  await server.open();
  const control = socketClient({ url: server.url });
  const close = async () => {
    control.close();
    await server.close();
  };
  const env = { ...server.env };
  return { sandbox: { control, settles: true }, env, running: undefined, [Symbol.asyncDispose]: close };
}
