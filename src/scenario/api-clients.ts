import {
  CONTROL_PATH,
  ControlClient,
  createFetchTransport,
  NotReachableError,
  SandboxError,
} from '../client/control.js';
import type { AssumptionLine } from '../contract/assumptions.js';
import { resolveScheme } from '../contract/request-scheme.js';
import { shortenSessionIds } from '../core/identity/session.js';
import type { ErrorBody } from '../http/shared/response.js';
import type { SandboxServer } from '../http/server/start.js';
import { signRequest } from '../signing/request.js';
import { SENDER_HEADER, formatScenarioSender } from '../text/exchange/present-exchange.js';
import { parseJson } from '../text/json.js';

/** A scenario's sandbox, accessed only over HTTP. */
export interface Target {
  /** Sends a request to a path with an optional query. Like global fetch, rejects if no response arrives. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  readonly env: Readonly<Record<string, string>>;
  /** Sent with requests to the control API. */
  readonly controlToken?: string | undefined;
}

export function createInProcessTarget({
  url,
  env,
  fetch,
  controlToken,
}: Pick<SandboxServer, 'url' | 'env' | 'fetch'> & Pick<Target, 'controlToken'>): Target {
  return { env, controlToken, fetch: async (path, init) => fetch(new Request(new URL(path, url), init), {}) };
}

const WEBHOOK_SECRET = /whsec_[\w+/=]+/g;

export class StepFailure extends Error {
  readonly reasons: readonly string[];

  constructor(...reasons: readonly string[]) {
    const shown = reasons.map((reason) => shortenSessionIds(reason).replaceAll(WEBHOOK_SECRET, 'whsec_…'));
    super(shown.join('\n'));
    this.name = 'StepFailure';
    this.reasons = shown;
  }
}

/** Creates a step failure from an error response. */
export function createStepFailure(what: string, status: number, body: unknown): StepFailure {
  const { error } = (body ?? {}) as Partial<ErrorBody>;
  if (error === undefined) return new StepFailure(`${what} returned ${status}.`);
  return new StepFailure(
    `${what} returned ${status} ${error.code}: ${error.message}`,
    ...error.details.map(({ field, message }) => `  ${field}: ${message}`),
    ...(error.hint === undefined ? [] : [error.hint]),
  );
}

/** Converts control API errors and missing responses to step failures. Returns other errors unchanged. */
export function toStepFailure(error: unknown): unknown {
  if (error instanceof SandboxError)
    return createStepFailure(error.request, error.status, { error: error.body });
  if (!(error instanceof NotReachableError)) return error;
  const { cause } = error;
  return new StepFailure(
    `The sandbox does not respond: ${cause instanceof Error ? cause.message : String(cause)}`,
  );
}

/** A request from the application, or from the tester if the path belongs to the control API. */
interface AppCall {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly nonce?: string | undefined;
  /** Set to false to omit the token and signature. */
  readonly signed?: boolean | undefined;
}

const IDENTITY = '/api/v1/kyc/';
/** Placeholder origin for parsing paths; no request is sent there. */
const ANY_ORIGIN = 'http://sandbox.localhost';

/** Sends requests to the service's APIs as the application, and to the control API as the tester. */
export class ApiClients {
  readonly env: Target['env'];
  readonly control: ControlClient;
  readonly #target: Target;
  readonly #signal: AbortSignal | undefined;
  readonly #name: string | undefined;
  #register: readonly AssumptionLine[] | undefined;

  /** `name` is the scenario's name in the timeline. */
  constructor(target: Target, signal?: AbortSignal, name?: string) {
    this.#target = target;
    this.#name = name;
    this.env = target.env;
    this.#signal = signal;
    this.control = new ControlClient(
      createFetchTransport(ANY_ORIGIN, (path, init) => this.#send(path, init)),
    );
  }

  async assumptions(): Promise<readonly AssumptionLine[]> {
    this.#register ??= (await this.control.get('assumptions')).data;
    return this.#register;
  }

  /** Sends a signed request with the application's token. Resolves to undefined if the response was lost. */
  async call(call: AppCall): Promise<{ readonly status: number; readonly body: unknown } | undefined> {
    const { target, init } = await this.#signed(call).catch((error: unknown) => {
      throw new StepFailure(error instanceof Error ? error.message : String(error));
    });
    try {
      const response = await this.#send(target, init);
      const text = await response.text();
      return { status: response.status, body: parseJson(text, text) };
    } catch {
      this.#signal?.throwIfAborted();
      // A missing response counts as lost only if the sandbox is still running.
      await this.control.get('livez');
      return undefined;
    }
  }

  async #signed({ method, path, body: json, headers: own = {}, nonce, signed }: AppCall) {
    const { pathname, search } = new URL(path, ANY_ORIGIN);
    const target = pathname + search;
    const body = json === undefined ? undefined : JSON.stringify(json);
    const isOpen = signed === false || target.startsWith(CONTROL_PATH);
    const headers = new Headers(isOpen ? {} : await this.#credentials({ method, target, nonce }, body ?? ''));
    if (body !== undefined) headers.set('content-type', 'application/json');
    for (const [name, value] of Object.entries(own)) headers.set(name, value);
    return { target, init: { method, headers, ...(body === undefined ? {} : { body }) } };
  }

  async #credentials(
    { method, target, nonce }: { method: string; target: string; nonce: string | undefined },
    body: string,
  ): Promise<Record<string, string>> {
    const { SANDBOX_TOKEN, SANDBOX_KYC_TOKEN, SANDBOX_SIGNING_SECRET: secret = '' } = this.env;
    if (target.startsWith(IDENTITY)) return { authorization: `Bearer ${SANDBOX_KYC_TOKEN}` };
    const authorization = `Bearer ${SANDBOX_TOKEN}`;
    if (method === 'GET') return { authorization };
    const register = await this.assumptions();
    const scheme = resolveScheme((id) => register.find((one) => one.id === id)?.value);
    const timestampS = Math.floor(Date.now() / 1000);
    const own = nonce === undefined ? {} : { nonce };
    const { headers } = signRequest({
      method,
      target,
      body: Buffer.from(body),
      secret,
      timestampS,
      scheme,
      ...own,
    });
    return { authorization, ...headers };
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (path.startsWith(CONTROL_PATH)) {
      const { controlToken } = this.#target;
      if (controlToken !== undefined) headers.set('authorization', `Bearer ${controlToken}`);
      if (this.#name !== undefined && !headers.has(SENDER_HEADER))
        headers.set(SENDER_HEADER, formatScenarioSender(this.#name));
    }
    // Cleanup continues after an abort.
    const signal = init.signal ?? (init.method === 'DELETE' ? undefined : this.#signal);
    return this.#target.fetch(path, { ...init, headers, ...(signal === undefined ? {} : { signal }) });
  }
}
