/// <reference lib="esnext.disposable" preserve="true" />

/** Uses the compiling project's fetch types (DOM, Node or other), with minimal types as a fallback. */

export interface HeadersLike {
  get(name: string): string | null;
}

export interface BodyLike {
  readonly headers: HeadersLike;
  arrayBuffer(): Promise<ArrayBuffer>;
  json(): Promise<unknown>;
  text(): Promise<string>;
}

export interface RequestLike extends BodyLike {
  readonly method: string;
  readonly url: string;
}

export interface ResponseLike extends BodyLike {
  readonly ok: boolean;
  readonly status: number;
}

export interface RequestInitLike {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type GlobalUrl = typeof globalThis extends { URL: { prototype: infer Type } }
  ? Type
  : { readonly href: string };
export type GlobalRequest = typeof globalThis extends { Request: { prototype: infer Type } }
  ? Type
  : RequestLike;
export type GlobalResponse = typeof globalThis extends { Response: { prototype: infer Type } }
  ? Type
  : ResponseLike;
export type GlobalRequestInit = typeof globalThis extends {
  Request: new (input: never, init?: infer Type) => unknown;
}
  ? Type
  : RequestInitLike;
