import type { ControlClient } from '../../client/control.js';
import { NotReachableError } from '../../client/control.js';
import { socketClient } from '../../client/socket.js';
import { allRunFiles, foreignState, projectFolder, readRunFile } from '../../client/run-file.js';
import { withoutUrlSecrets } from '../../text/redaction.js';
import { isSandboxUrl } from '../../text/urls.js';
import { CliError, EXIT, notRunning, START_ONE, usageError } from '../program/errors.js';
import type { Io } from '../program/io.js';

/** Where to look for a sandbox, and with which `--url`. */
export interface Seeker {
  readonly io: Pick<Io, 'env' | 'cwd'>;
  readonly options: { readonly url: string | undefined };
}

/** A client of the command's sandbox: from `--url`, then SANDBOX_URL, then the project's run file. */
export function findSandbox({ io, options }: Seeker): ControlClient {
  const chosen = options.url ?? io.env.SANDBOX_URL;
  const folder = projectFolder(io.cwd);
  if (chosen !== undefined && chosen !== '') {
    if (!isSandboxUrl(chosen)) {
      throw usageError(
        `The sandbox's URL must look like http://127.0.0.1:7490; got ${withoutUrlSecrets(chosen)}.`,
      );
    }
    return socketClient({ url: chosen, token: io.env.SANDBOX_CONTROL_TOKEN });
  }
  const run = readRunFile(folder, io.env);
  if (run !== undefined) return socketClient({ url: run.url, token: run.control_token });
  throw noneFor(folder, io.env);
}

function noneFor(folder: string, env: Io['env']): CliError {
  const foreign = foreignState(env);
  if (foreign !== undefined) {
    return notRunning(
      `No sandbox is found for ${folder}: ${foreign.message}, so its run files are not read.`,
      'Make it yours, choose another with XDG_STATE_HOME, or name the sandbox with --url.',
    );
  }
  const elsewhere = allRunFiles(env)
    .map((run) => `${run.url} (${run.folder})`)
    .slice(0, 3);
  const others =
    elsewhere.length === 0 ? '' : ` Others were started at ${elsewhere.join(', ')}: choose one with --url.`;
  return notRunning(`No sandbox is running for ${folder}.`, START_ONE + others);
}

export function isNotRunning(error: unknown): boolean {
  return (
    error instanceof NotReachableError || (error instanceof CliError && error.exitCode === EXIT.notRunning)
  );
}

/** Works with the command's sandbox, and closes the connection afterwards. */
export async function withSandbox<Result>(
  invocation: Seeker,
  work: (client: ControlClient) => Promise<Result>,
): Promise<Result> {
  const client = findSandbox(invocation);
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

/** The same, but resolves to undefined if no sandbox is running, unless `--url` named one. */
export async function withRunningSandbox<Result>(
  invocation: Seeker,
  work: (client: ControlClient) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await withSandbox(invocation, work);
  } catch (error) {
    if (invocation.options.url === undefined && isNotRunning(error)) return undefined;
    throw error;
  }
}
