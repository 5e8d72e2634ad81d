import { randomUUID } from 'node:crypto';
import { isObject } from '../schema/object.js';
import type { JsonSchema } from '../schema/schema.js';
import { API_PREFIX, IDENTITY_PREFIX } from '../http/shared/surface.js';
import type { RequestObservation } from './compare.js';
import type { FactId } from './facts.js';
import type { Implementation, ParityRequest } from './implementation.js';
import { addAllowedTokens, normalizeResponse, type ParityResponse, type Tokens } from './normalize.js';
import { signProbe, type ProbeScheme } from './sign.js';

/** Everything known about an implementation. Contains no secrets, but ids of created resources. */
export interface Observations {
  /** Normalized responses by request. */
  readonly requests: Record<string, RequestObservation>;
  readonly notes: Record<string, string>;
  /** Why a fact is unknown, by fact. */
  readonly unknown: Partial<Record<FactId, string>>;
  /** Ids of the questions that were asked completely. */
  readonly asked: string[];
}

export function createObservations(): Observations {
  return { requests: {}, notes: {}, unknown: {}, asked: [] };
}

interface Ask {
  readonly fact: FactId;
  /** Name of the request in reports: the method and the path without the version prefix. */
  readonly name: string;
  readonly api?: ParityRequest['api'];
  readonly path: string;
  readonly method?: ParityRequest['method'];
  /** Bearer token, which can get 403; null sends none. The application's own token by default. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | undefined;
  readonly expects?: ParityRequest['expects'];
  readonly signs?: Partial<ProbeSignature> | undefined;
  readonly onSend?: () => void;
  /** Fields sent, and values expected to stay the same. */
  readonly sent?: object;
  readonly schema?: JsonSchema | undefined;
  /** Set for requests whose response is only noted. */
  readonly isUnrecorded?: boolean;
}

/** Input of a probe signature. */
interface ProbeSignature {
  readonly scheme: ProbeScheme;
  readonly timestampS: number;
  readonly nonce: string;
  readonly secret: string;
}

/** Sends requests to one implementation, and records the normalized responses. */
export class Observer {
  readonly of: Implementation;
  readonly isSandbox: boolean;
  readonly #all: Observations;

  constructor(of: Implementation, all: Observations, isSandbox: boolean) {
    this.of = of;
    this.isSandbox = isSandbox;
    this.#all = all;
  }

  get notes(): Readonly<Record<string, string | undefined>> {
    return this.#all.notes;
  }

  note(name: string, value: string | undefined): void {
    if (value !== undefined) this.#all.notes[name] = value;
  }

  /** Records why facts are unknown. The first reason is final. */
  giveUp(reason: string, ...facts: readonly FactId[]): void {
    for (const fact of facts) this.#all.unknown[fact] ??= reason;
  }

  /** Records a property of a response that its tokens do not show. */
  relate(request: string, place: string, token: string | undefined): void {
    const observation = this.#all.requests[request];
    if (observation === undefined || token === undefined) return;
    this.#all.requests[request] = { ...observation, tokens: { ...observation.tokens, [place]: token } };
  }

  async ask(question: Ask): Promise<ParityResponse> {
    const { fact, name, api = 'payments', path, method = 'GET', token, body, signs, sent = {} } = question;
    const { credentials } = this.of;
    const bearer =
      token === undefined ? (api === 'identity' ? credentials.kycToken : credentials.tokens[0]) : token;
    const target = `${api === 'identity' ? IDENTITY_PREFIX : API_PREFIX}${path}`;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const signature = signs && signProbe({ method, target, body: text ?? '', ...this.#signature(signs) });
    const response = await this.of.send({
      api,
      method,
      target,
      headers: {
        accept: 'application/json',
        ...(bearer === null || bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
        ...signature,
        ...question.headers,
      },
      body: text,
      expects: question.expects ?? 'read',
      isSigned: signs !== undefined,
      allows403: token !== undefined,
      onSend: question.onSend,
    });
    if (question.isUnrecorded) return response;
    const tokens = normalizeResponse(response, sent);
    const { schema } = question;
    const isGood = response.status < 300;
    this.#all.requests[name] = {
      fact,
      tokens: this.isSandbox && schema !== undefined && isGood ? addAllowedTokens(tokens, schema) : tokens,
    };
    return response;
  }

  /** Records a message that was not the response to a request. */
  record(name: string, fact: FactId, tokens: Tokens): void {
    this.#all.requests[name] = { fact, tokens };
  }

  /** Removes the recorded response to a request that shows nothing. */
  forget(name: string): void {
    delete this.#all.requests[name];
  }

  #signature(signs: Partial<ProbeSignature>): ProbeSignature {
    return {
      scheme: readScheme(this.notes),
      timestampS: this.of.nowS(),
      nonce: randomUUID(),
      secret: this.of.credentials.signingSecret,
      ...signs,
    };
  }
}

/** Returns the signing scheme that the notes determine; the documented one by default. */
export function readScheme(notes: Readonly<Record<string, string | undefined>>): ProbeScheme {
  return {
    signature: notes['signature.encoding'] === 'base64' ? 'base64' : 'hex',
    digest: notes['signature.digest_encoding'] === 'base64' ? 'base64' : 'hex',
    emptyDigest: notes['empty digest'] === 'none' ? 'none' : 'digest',
    path: notes['signature.path'] === 'target' ? 'target' : 'path',
  };
}

/** Returns the items of a page of results (§2.6); no items for any other body. */
export function readItems({ body }: ParityResponse): readonly Readonly<Record<string, unknown>>[] {
  const data = isObject(body) ? body['data'] : undefined;
  return Array.isArray(data) ? data.filter(isObject) : [];
}

export function readCursor({ body }: ParityResponse, name: 'after' | 'before'): string | undefined {
  const paging = isObject(body) ? body['paging'] : undefined;
  const cursor = isObject(paging) ? paging[name] : undefined;
  return typeof cursor === 'string' && cursor !== '' ? cursor : undefined;
}

/** Parses an instant. Returns NaN for any other value. */
export function readInstant(value: unknown): number {
  return typeof value === 'string' ? Date.parse(value) : Number.NaN;
}

/** Encodes an id or cursor for a URL. Replaces lone surrogates, which cannot be encoded. */
export function encodeText(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'));
}

export function readField({ body }: ParityResponse, name: string): unknown {
  return isObject(body) ? body[name] : undefined;
}
