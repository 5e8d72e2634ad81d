import { parseUrl } from '../../text/urls.js';
import { originAllowed, registeredOrigins } from '../../core/identity/organizations.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Form } from './form.js';
import type { Language } from './language.js';
import { errorNotice } from './notice.js';
import type { ShownPage } from './page.js';
import { deadEnd } from './page.js';
import type { DeadEnd, Texts } from './texts.js';

/** What the hosted pages work with. */
export interface HostedRequest {
  readonly sandbox: Sandbox;
  readonly language: Language;
  readonly texts: Texts;
  /** The host of these pages, which no page that opens them has. */
  readonly host: string;
  readonly param: (name: string) => string;
  /** Empty when it was not given. */
  readonly query: (name: string) => string;
  readonly header: (name: string) => string | undefined;
  /** The fields of a form post; undefined for a GET. */
  readonly form: Form | undefined;
}

/** The origin that the opener gave, in the address or in the form that followed; empty if it gave none. */
export function namedOrigin({ form, query }: HostedRequest): string {
  return form?.get('origin') || query('origin');
}

/** The origin of the page that led here, if the browser sends it and it is not one of these pages. */
export function referringOrigin(request: HostedRequest): string | undefined {
  const url = parseUrl(request.header('referer') ?? '');
  return url === undefined || url.host === request.host ? undefined : url.origin;
}

function isOwn({ host }: HostedRequest, url: string): boolean {
  return parseUrl(url)?.host === host;
}

/** The first registered origin of `first` and those of the request, for an organization or for any; only it gets messages. */
export function registeredOrigin(
  request: HostedRequest,
  first: string | null = null,
  organizationId?: string,
): string | null {
  const { world } = request.sandbox;
  const found = [first, namedOrigin(request), referringOrigin(request)].find(
    (origin) => origin && !isOwn(request, origin) && originAllowed(world, origin, organizationId),
  );
  return found ?? null;
}

/** A page for a visitor without a session. The registered page that led here gets the error, where it has a code. */
export function turnAway(request: HostedRequest, kind: DeadEnd, code?: string): ShownPage {
  const { sandbox, texts } = request;
  const origin = registeredOrigin(request);
  const { title } = texts.deadEnds[kind];
  const telling =
    origin === null || code === undefined ? undefined : { origin, notice: errorNotice(code, title) };
  return deadEnd(kind, request, registeredOrigins(sandbox.world), telling);
}
