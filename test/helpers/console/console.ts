import { setImmediate } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';
import { ControlClient, createFetchTransport, type Transport } from '../../../src/client/control.js';
import { Console } from '../../../src/console/model/console.js';
import { readRoute } from '../../../src/console/model/routes.js';
import { Histories } from '../../../src/console/model/histories.js';
import { createSandbox } from '../../../src/testing/create-sandbox.js';

type LocalSandbox = Pick<Awaited<ReturnType<typeof createSandbox>>, 'fetch' | 'url'>;

function transportOf(sandbox: () => LocalSandbox): Transport {
  return createFetchTransport(sandbox().url, (target, init) => sandbox().fetch(target, init));
}

/** A client of the control API of a sandbox in this process. */
export function clientOf(sandbox: LocalSandbox): ControlClient {
  return new ControlClient(transportOf(() => sandbox));
}

/** A sandbox for one test, whose time stands still. */
export async function openSandbox() {
  const sandbox = await createSandbox({ port: false, seed: 'console', freezeAt: '2026-01-31T12:00:00Z' });
  onTestFinished(() => sandbox.close());
  return { sandbox, client: clientOf(sandbox) };
}

/** The stories of a sandbox as they are now. */
export async function storiesOf(client: ControlClient): Promise<Histories> {
  const stories = new Histories();
  for (const entry of (await client.get('timeline', { limit: 1000 })).data) stories.add(entry);
  return stories;
}

/**
 * A connection to whichever sandbox runs now; its streams can be cut, and can be held back as by a slow
 * reader.
 */
export class Connection {
  readonly client: ControlClient;
  #cut = new AbortController();
  #held: Promise<void> = Promise.resolve();
  #release = () => {};

  constructor(sandbox: () => LocalSandbox) {
    const transport = transportOf(sandbox);
    this.client = new ControlClient({
      ...transport,
      send: async (sent) => {
        const { signal } = this.#cut;
        const answer = await transport.send(sent);
        const isStream = sent.headers['accept']?.startsWith('text/event-stream') ?? false;
        return isStream ? { ...answer, body: this.#read(answer.body, signal) } : answer;
      },
    });
  }

  /** Breaks every stream that is open. */
  cut(): void {
    this.#cut.abort();
    this.#cut = new AbortController();
    this.release();
  }

  /** Reads nothing more until `release`. */
  hold(): void {
    this.release();
    this.#held = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  release(): void {
    this.#release();
  }

  async *#read(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const broken = new Promise<never>((_, reject) => {
      const fail = () => reject(new Error('The connection was cut.'));
      if (signal.aborted) fail();
      else signal.addEventListener('abort', fail);
    });
    broken.catch(() => undefined);
    const chunks = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await Promise.race([chunks.next(), broken]);
        if (done) return;
        await Promise.race([this.#held, broken]);
        yield value;
      }
    } finally {
      void chunks.return?.();
    }
  }
}

/** A console without a screen. */
export function openConsole(client: ControlClient): Console {
  const place = { read: () => readRoute({ pathname: '/', search: '', hash: '' }), go: () => undefined };
  return new Console(client, place);
}

/**
 * Lets what is under way go on, timers too, until something holds. Needs fake timers; throws where it never
 * does.
 */
export async function until(what: string, holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 2000; turn += 1) {
    if (holds()) return;
    await setImmediate();
    if (turn % 20 === 19) await vi.advanceTimersByTimeAsync(500);
  }
  throw new Error(`Expected ${what}; waited in vain.`);
}
