import type { IncomingMessage, Server } from 'node:http';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { harmless } from '../../text/harmless.js';
import { isLoopbackName } from '../../text/urls.js';
import { isConsoleRequest } from '../operation/targets.js';
import type { Refusing } from './refuse.js';

/** Lets a server see every header line: by default Node silently drops those after the thousandth. */
export function seeAllHeaders<Opened extends Server>(server: Opened): Opened {
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
    { hint: 'Send fewer headers; those that a proxy adds count too.' },
  );
}

/** Which requests may reach the doors. */
export interface GuardPolicy extends Refusing {
  /** Host names besides the loopback ones, in lower case and without ports. */
  readonly allowedHosts: ReadonlySet<string>;
  /** Whether web pages of an origin may use the browser SDK; without it, no page may. */
  readonly isRegisteredOrigin?: (origin: string) => boolean;
  /**
   * The only origin of the doors, such as a tunnel's, instead of the names of this machine; its callers get
   * no hints. While it is undefined, every request is refused.
   */
  readonly publicOrigin?: (() => string | undefined) | undefined;
}

/** Characters of a foreign header value in a message. */
const MOST_SHOWN = 80;
/** A name, with or without its final dot, or an address in brackets; then a port, which is ignored. */
const HOST = /^(\[[0-9a-f:.]+\]|[^:[\]@/\\\s]+?)\.?(?::\d{1,5})?$/;

/**
 * Paths that pages of a registered origin load, and that hosted forms post to; none can be mistaken for
 * another path.
 */
const SDK_TARGET = /^\/sdk\.js(?:\?|$)/;
/** Paths that other pages open or load. */
const PAGE_TARGET = /^\/(?:sdk\.js|start|session\/[\w-]+)(?:\?|$)/;
/** Paths that any page may read, such as an OpenAPI editor; they hold no secret. */
const DOCUMENT_TARGET = /^\/openapi\.json(?:\?|$)/;
const FORM_TARGET = /^\/(?:start|session\/[\w-]+)(?:\?|$)/;
/** Pages that other pages link to, but never embed, and whose forms they post themselves. */
const PAY_TARGET = /^\/pay\/[\w-]+(?:\/[\w-]+)?(?:\?|$)/;

/**
 * Checks every request before routing: against DNS rebinding, against web pages that a developer happens to
 * visit, and against requests that parsers read differently. Undefined when the request may pass.
 */
export function guard(request: IncomingMessage, policy: GuardPolicy): Refusal | undefined {
  const refusal = refusalOf(request, policy);
  if (refusal === undefined || policy.publicOrigin === undefined) return refusal;
  return new Refusal(refusal.code, refusal.message);
}

function refusalOf(request: IncomingMessage, policy: GuardPolicy): Refusal | undefined {
  const tooMany = guardHeaderCount(request);
  if (tooMany !== undefined) return tooMany;
  const target = request.url ?? '';
  if (!target.startsWith('/')) {
    return new Refusal('INVALID_REQUEST', 'The request target must be a path that starts with /.');
  }
  return (
    guardHost(request, policy) ??
    (readsDocument(request.method, target)
      ? undefined
      : (guardSite(request) ?? guardOrigin(request, policy))) ??
    guardMediaType(request)
  );
}

function readsDocument(method: string | undefined, target: string): boolean {
  return (method === 'GET' || method === 'HEAD') && DOCUMENT_TARGET.test(target);
}

function guardHost(
  request: IncomingMessage,
  { allowedHosts, publicOrigin }: GuardPolicy,
): Refusal | undefined {
  if (countHosts(request.rawHeaders) !== 1) {
    return new Refusal('INVALID_REQUEST', 'Exactly one Host header is required.');
  }
  const host = (request.headers.host ?? '').toLowerCase();
  if (publicOrigin !== undefined) {
    const origin = publicOrigin();
    if (origin !== undefined && new URL(origin).host === host) return undefined;
    return new Refusal('FORBIDDEN', 'The Host header is not the public one.');
  }
  const name = HOST.exec(host)?.[1];
  if (name !== undefined && (isLoopbackName(name) || allowedHosts.has(name))) return undefined;
  return new Refusal('FORBIDDEN', 'The Host header names neither this machine nor an allowed host.', {
    hint: 'Call the sandbox as localhost, or start it with --allow-host NAME.',
  });
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/** Requests for images, scripts and links of other pages have no Origin, but would still be carried out. */
function guardSite(request: IncomingMessage): Refusal | undefined {
  const { headers, url = '' } = request;
  const site = headers['sec-fetch-site'];
  if ((site !== 'cross-site' && site !== 'same-site') || PAGE_TARGET.test(url)) return undefined;
  return followsLink(request) ? undefined : foreignPage();
}

/**
 * A link that a person follows, from a chat or a document, to a page of the console, which holds no data, or
 * to a pay page.
 */
function followsLink({ method, headers, url = '' }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    (PAY_TARGET.test(url) || isConsoleRequest(url, method, headers))
  );
}

function foreignPage(): Refusal {
  return new Refusal('FORBIDDEN', 'Web pages of other origins may not call the sandbox.', {
    hint: 'Call it from your server: tokens and signing secrets never belong in a browser.',
  });
}

function guardOrigin(request: IncomingMessage, policy: GuardPolicy): Refusal | undefined {
  const { origin, host } = request.headers;
  const own = policy.publicOrigin === undefined ? `http://${host?.toLowerCase()}` : policy.publicOrigin();
  if (origin === undefined || origin.toLowerCase() === own) return undefined;
  if (SDK_TARGET.test(request.url ?? '')) {
    if (policy.isRegisteredOrigin?.(origin) === true) return undefined;
    return new Refusal('FORBIDDEN', 'Only web pages of registered origins may use the browser SDK.', {
      hint: 'Register the origin: `npx sandbox start --origin https://shop.example`.',
    });
  }
  return foreignPage();
}

function guardMediaType(request: IncomingMessage): Refusal | undefined {
  const { headers } = request;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  const contentType = headers['content-type'];
  if (!hasBody || isJson(contentType)) return undefined;
  const { url = '' } = request;
  if (isForm(contentType) && (FORM_TARGET.test(url) || PAY_TARGET.test(url))) return undefined;
  const received = contentType === undefined ? 'the header is missing' : `received ${quoted(contentType)}`;
  const message = `A body must be declared as Content-Type: application/json; ${received}.`;
  return new Refusal('UNSUPPORTED_MEDIA_TYPE', message, {
    hint: 'Send the header Content-Type: application/json.',
  });
}

function quoted(value: string): string {
  const shown = harmless(value);
  return `"${shown.length > MOST_SHOWN ? `${shown.slice(0, MOST_SHOWN)}…` : shown}"`;
}

function isForm(contentType: string | undefined): boolean {
  return /^application\/x-www-form-urlencoded *(?:;|$)/i.test(contentType ?? '');
}

function isJson(contentType: string | undefined): boolean {
  const [type, ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type?.trim() !== 'application/json') return false;
  return parameters.every((parameter) => {
    const [name, value = ''] = parameter.split('=');
    return name?.trim() !== 'charset' || /^"?utf-?8"?$/.test(value.trim());
  });
}
