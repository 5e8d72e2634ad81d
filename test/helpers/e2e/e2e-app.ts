import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';

/** A webhook as the application got it. */
export interface Hook {
  readonly id: string;
  readonly type: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Path and query. */
  readonly target: string;
  /** How many with this id came, this one included. */
  readonly ordinal: number;
  /** Aborts when the sender hangs up before the answer. */
  readonly hungUp: AbortSignal;
}

export type AnswerHook = (hook: Hook) => number | Promise<number>;

const PATIENCE_MS = 20_000;

/** An integrator's application: it verifies each webhook with two libraries that others wrote, and then answers. */
export class App implements AsyncDisposable {
  readonly hooks: Hook[] = [];
  /** Why a library refused, for each webhook that one refused; such a webhook is answered 400. */
  readonly refusals: string[] = [];
  answer: AnswerHook = () => 200;
  /** What every answer says in its body. */
  says = 'ok';
  secret: string;
  readonly #progress = new EventEmitter();
  readonly #server: Server;

  private constructor(secret: string) {
    this.secret = secret;
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  static async start(secret = ''): Promise<App> {
    const app = new App(secret);
    app.#server.listen(0, '127.0.0.1');
    await once(app.#server, 'listening');
    return app;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `${this.origin}/webhooks`;
  }

  /** Resolves when so many webhooks have come. */
  async came(count: number): Promise<void> {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    while (this.hooks.length < count) {
      await once(this.#progress, 'hook', { signal: patience }).catch(() => {
        throw new Error(`Expected ${count} webhooks; ${this.hooks.length} came.`);
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const headers = request.headers as Record<string, string>;
    const id = headers['webhook-id'] ?? '';
    const hungUp = new AbortController();
    response.on('close', () => hungUp.abort());
    const hook: Hook = {
      id,
      type: (JSON.parse(body) as { type: string }).type,
      body,
      headers,
      target: request.url ?? '',
      ordinal: this.hooks.filter((earlier) => earlier.id === id).length + 1,
      hungUp: hungUp.signal,
    };
    this.hooks.push(hook);
    this.#progress.emit('hook');
    const refusal = refusalOf(hook, this.secret);
    if (refusal !== undefined) this.refusals.push(refusal);
    const status = refusal === undefined ? await this.answer(hook) : 400;
    response.writeHead(status, { 'content-type': 'text/plain' }).end(refusal ?? this.says);
  }
}

/** What the first library that refuses a webhook says. */
function refusalOf({ body, headers }: Hook, secret: string): string | undefined {
  for (const Library of [StandardWebhook, SvixWebhook]) {
    try {
      new Library(secret).verify(body, headers);
    } catch (error) {
      return String(error);
    }
  }
  return undefined;
}
