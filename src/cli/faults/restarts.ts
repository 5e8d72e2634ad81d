import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { LIMITS } from '../../contract/limits.js';
import { pause } from '../../delivery/abort.js';
import type { Restart } from '../../sandbox/options.js';
import { ChildGroup, type ChildOptions } from '../commands/exec/child-group.js';

/** Stands for a port in the words of a command line. */
const MARK = '{port}';

export function wantsPort(texts: readonly (string | undefined)[]): boolean {
  return texts.some((text) => text?.includes(MARK));
}

export function withPort(text: string, port: number | undefined): string {
  return port === undefined ? text : text.replaceAll(MARK, String(port));
}

/** A port of 127.0.0.1 that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Real time after which a running restart command is taken for the application, where it is not known where
 * that listens.
 */
const STARTED_MS = 2_000;
const POLL_MS = 20;
const CONNECT_MS = 1_000;

/** The runs of a restart command, with whatever they leave running. */
export class Restarts implements AsyncDisposable {
  readonly #command: string;
  readonly #where: () => Pick<ChildOptions, 'cwd' | 'env'>;
  readonly #groups: ChildGroup[] = [];
  readonly #over = new AbortController();

  /** `where` is asked at each restart, because the environment block is known only when the sandbox is open. */
  constructor(command: string, where: () => Pick<ChildOptions, 'cwd' | 'env'>) {
    this.#command = command;
    this.#where = where;
  }

  /** Runs the command in a shell; resolves when the application listens again. Rejects when it does not in time. */
  readonly restart: Restart = async (signal, target) => {
    if (this.#over.signal.aborted) return;
    const group = await ChildGroup.start(this.#command, [], {
      ...this.#where(),
      shell: true,
      stdio: 'ignore',
      passesSignals: false,
    });
    this.#groups.push(group);
    const stopping = AbortSignal.any([signal, this.#over.signal]);
    if (target === undefined) {
      await Promise.race([group.ended, pause(STARTED_MS, stopping).catch(() => undefined)]);
    } else await listening(target, group.ended, stopping);
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#groups.map((group) => group.tearDown()));
  }
}

/**
 * Resolves when the restarted application listens: after the command has ended or, where that continues
 * because it is the application, after nothing listened for a moment. Also resolves when the signal aborts.
 */
export async function listening(
  { protocol, hostname, port }: URL,
  commandEnded: Promise<unknown>,
  stopping: AbortSignal,
): Promise<void> {
  const host = hostname.replaceAll(/[[\]]/g, '');
  const place = { host, port: Number(port) || (protocol === 'https:' ? 443 : 80) };
  const timeout = AbortSignal.timeout(LIMITS.restartMs);
  const giveUp = AbortSignal.any([stopping, timeout]);
  let isRestarted = false;
  void commandEnded.then(() => {
    isRestarted = true;
  });
  for (;;) {
    const isUp = await accepts(place, giveUp);
    if (isUp && isRestarted) return;
    // Whatever listened before has ended.
    if (!isUp) isRestarted = true;
    await pause(POLL_MS, giveUp).catch(() => undefined);
    if (stopping.aborted || (timeout.aborted && isUp)) return;
    if (!timeout.aborted) continue;
    const where = `${host}:${place.port}`;
    const seconds = LIMITS.restartMs / 1000;
    throw new Error(`Nothing listens on ${where} ${seconds} s after the restart command began.`);
  }
}

async function accepts(
  place: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<boolean> {
  const socket = connect(place);
  try {
    await once(socket, 'connect', { signal: AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]) });
    return true;
  } catch {
    return false;
  } finally {
    socket.on('error', () => undefined);
    socket.destroy();
  }
}
