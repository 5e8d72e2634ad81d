import type { IncomingMessage, Server } from 'node:http';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { escapeControlCharacters } from '../../text/control-characters.js';
import { isLoopbackName } from '../../text/urls.js';
import type { RefusedRequest } from '../shared/request-record.js';
import { isConsoleRequest } from '../shared/surface.js';

/** Disables Node's default limit, which silently drops header lines after the thousandth. */
export function allowAllHeaders<Opened extends Server>(server: Opened): Opened {
  server.maxHeadersCount = 0;
  return server;
}

/** Returns HEADERS_TOO_LARGE for a request with too many header lines. */
export function guardHeaderCount({ rawHeaders }: IncomingMessage): Refusal | undefined {
  const count = rawHeaders.length / 2;
  if (count <= LIMITS.requestHeaders) return undefined;
  return new Refusal(
    'HEADERS_TOO_LARGE',
    `A request can have at most ${LIMITS.requestHeaders} header lines; received ${count}.`,
    { hint: 'Send fewer headers; headers added by a proxy also count.' },
  );
}

/** Rules for admitting requests. */
export interface GuardPolicy {
  /** Allowed host names in addition to loopback, lowercase and without ports. */
  readonly allowedHosts: ReadonlySet<string>;
  /** Returns true if web pages from an origin can use the browser SDK. By default, no origin can. */
  readonly isRegisteredOrigin?: (origin: string) => boolean;
  /**
   * The only allowed origin, e.g. a tunnel's origin. Every request is rejected while this is undefined.
   * Clients of this origin get no hints.
   */
  readonly publicOrigin?: (() => string | undefined) | undefined;
  /** Program name in hints. */
  readonly program?: string | undefined;
  /** Called for every request rejected before it reaches an API. */
  readonly onRefused?: ((refused: RefusedRequest) => void) | undefined;
}

/** Maximum length of a header value in a message. */
const MOST_SHOWN = 80;
/** A host name with an optional final dot, or an address in brackets, followed by an optional port. */
const HOST = /^(\[[0-9a-f:.]+\]|[^:[\]@/\\\s]+?)\.?(?::\d{1,5})?$/;

// Each pattern below matches only its own path.
/** Loaded by pages from registered origins. */
const SDK_TARGET = /^\/sdk\.js(?:\?|$)/;
/** Opened by other pages; its forms post to the same path. */
const FORM_TARGET = /^\/(?:start|session\/[\w-]+)(?:\?|$)/;
/** Readable by any page, e.g. an OpenAPI editor; contains no secrets. */
const DOCUMENT_TARGET = /^\/openapi\.json(?:\?|$)/;
/** Linked from other pages, but never embedded; its forms post to the same path. */
const PAY_TARGET = /^\/pay\/[\w-]+(?:\/[\w-]+)?(?:\?|$)/;

/**
 * Checks every request before routing, to prevent DNS rebinding, cross-origin requests and ambiguous parsing.
 * Returns undefined for an admitted request.
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
    return new Refusal('FORBIDDEN', 'The Host header does not match the public origin.');
  }
  const name = HOST.exec(host)?.[1];
  if (name !== undefined && (isLoopbackName(name) || allowedHosts.has(name))) return undefined;
  return new Refusal('FORBIDDEN', 'The Host header is neither loopback nor an allowed host.', {
    hint: 'Use localhost for the sandbox, or start it with --allow-host NAME.',
  });
}

/** Rejects requests from web pages of other origins, except to the targets above. */
function guardPage(request: IncomingMessage, policy: GuardPolicy): Refusal | undefined {
  const { method, headers, url = '' } = request;
  if ((method === 'GET' || method === 'HEAD') && DOCUMENT_TARGET.test(url)) return undefined;
  const { origin, host, 'sec-fetch-site': site } = headers;
  // Images, scripts and links on other pages cause requests without an Origin header.
  const isForeign = site === 'cross-site' || site === 'same-site';
  const isOpened = SDK_TARGET.test(url) || FORM_TARGET.test(url) || followsLink(request);
  if (!isForeign || isOpened) {
    const own = policy.publicOrigin === undefined ? `http://${host?.toLowerCase()}` : policy.publicOrigin();
    if (origin === undefined || origin.toLowerCase() === own) return undefined;
    if (SDK_TARGET.test(url)) {
      if (policy.isRegisteredOrigin?.(origin) === true) return undefined;
      return new Refusal('FORBIDDEN', 'Only web pages from registered origins can use the browser SDK.', {
        hint: 'Register the origin: `npx sandbox start --origin https://shop.example`.',
      });
    }
  }
  return new Refusal('FORBIDDEN', 'Web pages from other origins cannot send requests to the sandbox.', {
    hint: 'Send requests from your server: tokens and signing secrets never belong in a browser.',
  });
}

/**
 * Returns true if the user followed a link, e.g. from a chat, to a payment page or to a console page. Console
 * pages contain no data.
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
  const message = `The request body requires Content-Type: application/json; ${received}.`;
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
