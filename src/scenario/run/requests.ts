import type { RegisterLine } from '../../contract/assumption-register.js';
import type { ErrorBody } from '../../http/operation/error-body.js';
import type { PageView } from '../../http/control/schema.js';
import type { RequestScheme } from '../../signing/request.js';
import { signRequest } from '../../signing/request.js';
import { StepFailure } from './failure.js';
import type { Target } from './target.js';
import { CONTROL } from './target.js';

/** A request of the application, or of the tester where its path is of the control API. */
export interface AppCall {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly nonce?: string | undefined;
  /** False sends neither token nor signature. */
  readonly signed?: boolean | undefined;
}

/** What came back. */
export interface Answered {
  readonly status: number;
  readonly body: unknown;
}

const IDENTITY = '/api/v1/kyc/';
const ROWS_PER_PAGE = 50;
/** A public address that no request is sent to; it only makes a path whole. */
const ANY_ORIGIN = 'http://sandbox.localhost';

/** The doors of a sandbox, as the application and as the tester. Whatever they refuse is a StepFailure. */
export class Doors {
  readonly env: Target['env'];
  /** The requests with which expectations look at the service's own API: nobody's code sent them. */
  readonly lookUps = new Set<string>();
  readonly #target: Target;
  readonly #signal: AbortSignal | undefined;
  #register: readonly RegisterLine[] | undefined;

  constructor(target: Target, signal?: AbortSignal) {
    this.#target = target;
    this.env = target.env;
    this.#signal = signal;
  }

  get<Body>(path: string): Promise<Body> {
    return this.#control('GET', path);
  }

  post<Body>(path: string, body: object = {}): Promise<Body> {
    return this.#control('POST', path, body);
  }

  delete<Body>(path: string): Promise<Body> {
    return this.#control('DELETE', path);
  }

  /** The rows of a control list, newest first, up to one that is known. */
  async newest<Row extends { readonly id: string }>(path: string, knownId?: string): Promise<Row[]> {
    const rows: Row[] = [];
    let after: string | null = null;
    do {
      const query: string = `?limit=${ROWS_PER_PAGE}${after === null ? '' : `&after=${encodeURIComponent(after)}`}`;
      const page: PageView<Row> = await this.get(path + query);
      for (const row of page.data) {
        if (row.id === knownId) return rows;
        rows.push(row);
      }
      ({ after } = page.paging);
    } while (after !== null);
    return rows;
  }

  /** What the sandbox assumes where the contract is open. */
  async assumptions(): Promise<readonly RegisterLine[]> {
    this.#register ??= (await this.get<{ data: readonly RegisterLine[] }>('assumptions')).data;
    return this.#register;
  }

  /** The stream that answers a post to the control API. */
  async open(path: string, body: object, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#send(CONTROL + path, { method: 'POST', ...asJson(body), signal });
    if (response.ok && response.body !== null) return response.body;
    throw refused(`POST ${CONTROL}${path}`, response.status, await bodyOf(response));
  }

