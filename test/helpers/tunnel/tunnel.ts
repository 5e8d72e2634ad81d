import { EventEmitter, once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FailedAttempt, TunnelLimits, TunnelOptions } from '../../../src/tunnel/tunnel.js';
import { maintainTunnel, createProbe, TUNNEL_LIMITS } from '../../../src/tunnel/tunnel.js';
import type { Relay } from './relay.js';

/** A pause that ends at once, but for those that only tests end: of the times that they name. */
export class Pauses {
  /** How long each pause would have been, in milliseconds. */
  readonly asked: number[] = [];
  readonly #held: Set<number>;
  readonly #release = new EventEmitter();

  constructor(held: readonly number[]) {
    this.#held = new Set(held);
  }

  readonly pause = async (ms: number, signal: AbortSignal): Promise<void> => {
    this.asked.push(ms);
    this.#release.emit('asked', ms);
    if (this.#held.has(ms)) await once(this.#release, `over ${ms}`, { signal });
    else await new Promise<void>((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  };

  /** Ends the pauses of this length that there are. */
  end(ms: number): void {
    this.#release.emit(`over ${ms}`);
  }

  /** Resolves when a pause of this length begins, or has begun before. */
  async began(ms: number): Promise<void> {
    while (!this.asked.includes(ms)) await once(this.#release, 'asked');
  }
}

type Said = { readonly url: string } | { readonly open: string } | { readonly failed: FailedAttempt };

/** A tunnel to a local server of its own, and all that is told of it. */
export class TestTunnel implements AsyncDisposable {
  readonly said: Said[] = [];
  readonly pauses = new Pauses([TUNNEL_LIMITS.healthMs]);
  readonly ended: Promise<void>;
  /** What the local server got, as method and target. */
  readonly requests: string[] = [];
  readonly probe = createProbe();
  answersProbe = true;
  nowMs = 0;
  handle: RequestListener = (_, response) => response.end('hello');
  readonly #stopping = new AbortController();
  readonly #server = createServer((request, response) => {
    if (request.url === this.probe.path && this.answersProbe) {
      response.end(this.probe.token);
      return;
    }
    this.requests.push(`${request.method} ${request.url}`);
    this.handle(request, response);
  });
  readonly #progress = new EventEmitter();

  private constructor(relay: Relay, port: (server: TestTunnel) => number, options: Partial<TunnelOptions>) {
    this.ended = this.#run(relay, port, options);
    this.ended.catch(() => {});
  }

  /** Opens one. `localPort` is that of the local server unless it is given. */
  static open(
    relay: Relay,
    options: Partial<TunnelOptions> & { limits?: Partial<TunnelLimits> } = {},
  ): TestTunnel {
    return new TestTunnel(relay, (tunnel) => (tunnel.#server.address() as AddressInfo).port, options);
  }

  /** Resolves to the public URLs of the openings so far, once there are so many. */
  async opened(count = 1): Promise<string[]> {
    for (;;) {
      const urls = this.said.flatMap((one) => ('open' in one ? [one.open] : []));
      if (urls.length >= count) return urls;
      const isOver = this.ended.then(() => {
        throw new Error('The tunnel has ended.');
      });
      isOver.catch(() => {});
      await Promise.race([once(this.#progress, 'said'), isOver]);
    }
  }

  get failed(): FailedAttempt[] {
    return this.said.flatMap((one) => ('failed' in one ? [one.failed] : []));
  }

  stop(): void {
    this.#stopping.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.ended.catch(() => {});
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #run(
    relay: Relay,
    port: (server: TestTunnel) => number,
    options: Partial<TunnelOptions>,
  ): Promise<void> {
    // Without an address it listens on every one of this machine, as `localhost` may be either.
    this.#server.listen(0);
    await once(this.#server, 'listening');
    const say = (one: Said) => {
      this.said.push(one);
      this.#progress.emit('said');
    };
    await maintainTunnel({
      relay: new URL(relay.url),
      localPort: port(this),
      probe: this.probe,
      signal: this.#stopping.signal,
      onUrl: (url) => say({ url }),
      onOpen: (open) => say({ open }),
      onFailedAttempt: (failed) => say({ failed }),
      pause: this.pauses.pause,
      now: () => this.nowMs,
      ...options,
    });
  }
}
