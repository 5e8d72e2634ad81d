import { lookup } from 'node:dns/promises';
import { createServer } from 'node:net';
import { allRunFiles, projectFolder } from '../../../client/run-file.js';
import type { Io } from '../../program/io.js';
import { oneLine } from '../../terminal/text.js';
import { ask, isSandbox } from './ask.js';
import type { Check } from './check.js';
import { fail, ok, warn } from './check.js';

/** Real time that the process on the port has to identify itself. */
const PATIENCE_MS = 3_000;

/** Lets a test replace this machine's host names. */
export interface Names {
  readonly addressesOf: (name: string) => Promise<readonly string[]>;
  /** Undefined if the address can be listened on, otherwise the error code. */
  readonly refusalToListen: (host: string, port: number) => Promise<string | undefined>;
}

export const MACHINE: Names = {
  addressesOf: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  refusalToListen,
};

/** Listens on the address for a moment, then closes it. */
function refusalToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'ERROR'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Whether `localhost` resolves to this machine, over IPv4 and IPv6. */
export async function localhostCheck({ addressesOf, refusalToListen }: Names): Promise<Check> {
  const addresses = await addressesOf('localhost').catch((): readonly string[] => []);
  const loopback = addresses.filter((address) => address === '::1' || address.startsWith('127.'));
  if (loopback.length === 0) {
    const found = addresses.length === 0 ? 'nothing' : addresses.join(', ');
    return fail(
      `localhost resolves to ${found}.`,
      'Add `127.0.0.1 localhost` to /etc/hosts, or use 127.0.0.1 everywhere.',
    );
  }
  const message = `localhost is ${addresses.join(' and ')}`;
  if ((await refusalToListen('::1', 0)) === undefined) return ok(`${message}; ::1 works here.`);
  if (!addresses.includes('::1')) return ok(`${message}; this machine has no ::1.`);
  return warn(
    `${message}, but nothing can listen on ::1.`,
    'Use 127.0.0.1 instead of localhost if a client cannot connect.',
  );
}

/** Whether the port of `start` is free, and if not, who holds it. */
export async function portCheck(port: number, io: Io, { refusalToListen }: Names): Promise<Check> {
  if (port === 0) return ok('`start` takes a free port.');
  const main = await refusalToListen('127.0.0.1', port);
  const refusal = main ?? takenOnly(await refusalToListen('::1', port));
  if (refusal === undefined) return ok(`Port ${port} is free.`);
  const otherPort = 'Give another one: `npx sandbox start --port 0`.';
  if (refusal !== 'EADDRINUSE') return fail(`Port ${port} cannot be used (${refusal}).`, otherPort);
  if (!(await isSandboxAt(port))) {
    return warn(`Port ${port} is taken by something that is not a sandbox.`, otherPort);
  }
  const run = allRunFiles(io.env).find(({ url }) => new URL(url).port === String(port));
  if (run?.folder === projectFolder(io.cwd)) {
    return ok(`Port ${port} is held by the sandbox of this project (pid ${run.pid}).`);
  }
  const whose = run === undefined ? 'another user’s sandbox' : `the sandbox of ${oneLine(run.folder, 0)}`;
  return warn(`Port ${port} is held by ${whose}.`, otherPort);
}

/** Only EADDRINUSE counts; other errors mean that the machine does not have the address. */
function takenOnly(refusal: string | undefined): string | undefined {
  return refusal === 'EADDRINUSE' ? refusal : undefined;
}

async function isSandboxAt(port: number): Promise<boolean> {
  const asked = ['127.0.0.1', '[::1]'].map(async (host) => {
    const answer = await ask(`http://${host}:${port}/_sandbox/livez`, { timeoutMs: PATIENCE_MS });
    if (!isSandbox(answer)) throw new Error('Something else answers.');
    return true;
  });
  return Promise.any(asked).catch(() => false);
}
