import type { IncomingMessage, Server } from 'node:http';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { escapeControlCharacters } from '../../text/control-characters.js';
import { isLoopbackName } from '../../text/urls.js';
import type { RefusedRequest } from '../shared/request-record.js';
import { isConsoleRequest } from '../shared/surface.js';

/** Lets a server see every header line: by default Node silently drops those after the thousandth. */
export function allowAllHeaders<Opened extends Server>(server: Opened): Opened {
  server.maxHeadersCount = 0;
  return server;
}

/** Refuses with HEADERS_TOO_LARGE a request with too many header lines. */
export function guardHeaderCount({ rawHeaders }: IncomingMessage): Refusal | undefined {
  const count = rawHeaders.length / 2;
  if (count <= LIMITS.requestHeaders) return undefined;
  return new Refusal(
    'HEADERS_TOO_LARGE',
    `A request may have ${LIMITS.requestHeaders} header lines; this one has ${count}.`,
    { hint: 'Send fewer headers; headers added by a proxy count, too.' },
  );
}

/** Rules for admitting requests. */
export interface GuardPolicy {
  /** Host names in addition to the loopback ones, in lower case and without ports. */
  readonly allowedHosts: ReadonlySet<string>;
  /** Decides whether web pages of an origin may use the browser SDK; without it, none may. */
  readonly isRegisteredOrigin?: (origin: string) => boolean;
  /**
   * The only allowed origin, such as a tunnel's, instead of the names of this machine; its callers get
   * no hints. While it is undefined, every request is refused.
   */
  readonly publicOrigin?: (() => string | undefined) | undefined;
  /** The program as hints name it. */
  readonly program?: string | undefined;
  /** Called for every request refused before it reaches an API. */
  readonly onRefused?: ((refused: RefusedRequest) => void) | undefined;
}

/** Characters of a foreign header value in a message. */
const MOST_SHOWN = 80;
/** A name, with or without its final dot, or an address in brackets; then a port, which is ignored. */
const HOST = /^(\[[0-9a-f:.]+\]|[^:[\]@/\\\s]+?)\.?(?::\d{1,5})?$/;

// No target below can be mistaken for another path.
/** Loaded by pages of a registered origin. */
const SDK_TARGET = /^\/sdk\.js(?:\?|$)/;
/** Opened by other pages, and the target of its own forms. */
const FORM_TARGET = /^\/(?:start|session\/[\w-]+)(?:\?|$)/;
/** Readable by any page, such as an OpenAPI editor; it holds no secret. */
const DOCUMENT_TARGET = /^\/openapi\.json(?:\?|$)/;
/** Linked to by other pages, but never embedded; posts its own forms. */
const PAY_TARGET = /^\/pay\/[\w-]+(?:\/[\w-]+)?(?:\?|$)/;

/**
 * Checks every request before routing: against DNS rebinding, against web pages visited by a developer, and
 * against ambiguously parsed requests. Returns undefined if the request may pass.
 */
export function guardRequest(request: IncomingMessage, policy: GuardPolicy): Refusal | undefined {
  const refusal =
    guardHeaderCount(request) ??
    guardTarget(request) ??
    guardHost(request, policy) ??
    guardPage(request, policy) ??
    guardMediaType(request);
  if (refusal === undefined || policy.publicOrigin === undefined) return refusal;
  return new Refusal(refusal.code, refusal.message);
}

function guardTarget({ url = '' }: IncomingMessage): Refusal | undefined {
  if (url.startsWith('/')) return undefined;
  return new Refusal('INVALID_REQUEST', 'The request target must be a path that starts with /.');
}

function guardHost(
  { rawHeaders, headers }: IncomingMessage,
  { allowedHosts, publicOrigin }: GuardPolicy,
): Refusal | undefined {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && /^host$/i.test(name));
  if (hosts.length !== 1) return new Refusal('INVALID_REQUEST', 'Exactly one Host header is required.');
  const host = (headers.host ?? '').toLowerCase();
  if (publicOrigin !== undefined) {
    const origin = publicOrigin();
    if (origin !== undefined && new URL(origin).host === host) return undefined;
    return new Refusal('FORBIDDEN', 'The Host header is not the public one.');
  }
  const name = HOST.exec(host)?.[1];
  if (name !== undefined && (isLoopbackName(name) || allowedHosts.has(name))) return undefined;
  return new Refusal('FORBIDDEN', 'The Host header names neither this machine nor an allowed host.', {
    hint: 'Use localhost for the sandbox, or start it with --allow-host NAME.',
  });
}

/** Refuses requests of web pages of other origins, except for the targets above. */
function guardPage(request: IncomingMessage, policy: GuardPolicy): Refusal | undefined {
  const { method, headers, url = '' } = request;
  if ((method === 'GET' || method === 'HEAD') && DOCUMENT_TARGET.test(url)) return undefined;
  const { origin, host, 'sec-fetch-site': site } = headers;
  // Requests for images, scripts and links of other pages have no Origin, but would still be carried out.
  const isForeign = site === 'cross-site' || site === 'same-site';
  const isOpened = SDK_TARGET.test(url) || FORM_TARGET.test(url) || followsLink(request);
  if (!isForeign || isOpened) {
    const own = policy.publicOrigin === undefined ? `http://${host?.toLowerCase()}` : policy.publicOrigin();
    if (origin === undefined || origin.toLowerCase() === own) return undefined;
    if (SDK_TARGET.test(url)) {
      if (policy.isRegisteredOrigin?.(origin) === true) return undefined;
      return new Refusal('FORBIDDEN', 'Only web pages of registered origins may use the browser SDK.', {
        hint: 'Register the origin: `npx sandbox start --origin https://shop.example`.',
      });
    }
  }
  return new Refusal('FORBIDDEN', 'Web pages of other origins may not send requests to the sandbox.', {
    hint: 'Send requests from your server: tokens and signing secrets never belong in a browser.',
  });
}

/**
 * Recognizes a followed link, for example from a chat, to a console page, which contains no data, or to a
 * payment page.
 */
function followsLink({ method, headers, url = '' }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    (PAY_TARGET.test(url) || isConsoleRequest(url, method, headers))
  );
}

function guardMediaType({ headers, url = '' }: IncomingMessage): Refusal | undefined {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  const { 'content-type': declared } = headers;
  const contentType = declared ?? '';
  if (!hasBody || isJson(contentType)) return undefined;
  const isForm = /^application\/x-www-form-urlencoded *(?:;|$)/i.test(contentType);
  if (isForm && (FORM_TARGET.test(url) || PAY_TARGET.test(url))) return undefined;
  const received = declared === undefined ? 'the header is missing' : `received ${quoted(contentType)}`;
  const message = `A body must be declared as Content-Type: application/json; ${received}.`;
  return new Refusal('UNSUPPORTED_MEDIA_TYPE', message, {
    hint: 'Send the header Content-Type: application/json.',
  });
}

function quoted(value: string): string {
  const shown = escapeControlCharacters(value);
  return `"${shown.length > MOST_SHOWN ? `${shown.slice(0, MOST_SHOWN)}…` : shown}"`;
}

function isJson(contentType: string): boolean {
  const [type, ...parameters] = contentType.toLowerCase().split(';');
  if (type?.trim() !== 'application/json') return false;
  return parameters.every((parameter) => {
    const [name, value = ''] = parameter.split('=');
    return name?.trim() !== 'charset' || /^"?utf-?8"?$/.test(value.trim());
  });
}
