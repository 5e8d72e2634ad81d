import { isDeepStrictEqual } from 'node:util';
import { expect, onTestFinished, test as vitestTest } from 'vitest';
import { exportWorld } from '../../../src/core/state/export.js';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import type { SandboxServer, ServerOptions } from '../../../src/http/server/start.js';
import { startServer } from '../../../src/http/server/start.js';
import { WELL_KNOWN_CREDENTIALS } from '../../../src/sandbox/credentials.js';
import type { RequestScheme } from '../../../src/signing/request.js';
import { signRequest } from '../../../src/signing/request.js';

/** The present of every test, in real and in sandbox time. */
export const START_MS = Date.UTC(2026, 0, 1, 12);
export const ACCOUNT_ID = WELL_KNOWN_CREDENTIALS.accountId;
export const API = '/api/public/v1';
/** A host whose deliveries are refused at once, because nobody listens at its route. */
export const REFUSED_URL = 'https://refused.example/webhooks';

/** Whose token and signing secret a request carries. */
export interface Caller {
  readonly token: string;
  readonly signingSecret: string;
}

/** What a request has beside its method and path. */
export interface Sent {
  /** Sent as it is when it is a text or bytes, else as JSON. */
  readonly body?: unknown;
  /** By default POST is signed and GET is not; an object changes how. */
  readonly sign?: boolean | Signature;
  /** Null sends no Authorization. */
  readonly caller?: Caller | null;
  /** In the place of those that would be sent; null leaves one out. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly signal?: AbortSignal;
}

interface Signature {
  readonly nonce?: string;
  readonly timestampS?: number;
  readonly secret?: string;
  readonly body?: string;
  readonly target?: string;
  readonly method?: string;
  readonly scheme?: Partial<RequestScheme>;
}

/** The fields of answers that tests follow; every other one is there, too. */
export interface AnswerBody {
  readonly [field: string]: unknown;
  readonly id: string;
  readonly code: string;
  readonly status: string;
  readonly secret: string;
  readonly data: readonly AnswerBody[];
  readonly deliveries: readonly AnswerBody[];
  readonly events: readonly AnswerBody[];
  readonly paging: { readonly before: string | null; readonly after: string | null };
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly hint?: string;
    readonly request_id: string;
    readonly details: readonly { readonly field: string; readonly message: string }[];
  };
}

/** An error as it was answered. */
export type Refused = AnswerBody['error'] & { readonly status: number };

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AnswerBody;
}

/** A sandbox with its HTTP surfaces, without a socket, whose time only the test moves. */
export class TestApi {
  readonly server: SandboxServer;
  /** Real time in milliseconds. */
  readonly real: { nowMs: number };
  #nonces = 0;

  constructor(server: SandboxServer, real: { nowMs: number }) {
    this.server = server;
    this.real = real;
  }

  get sandbox(): Sandbox {
    return this.server.sandbox;
  }

  /** Calls an operation of the public API; the path stands below `/api/public/v1`. */
  call(method: string, path: string, sent: Sent = {}): Promise<Answered> {
    return this.send(method, API + path, sent);
  }

  /** Calls a route of the control API; the path stands below `/_sandbox/`. */
  control(method: string, path: string, body?: unknown): Promise<Answered> {
    return this.send(method, `/_sandbox/${path}`, { body, sign: false, caller: null });
  }

  async send(method: string, target: string, sent: Sent = {}): Promise<Answered> {
    const response = await this.open(method, target, sent);
    const text = await response.text();
    const body = (text === '' ? {} : JSON.parse(text)) as AnswerBody;
    return { status: response.status, headers: response.headers, body };
  }

  /** The bare response, for streams. */
  async open(method: string, target: string, sent: Sent = {}): Promise<Response> {
    const { signal } = sent;
    const request = new Request(`http://localhost${target}`, {
      method,
      headers: this.headersOf(method, target, sent),
      ...(sent.body === undefined ? {} : { body: bytesOf(sent.body), duplex: 'half' }),
      ...(signal === undefined ? {} : { signal }),
    });
    return this.server.fetch(request, {});
  }

  /** Sends what must be refused: throws when the answer is no error or when anything has changed by it. */
  async refused(method: string, path: string, sent: Sent = {}): Promise<Refused> {
    const before = this.state();
    const { status, body, headers } = await this.call(method, path, sent);
    if (status < 400) throw new Error(`Expected a refusal; got ${status}.`);
    if (body.error.request_id !== headers.get('x-request-id')) throw new Error('The request ids differ.');
    if (!isDeepStrictEqual(this.state(), before)) throw new Error('The refused request changed the world.');
    return { status, ...body.error };
  }

  /** The whole world, without the nonces that were used up. */
  state() {
    const { apps, ...world } = exportWorld(this.sandbox.world);
    return { ...world, apps: apps.map(({ nonces: _nonces, ...app }) => app) };
  }

  headersOf(method: string, target: string, { body, sign, caller, headers = {} }: Sent) {
    const { token, signingSecret } = caller ?? WELL_KNOWN_CREDENTIALS;
    const isSigned = sign ?? (method === 'POST' && caller !== null);
    const all: Record<string, string | null> = {
      authorization: caller === null ? null : `Bearer ${token}`,
      'content-type': body === undefined ? null : 'application/json',
      ...(isSigned === false
        ? {}
        : this.#signature(method, target, body, signingSecret, isSigned === true ? {} : isSigned)),
      ...headers,
    };
    return Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null),
    );
  }

  #signature(method: string, target: string, body: unknown, secret: string, chosen: Signature) {
    this.#nonces += 1;
    return signRequest({
      method,
      target,
      secret,
      timestampS: Math.floor(this.real.nowMs / 1000),
      nonce: `nonce-${String(this.#nonces).padStart(12, '0')}`,
      ...chosen,
      body: Buffer.from(bytesOf(chosen.body ?? body)),
    }).headers;
  }
}

function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  if (body === undefined) return new Uint8Array();
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Starts a sandbox with frozen clocks, a fixed seed, and every host name public; it is closed when the test is over. */
export async function testApi(options: ServerOptions = {}): Promise<TestApi> {
  const real = { nowMs: START_MS };
  const server = await startServer({
    seed: 'http',
    freezeAt: START_MS,
    realNow: () => real.nowMs,
    policy: {
      routes: new Map([['https://refused.example', 'http://127.0.0.1:1']]),
      allowLocalEndpoints: false,
      resolve: () => Promise.resolve([{ address: '93.184.216.34', family: 4 }]),
    },
    ...options,
    assume: { 'charge.qr_image': 'omit', ...options.assume },
  });
  onTestFinished(() => server.close(0));
  return new TestApi(server, real);
}

/** A test that asks for `api` starts a sandbox of its own. */
export const test = vitestTest.extend<{ readonly api: TestApi }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads a fixture's dependencies from its pattern.
  api: async ({}, use) => use(await testApi()),
});

/** The body of a charge that is accepted. */
export function chargeBody(fields: object = {}): Record<string, unknown> {
  return { code: 'order-1', account_id: ACCOUNT_ID, amount: '10.00', ...fields };
}

/** Another application, with these scopes or all. */
export async function otherApp(api: TestApi, fields: object = {}): Promise<Caller & { accountId: string }> {
  const { body, status } = await api.control('POST', 'apps', fields);
  expect(status).toBe(201);
  return {
    token: String(body.token),
    signingSecret: String(body.signing_secret),
    accountId: String(body.account_id),
  };
}
