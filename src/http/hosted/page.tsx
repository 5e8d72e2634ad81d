import { randomBytes } from 'node:crypto';
import type { Child } from 'hono/jsx';
import type { HtmlEscapedString } from 'hono/utils/html';
import { withProgramName } from '../../text/program-name.js';
import type { SurfaceContext } from '../shared/response.js';
import { PAGE_STYLE } from './style.js';
import type { PageTexts } from './texts.js';

const NONCE_BYTES = 16;

/** A hosted page; `content` fills the layout's columns. */
export interface HtmlPage {
  readonly status: number;
  readonly texts: PageTexts;
  readonly title: string;
  readonly banner: { readonly tag: string; readonly text: string };
  readonly content: Child;
  readonly script: string;
  /** The script's `data-` attributes. */
  readonly data?: Readonly<Record<string, string>> | undefined;
  /** Additional Content-Security-Policy directives. */
  readonly policy: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a page with headers that block third-party content. */
export function sendHtml(c: SurfaceContext, page: HtmlPage): Response {
  const { language } = page.texts;
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "form-action 'self'",
    "base-uri 'none'",
    ...page.policy,
  ];
  const layout = <Layout page={page} nonce={nonce} />;
  const html = () => `<!doctype html>${(layout as HtmlEscapedString).toString()}`;
  return new Response(c.req.method === 'HEAD' ? null : html(), {
    status: page.status,
    headers: {
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'content-language': language,
      'content-security-policy': policy.join('; '),
      // With no-referrer, browsers would submit forms on this page with `Origin: null`, as in any sandboxed
      // frame.
      'referrer-policy': 'same-origin',
      'permissions-policy': 'camera=(), microphone=(), geolocation=()',
      'x-content-type-options': 'nosniff',
      ...page.headers,
    },
  });
}

function Layout({ page, nonce }: { readonly page: HtmlPage; readonly nonce: string }) {
  const { texts, title, banner, content, script, data } = page;
  return (
    <html lang={texts.language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        <style nonce={nonce} dangerouslySetInnerHTML={{ __html: PAGE_STYLE }} />
      </head>
      <body>
        <header class="banner">
          <p>
            <strong>{banner.tag}</strong>
            {` · ${banner.text}`}
          </p>
        </header>
        <div class="columns">{content}</div>
        <script nonce={nonce} {...data} dangerouslySetInnerHTML={{ __html: script }}></script>
      </body>
    </html>
  );
}

/** Renders backticks as `<code>` and inserts the program name. */
export function TextWithCode({
  text,
  program,
}: {
  readonly text: string;
  readonly program: string | undefined;
}) {
  const parts = withProgramName(text, program).split('`');
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>;
}

/** Form errors by field id. */
export type ProblemList = Readonly<Record<string, string>>;

/** Renders a field error with the id used in `aria-describedby`. */
export function ProblemMessage({ id, text }: { readonly id: string; readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p class="problem" id={`${id}-problem`}>
      {text}
    </p>
  );
}

function Hint({ id, text }: { readonly id: string; readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p class="hint" id={`${id}-hint`}>
      {text}
    </p>
  );
}

export function HiddenFields({ values }: { readonly values: Readonly<Record<string, string>> }) {
  const inputs = Object.entries(values).map(([name, value]) => (
    <input type="hidden" name={name} value={value} />
  ));
  return <>{inputs}</>;
}

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
}

/** Renders a labeled text field with its hint and error. */
export function TextField(
  props: FieldProps & { readonly problem: string | undefined; readonly attributes: object },
) {
  const { id, label, hint, value, problem, attributes } = props;
  const ids = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  const marks = {
    ...(ids !== '' && { 'aria-describedby': ids }),
    ...(problem !== undefined && { 'aria-invalid': 'true' }),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Hint id={id} text={hint} />
      <ProblemMessage id={id} text={problem} />
      <input type="text" id={id} name={id} value={value} {...marks} {...attributes} />
    </div>
  );
}

/** Renders a radio button with its label and hint. */
export function RadioChoice(props: FieldProps & { readonly name: string; readonly isChecked: boolean }) {
  const { id, name, value, label, hint, isChecked } = props;
  const marks = hint === undefined ? {} : { 'aria-describedby': `${id}-hint` };
  return (
    <div class="choice">
      <input type="radio" id={id} name={name} value={value} checked={isChecked} {...marks} />
      <label for={id}>{label}</label>
      <Hint id={id} text={hint} />
    </div>
  );
}

/** Renders a hidden button; the script shows it if the window can be closed. */
export function CloseButton({ label }: { readonly label: string }) {
  return (
    <p>
      <button type="button" class="plain" id="close" hidden>
        {label}
      </button>
    </p>
  );
}

/** Renders a list of names and values. */
export function FactList({ facts }: { readonly facts: readonly (readonly [name: string, value: Child])[] }) {
  const items = facts.map(([name, value]) => (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  ));
  return <dl>{items}</dl>;
}