  /** Calls the service as the application: with its token, and signed. Undefined when the answer was lost on the way. */
  async call(call: AppCall): Promise<Answered | undefined> {
    const response = await this.#asApp(call).catch((error: unknown) => this.#lost(error));
    if (response === undefined) return undefined;
    const body = await bodyOf(response).catch((error: unknown) => this.#lost(error));
    return body === undefined ? undefined : { status: response.status, body };
  }

  /** The same for a look that an expectation takes: its answer has to come. */
  async lookUp(path: string): Promise<Answered> {
    const response = await this.#asApp({ method: 'GET', path });
    this.lookUps.add(response.headers.get('x-request-id') ?? '');
    return { status: response.status, body: await bodyOf(response) };
  }

  async #asApp(call: AppCall): Promise<Response> {
    const { target, init } = await this.#request(call).catch((error: unknown) => {
      throw error instanceof StepFailure ? error : new StepFailure(messageOf(error));
    });
    return this.#send(target, init);
  }

  async #request(call: AppCall): Promise<{ target: string; init: RequestInit }> {
    const { pathname, search } = new URL(call.path, ANY_ORIGIN);
    const target = pathname + search;
    const body = call.body === undefined ? '' : JSON.stringify(call.body);
    const headers = new Headers(await this.#credentials(call, target, Buffer.from(body)));
    if (body !== '') headers.set('content-type', 'application/json');
    for (const [name, value] of Object.entries(call.headers ?? {})) headers.set(name, value);
    return { target, init: { method: call.method, headers, ...(body === '' ? {} : { body }) } };
  }

  async #credentials(call: AppCall, target: string, body: Buffer): Promise<Record<string, string>> {
    if (call.signed === false || target.startsWith(CONTROL)) return {};
    const { SANDBOX_TOKEN, SANDBOX_KYC_TOKEN, SANDBOX_SIGNING_SECRET = '' } = this.env;
    if (target.startsWith(IDENTITY)) return { authorization: `Bearer ${SANDBOX_KYC_TOKEN}` };
    const authorization = `Bearer ${SANDBOX_TOKEN}`;
    if (call.method === 'GET') return { authorization };
    const { headers } = signRequest({
      method: call.method,
      target,
      body,
      secret: SANDBOX_SIGNING_SECRET,
      timestampS: Math.floor(Date.now() / 1000),
      scheme: await this.#scheme(),
      ...(call.nonce === undefined ? {} : { nonce: call.nonce }),
    });
    return { authorization, ...headers };
  }

  /** How requests are signed here, by assumption. */
  async #scheme(): Promise<Partial<RequestScheme>> {
    const register = await this.assumptions();
    const is = (id: string, value: string) => register.some((one) => one.id === id && one.value === value);
    return {
      ...(is('signature.encoding', 'base64') ? { signatureEncoding: 'base64' } : {}),
      ...(is('signature.digest_encoding', 'base64') ? { digestEncoding: 'base64' } : {}),
      ...(is('signature.path', 'target') ? { pathForm: 'target' } : {}),
    };
  }

  /** An answer that did not come is lost only if the sandbox is still there. */
  async #lost(error: unknown): Promise<undefined> {
    if (error instanceof StepFailure) throw error;
    this.#signal?.throwIfAborted();
    await this.get('livez');
  }

  async #control<Body>(method: string, path: string, body?: object): Promise<Body> {
    const sent = body === undefined ? {} : asJson(body);
    const response = await this.#send(CONTROL + path, { method, ...sent });
    const answer = await bodyOf(response);
    if (response.ok) return answer as Body;
    throw refused(`${method} ${CONTROL}${path}`, response.status, answer);
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    // What a scenario added is taken away also when it was told to stop.
    const signal = init.signal ?? (init.method === 'DELETE' ? undefined : this.#signal);
    try {
      return await this.#target.fetch(path, signal === undefined ? init : { ...init, signal });
    } catch (error) {
      this.#signal?.throwIfAborted();
      if (path.startsWith(CONTROL)) throw new StepFailure(`The sandbox does not answer: ${messageOf(error)}`);
      throw error;
    }
  }
}

function asJson(body: object) {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** What the sandbox said no to, and why, as it says it itself. */
export function refused(what: string, status: number, body: unknown): StepFailure {
  const { error } = (body ?? {}) as Partial<ErrorBody>;
  if (error === undefined) return new StepFailure(`${what} was answered ${status}.`);
  const details = error.details.map(({ field, message }) => `  ${field}: ${message}`);
  const hint = error.hint === undefined ? [] : [error.hint];
  return new StepFailure(
    `${what} was answered ${status} ${error.code}: ${error.message}`,
    ...details,
    ...hint,
  );
}

/** A path below the control API, whose parts may hold any character. */
export function pathOf(...parts: readonly string[]): string {
  return parts.map(encodeURIComponent).join('/');
}
