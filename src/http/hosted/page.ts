import { randomBytes } from 'node:crypto';
import type { DoorContext } from '../operation/answer.js';
import { html, prose } from './html.js';
import type { Language } from './language.js';
import type { PageContent } from './layout.js';
import { renderPage } from './layout.js';
import type { Telling } from './notice.js';
import type { HostedRequest } from './request.js';
import type { DeadEnd } from './texts.js';
import { textsOf } from './texts.js';

/** The answer of a hosted address: a page, or a redirect. */
export type Page = ShownPage | { readonly location: string };

export interface ShownPage {
  readonly status: number;
  readonly content: PageContent;
  /** The registered origins that may embed it. */
  readonly ancestors: readonly string[];
  /** Its name in the call log. */
  readonly code?: string;
}

/** Why a page has nothing to offer, with the status and code of an API error. */
const DEAD_ENDS: Readonly<Record<DeadEnd, readonly [number, string]>> = {
  finished: [410, 'INVALID_TRANSITION'],
  lapsed: [410, 'SESSION_EXPIRED'],
  unknownSession: [404, 'NOT_FOUND'],
  unknownPage: [404, 'NOT_FOUND'],
  badMethod: [405, 'METHOD_NOT_ALLOWED'],
  badForm: [403, 'FORBIDDEN'],
  badMediaType: [415, 'UNSUPPORTED_MEDIA_TYPE'],
  unavailable: [503, 'SERVICE_UNAVAILABLE'],
  unknownKey: [401, 'UNAUTHENTICATED'],
  unknownOrigin: [403, 'FORBIDDEN'],
  missingOrigin: [403, 'FORBIDDEN'],
  failed: [500, 'INTERNAL'],
};

/** A page that explains why there is nothing to do here. */
export function deadEnd(
  kind: DeadEnd,
  { language, sandbox }: Pick<HostedRequest, 'language' | 'sandbox'>,
  ancestors: readonly string[],
  telling?: Telling,
): ShownPage {
  const texts = textsOf(language);
  const { title, text } = texts.deadEnds[kind];
  const [status, code] = DEAD_ENDS[kind];
  return {
    status,
    code,
    ancestors,
    content: {
      title,
      telling,
      main: html`<h1>${title}</h1>
        <p>${prose(text, sandbox.program)}</p>
        ${closeButton(texts.close)}`,
    },
  };
}

/** Shown by the script if there is a window to close. */
export function closeButton(label: string) {
  return html`<p><button type="button" class="plain" id="close" hidden>${label}</button></p>`;
}

const NONCE_BYTES = 16;

/** Sends a page with headers that block all outside content. */
export function sendPage(c: DoorContext, requestId: string, page: Page, language: Language): Response {
  const common = { 'cache-control': 'no-store', 'x-request-id': requestId };
  if ('location' in page) {
    return new Response(null, { status: 303, headers: { ...common, location: page.location } });
  }
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  const text = renderPage(page.content, language, nonce);
  return new Response(c.req.method === 'HEAD' ? null : text, {
    status: page.status,
    headers: {
      ...common,
      'content-type': 'text/html; charset=utf-8',
      'content-language': language,
      'content-security-policy': policy(nonce, page.ancestors),
      // With no-referrer, browsers would send `Origin: null` with our own forms, as any sandboxed frame can.
      'referrer-policy': 'same-origin',
      'permissions-policy': 'camera=(), microphone=(), geolocation=()',
      'x-content-type-options': 'nosniff',
    },
  });
}

function policy(nonce: string, ancestors: readonly string[]): string {
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(' ')}`,
  ].join('; ');
}
