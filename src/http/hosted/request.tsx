import { isUtf8 } from 'node:buffer';
import type { Child } from 'hono/jsx';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { isOriginAllowed, listOrigins } from '../../core/identity/applications.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { parseUrl } from '../../text/urls.js';
import type { SurfaceContext } from '../shared/response.js';
import { readRequestBody } from '../shared/read-request.js';
import { CloseButton, type ProblemList, TextWithCode } from './page.js';
import { MESSAGE_TYPE, type OpenerMessage } from './scripts.js';
import type { DeadEndKind, PageTexts } from './texts.js';

/** Returns a trimmed form field; empty if missing. */
export type SubmittedForm = (name: string) => string;

const FORM_TYPE = /^application\/x-www-form-urlencoded *(?:;|$)/i;

/** Reads a form post. Rejects other media types, bodies over the limit and invalid UTF-8. */
export async function readForm(c: SurfaceContext): Promise<SubmittedForm> {
  if (!FORM_TYPE.test(c.req.header('content-type') ?? '')) {
    throw new Refusal(
      'UNSUPPORTED_MEDIA_TYPE',
      'The form must be sent as application/x-www-form-urlencoded.',
    );
  }
  const body = await readRequestBody(c, LIMITS.bodyBytes);
  if (!isUtf8(body)) throw new Refusal('INVALID_REQUEST', 'The form is not valid UTF-8.');
  const fields = new URLSearchParams(body.toString('utf8'));
  return (name) => (fields.get(name) ?? '').trim();
}

/** A request for an identity page. */
export interface HostedRequest {
  readonly sandbox: Sandbox;
  readonly texts: PageTexts;
  readonly received: SurfaceContext['req'];
  /** The submitted form; undefined for GET requests. */
  readonly form: SubmittedForm | undefined;
}

/** A page or a redirect. */
export type HostedPage = ShownPage | { readonly location: string };

export interface ShownPage {
  readonly status: number;
  readonly title: string;
  readonly main: Child;
  /** The sandbox panel, which production pages do not have. */
  readonly aside?: Child;
  /** Puts the panel before the content on small screens. */
  readonly isAsideFirst?: boolean;
  /** Errors in the submitted form; the summary links to each field. */
  readonly problems?: ProblemList | undefined;
  /** The page's only message to its opener, and the registered target origin. */
  readonly message?: { readonly origin: string; readonly notice: OpenerMessage } | undefined;
  /** Registered origins allowed to embed the page. */
  readonly ancestors: readonly string[];
  /** Error code for the request log. */
  readonly code?: string;
}

/** Status and error code of each dead-end page. */
const DEAD_ENDS: Readonly<Record<DeadEndKind, readonly [number, string]>> = {
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

/** Renders a page that explains why the verification cannot continue. */
export function renderDeadEnd(
  kind: DeadEndKind,
  { texts, sandbox }: HostedRequest,
  ancestors: readonly string[] = listOrigins(sandbox.world),
  message?: ShownPage['message'],
): ShownPage {
  const { title, text } = texts.deadEnds[kind];
  const [status, code] = DEAD_ENDS[kind];
  const main = (
    <>
      <h1>{title}</h1>
      <p>
        <TextWithCode text={text} program={sandbox.program} />
      </p>
      <CloseButton label={texts.close} />
    </>
  );
  return { status, code, ancestors, title, message, main };
}

/**
 * Renders a page for a visitor without a session. If `code` is set, the registered opener receives the error.
 */
export function refuseWithPage(request: HostedRequest, kind: DeadEndKind, code?: string): ShownPage {
  const origin = findRegisteredOrigin(request);
  if (origin === null || code === undefined) return renderDeadEnd(kind, request);
  const error = { code, message: request.texts.deadEnds[kind].title };
  const notice: OpenerMessage = { type: MESSAGE_TYPE, event: 'error', sessionId: null, error, isFinal: true };
  return renderDeadEnd(kind, request, undefined, { origin, notice });
}

/** Reads the opener's origin from the URL or the submitted form; empty if missing. */
export function readNamedOrigin({ form, received }: HostedRequest): string {
  return form?.('origin') || (received.query('origin') ?? '');
}

/** Reads the origin of the referring page; undefined if missing or equal to the sandbox's origin. */
export function readReferringOrigin({ received }: HostedRequest): string | undefined {
  const url = parseUrl(received.header('referer') ?? '');
  return url === undefined || url.host === new URL(received.url).host ? undefined : url.origin;
}

/**
 * Finds the first registered origin among `first` and the request's origins, for one organization or for any.
 * Only that origin receives messages.
 */
export function findRegisteredOrigin(
  request: HostedRequest,
  first: string | null = null,
  organizationId?: string,
): string | null {
  const { sandbox, received } = request;
  const { host } = new URL(received.url);
  const isPeer = (origin: string) =>
    parseUrl(origin)?.host !== host && isOriginAllowed(sandbox.world, origin, organizationId);
  const origins = [first, readNamedOrigin(request), readReferringOrigin(request)];
  return origins.find((origin) => origin && isPeer(origin)) ?? null;
}
