import { ControlClient, fetchTransport } from '../../../../src/client/control.js';
import type { CheckOptions } from '../../../../src/check/check.js';
import type { SandboxServer } from '../../../../src/http/server/start.js';
import { startServer } from '../../../../src/http/server/start.js';
import { createCharge } from './create-charge.js';
import { fetchHandler } from './doors.js';
import type { ShopOptions } from './shop.js';
import { Shop } from './shop.js';

/** A sandbox in this process, and shops that are its customers. */
export class Stage implements AsyncDisposable {
  readonly control: ControlClient;
  readonly #server: SandboxServer;
  readonly #fetch: (target: string, init?: RequestInit) => Promise<Response>;

  private constructor(server: SandboxServer) {
    this.#server = server;
    this.#fetch = async (target, init) => server.fetch(new Request(server.url + target, init), {});
    this.control = new ControlClient(fetchTransport(server.url, this.#fetch));
  }

  static async open(): Promise<Stage> {
    return new Stage(await startServer({ port: undefined }));
  }

  get secret(): string {
    return this.#server.env.SANDBOX_WEBHOOK_SECRET;
  }

  /** A shop with these mistakes. */
  shop(options: Partial<ShopOptions> = {}): Shop {
    const service = { env: this.#server.env, fetch: this.#fetch };
    return new Shop({
      secret: this.secret,
      createCharge: (code, amount) => createCharge(service, code, amount),
      ...options,
    });
  }

  /** How a shop is checked in this process, with everything that can be given. */
  checkOptions(shop: Shop): CheckOptions {
    return {
      to: fetchHandler(shop),
      secret: this.secret,
      probe: (subject) => shop.probe(subject),
      order: (order) => shop.order(order),
      takesAmount: true,
      restart: () => shop.restart(),
      sandbox: { control: this.control, settles: true },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
  }
}
