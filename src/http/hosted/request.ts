import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Form } from './form.js';
import type { Language } from './language.js';
import { originOfUrl } from './origins.js';
import type { Texts } from './texts.js';

/** What the hosted pages work with. */
export interface HostedRequest {
  readonly sandbox: Sandbox;
  readonly language: Language;
  readonly texts: Texts;
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

/** The origin of the page that led here, if the browser sends it. */
export function referringOrigin({ header }: HostedRequest): string | undefined {
  return originOfUrl(header('referer'));
}
