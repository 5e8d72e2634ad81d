import {
  CONTROL,
  ControlClient,
  NotReachableError,
  SandboxError,
  fetchTransport,
} from '../client/control.js';
import type { SandboxServer } from '../http/server/start.js';
import { shortenSessionIds } from '../core/identity/session.js';
import type { ErrorBody } from '../http/operation/error-body.js';
import type { RegisterLine } from '../contract/assumption-register.js';
import { assumedScheme } from '../contract/request-scheme.js';
import { signRequest } from '../signing/request.js';
import { SENDER_HEADER, scenarioSender } from '../text/exchange/shown.js';

/** A sandbox that a scenario runs against, through its doors alone. */
export interface Target {
  /** Answers a request to a path with its query. Rejects when no answer comes, as global fetch does. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  readonly env: Readonly<Record<string, string>>;
  /** Accompanies requests for the control API. */
  readonly controlToken?: string | undefined;
}

/** A sandbox in this process. */
export function inProcess({
  url,
  env,
  fetch,
  controlToken,
}: Pick<SandboxServer, 'url' | 'env' | 'fetch'> & Pick<Target, 'controlToken'>): Target {
  return { env, controlToken, fetch: async (path, init) => fetch(new Request(new URL(path, url), init), {}) };
}

const WEBHOOK_SECRET = /whsec_[\w+/=]+/g;

/** A step failed: why, in one or more lines, without the secrets that answers and paths may hold. */
export class StepFailure extends Error {
  readonly reasons: readonly string[];

  constructor(...reasons: readonly string[]) {
    const shown = reasons.map((reason) => shortenSessionIds(reason).replaceAll(WEBHOOK_SECRET, 'whsec_…'));
    super(shown.join('\n'));
    this.name = 'StepFailure';
    this.reasons = shown;
  }
}

/** What was refused, and why, in the sandbox's own words. */
export function refused(what: string, status: number, body: unknown): StepFailure {
  const { error } = (body ?? {}) as Partial<ErrorBody>;
  if (error === undefined) return new StepFailure(`${what} was answered ${status}.`);
  return new StepFailure(
    `${what} was answered ${status} ${error.code}: ${error.message}`,
    ...error.details.map(({ field, message }) => `  ${field}: ${message}`),
    ...(error.hint === undefined ? [] : [error.hint]),
  );
}

/** Turns a refusal of the control API, or its silence, into a step failure; any other error is returned unchanged. */
export function asFailure(error: unknown): unknown {
  if (error instanceof SandboxError) return refused(error.request, error.status, { error: error.body });
  if (!(error instanceof NotReachableError)) return error;
  const { cause } = error;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new StepFailure(`The sandbox does not answer: ${why}`);
}

/** A request of the application, or of the tester where its path is in the control API. */
interface AppCall {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly nonce?: string | undefined;
  /** False sends neither token nor signature. */
  readonly signed?: boolean | undefined;
}

export interface Answered {
  readonly status: number;
  readonly body: unknown;
}

const IDENTITY = '/api/v1/kyc/';
/** A placeholder origin to complete a path; no request is sent to it. */
const ANY_ORIGIN = 'http://sandbox.localhost';

/** The doors of a sandbox: the service as its application calls it, and the control API as the tester does. */
export class Doors {
  readonly env: Target['env'];
  readonly control: ControlClient;
  /** The requests that expectations send to the service, which do not count as calls of the integrator. */
  readonly lookUps = new Set<string>();
  readonly #target: Target;
  readonly #signal: AbortSignal | undefined;
  readonly #name: string | undefined;
  #register: readonly RegisterLine[] | undefined;

  /** `name` is that of the scenario, which the timeline shows. */
  constructor(target: Target, signal?: AbortSignal, name?: string) {
    this.#target = target;
    this.#name = name;
    this.env = target.env;
    this.#signal = signal;
    this.control = new ControlClient(fetchTransport(ANY_ORIGIN, (path, init) => this.#send(path, init)));
  }

  /** What the sandbox assumes where the contract is open. */
  async assumptions(): Promise<readonly RegisterLine[]> {
    this.#register ??= (await this.control.get('assumptions')).data;
    return this.#register;
  }

  /**
   * Calls the service as the application: with its token, and signed. Undefined when the answer was lost on
   * the way.
   */
  async call(call: AppCall): Promise<Answered | undefined> {
    const response = await this.#asApp(call).catch((error: unknown) => this.#lost(error));
    if (response === undefined) return undefined;
    const body = await bodyOf(response).catch((error: unknown) => this.#lost(error));
    return body === undefined ? undefined : { status: response.status, body };
  }

  /** The same for a request by an expectation: an answer is required. */
  async lookUp(path: string): Promise<Answered> {
    const response = await this.#asApp({ method: 'GET', path });
    this.lookUps.add(response.headers.get('x-request-id') ?? '');
    return { status: response.status, body: await bodyOf(response) };
  }

  async #asApp(call: AppCall): Promise<Response> {
    const { target, init } = await this.#request(call).catch((error: unknown) => {
      if (error instanceof StepFailure) throw error;
      throw new StepFailure(error instanceof Error ? error.message : String(error));
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
    const register = await this.assumptions();
    const { headers } = signRequest({
      method: call.method,
      target,
      body,
      secret: SANDBOX_SIGNING_SECRET,
      timestampS: Math.floor(Date.now() / 1000),
      scheme: assumedScheme((id) => register.find((one) => one.id === id)?.value),
      ...(call.nonce === undefined ? {} : { nonce: call.nonce }),
    });
    return { authorization, ...headers };
  }

  /** A missing answer counts as lost only if the sandbox still runs. */
  async #lost(error: unknown): Promise<undefined> {
    if (error instanceof StepFailure) throw error;
    this.#signal?.throwIfAborted();
    await this.control.get('livez');
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (path.startsWith(CONTROL)) {
      const { controlToken } = this.#target;
      if (controlToken !== undefined) headers.set('authorization', `Bearer ${controlToken}`);
      if (this.#name !== undefined && !headers.has(SENDER_HEADER))
        headers.set(SENDER_HEADER, scenarioSender(this.#name));
    }
    // What a scenario added is removed also when it was aborted.
    const signal = init.signal ?? (init.method === 'DELETE' ? undefined : this.#signal);
    return this.#target.fetch(path, { ...init, headers, ...(signal === undefined ? {} : { signal }) });
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
