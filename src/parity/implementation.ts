import type { ParityResponse } from './normalize.js';

/** Thrown if no further request may be sent. The message states what happened, also what was created. */
export class ProbeStop extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.name = 'ProbeStop';
    this.hint = hint;
  }
}

/** Thrown before a request that is not allowed; the message is the reason why facts remain unknown. */
export class RequestNotAllowed extends Error {}

/** A request to an implementation. */
export interface ParityRequest {
  readonly api: 'payments' | 'identity';
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** `refusal` stops the run on a 2xx response; `creation` expects one. */
  readonly expects: 'read' | 'refusal' | 'creation';
  /** Set if the response shows whether a signature is accepted. */
  readonly isSigned?: boolean | undefined;
  /** Set if 403 is one of the expected responses. */
  readonly allows403?: boolean | undefined;
  /** Called immediately before the request is sent. */
  readonly onSend?: (() => void) | undefined;
}

/** Credentials of one application. The first token is the application's own. */
export interface ProbeCredentials {
  readonly tokens: readonly [string, ...string[]];
  readonly signingSecret: string;
  readonly accountId: string;
  readonly kycToken: string | undefined;
}

/** A webhook attempt received from an implementation. */
export interface ReceivedWebhook {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Real time in milliseconds. */
  readonly atMs: number;
}

/** An endpoint URL under the control of the probe. */
export interface WebhookSource {
  readonly url: string;
  /** Waits for the next attempt; resolves to undefined if none arrives in time. */
  readonly next: () => Promise<ReceivedWebhook | undefined>;
  /** Has a charge paid: by the user, or in the sandbox by the control API. */
  readonly pay: () => Promise<void>;
  /** Waits for the retry of the first attempt, which failed. In the sandbox, advances the clock. */
  readonly awaitRetry: () => Promise<
    { readonly webhook: ReceivedWebhook; readonly waitedMs: number } | undefined
  >;
}

/** An implementation of the service: the other one, or this sandbox in process. */
export interface Implementation {
  readonly credentials: ProbeCredentials;
  readonly send: (request: ParityRequest) => Promise<ParityResponse>;
  /** Current time in Unix seconds on the implementation’s clock, for signatures. */
  readonly nowS: () => number;
  /** Difference between both clocks in seconds; undefined if unknown. */
  readonly skewS: () => number | undefined;
  /** Remaining requests and refused signatures; infinite in process. */
  readonly remaining: () => { readonly requests: number; readonly refusedSignatures: number };
  readonly webhooks?: WebhookSource | undefined;
}
