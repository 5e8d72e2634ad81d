import { isUtf8 } from 'node:buffer';
import type { Child } from 'hono/jsx';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { originAllowed, registeredOrigins } from '../../core/identity/applications.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { parseUrl } from '../../text/urls.js';
import type { DoorContext } from '../operation/answer.js';
import { readBody } from '../operation/read-request.js';
import type { Problems } from './page.js';
import { CloseButton, Prose } from './page.js';
import type { Notice } from './scripts.js';
import { errorNotice } from './scripts.js';
import type { DeadEnd, Language, Texts } from './texts.js';

/** The fields of a form, trimmed; one that was not sent is empty. */
export interface Form {
  readonly get: (name: string) => string;
}

const FORM_TYPE = /^application\/x-www-form-urlencoded *(?:;|$)/i;

/** Reads a form post. Refuses other media types, bodies over the limit and invalid UTF-8. */
export async function readForm(c: DoorContext): Promise<Form> {
  if (!FORM_TYPE.test(c.req.header('content-type') ?? '')) {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'A form must be application/x-www-form-urlencoded.');
  }
  const body = await readBody(c, LIMITS.bodyBytes);
  if (!isUtf8(body)) throw new Refusal('INVALID_REQUEST', 'The form is not valid UTF-8.');
  const fields = new URLSearchParams(body.toString('utf8'));
  return { get: (name) => (fields.get(name) ?? '').trim() };
}

/** A request for an identity page. */
export interface HostedRequest {
  readonly sandbox: Sandbox;
  readonly language: Language;
  readonly texts: Texts;
  /** The host of these pages, which no page that opens them has. */
  readonly host: string;
  readonly received: DoorContext['req'];
  /** The fields of a form post; undefined for a GET. */
  readonly form: Form | undefined;
}

/** The response of an identity address: a page, or a redirect. */
export type Page = ShownPage | { readonly location: string };

export interface ShownPage {
  readonly status: number;
  readonly title: string;
  readonly main: Child;
  /** The sandbox's panel, which a real page would not have. */
  readonly aside?: Child;
  /** Whether the panel comes before the content, so that a small screen shows it. */
  readonly isAsideFirst?: boolean;
  /** The problems of the submitted form; the summary links to each field. */
  readonly problems?: Problems | undefined;
  /** The message of the page, and the registered origin that gets it. */
  readonly message?: Message | undefined;
  /** The registered origins that may embed it. */
  readonly ancestors: readonly string[];
  /** Its name in the call log. */
  readonly code?: string;
}

/** A notice and the only registered origin that may get it. */
export interface Message {
  readonly origin: string;
  readonly notice: Notice;
}

/** The content of a page, after a summary of the problems of its form. */
export function PageContent({ texts, page }: { readonly texts: Texts; readonly page: ShownPage }) {
  const { problems = {}, main, aside, isAsideFirst = false } = page;
  return (
    <>
      {isAsideFirst && aside}
      <main>
        <ErrorSummary texts={texts} problems={problems} />
        {main}
      </main>
      {!isAsideFirst && aside}
    </>
  );
}

function ErrorSummary({ texts, problems }: { readonly texts: Texts; readonly problems: Problems }) {
  const entries = Object.entries(problems);
  if (entries.length === 0) return null;
  return (
    <div class="errors" role="alert" tabindex={-1} autofocus>
      <h2>{texts.errorSummary}</h2>
      <ul>
        {entries.map(([id, text]) => (
          <li>
            <a href={`#${id}`}>{text}</a>
          </li>
        ))}
      </ul>
    </div>
  );
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
  { texts, sandbox }: Pick<HostedRequest, 'texts' | 'sandbox'>,
  ancestors: readonly string[],
  message?: Message,
): ShownPage {
  const { title, text } = texts.deadEnds[kind];
  const [status, code] = DEAD_ENDS[kind];
  const main = (
    <>
      <h1>{title}</h1>
      <p>
        <Prose text={text} program={sandbox.program} />
      </p>
      <CloseButton label={texts.close} />
    </>
  );
  return { status, code, ancestors, title, message, main };
}

/** The origin that the opener gave, in the address or in the form that followed; empty if it gave none. */
export function namedOrigin({ form, received }: HostedRequest): string {
  return form?.get('origin') || (received.query('origin') ?? '');
}

/** The origin of the page that led here, if the browser sends it and it is not one of these pages. */
export function referringOrigin({ received, host }: HostedRequest): string | undefined {
  const url = parseUrl(received.header('referer') ?? '');
  return url === undefined || url.host === host ? undefined : url.origin;
}

/**
 * The first registered origin of `first` and those of the request, for an organization or for any; only it
 * gets messages.
 */
export function registeredOrigin(
  request: HostedRequest,
  first: string | null = null,
  organizationId?: string,
): string | null {
  const { sandbox, host } = request;
  const isPeer = (origin: string) =>
    parseUrl(origin)?.host !== host && originAllowed(sandbox.world, origin, organizationId);
  const origins = [first, namedOrigin(request), referringOrigin(request)];
  return origins.find((origin) => origin && isPeer(origin)) ?? null;
}

/** A page for a visitor without a session. The registered page that led here gets the error, where it has a code. */
export function turnAway(request: HostedRequest, kind: DeadEnd, code?: string): ShownPage {
  const { sandbox, texts } = request;
  const origin = registeredOrigin(request);
  const message =
    origin === null || code === undefined
      ? undefined
      : { origin, notice: errorNotice(code, texts.deadEnds[kind].title) };
  return deadEnd(kind, request, registeredOrigins(sandbox.world), message);
}
