import type { Content } from './html.js';
import { Html, html } from './html.js';
import type { Language } from './language.js';
import type { Telling } from './notice.js';
import { PAGE_SCRIPT } from './page-script.js';
import { STYLE } from './style.js';
import type { Texts } from './texts.js';
import { textsOf } from './texts.js';

/** The content of a page; the frame is the same on all of them. */
export interface PageContent {
  readonly title: string;
  readonly main: Content;
  /** The sandbox's panel, which a real page would not have. */
  readonly aside?: Content;
  /** Whether the panel comes before the content, so that a small screen shows it. */
  readonly isAsideFirst?: boolean;
  /** The problems of the submitted form; the summary links to each field. */
  readonly problems?: Problems | undefined;
  /** The message of the page, and the origin that gets it. */
  readonly telling?: Telling | undefined;
}

/** What is wrong with a form, by the ids of its fields. */
export type Problems = Readonly<Record<string, string>>;

/** A complete document. The content security policy allows only style and script with the nonce. */
export function renderPage(content: PageContent, language: Language, nonce: string): string {
  const texts = textsOf(language);
  const { title, problems = {}, telling, aside, isAsideFirst = false } = content;
  const prefix = Object.keys(problems).length > 0 ? texts.errorPrefix : '';
  const page = html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${prefix}${title} · ${texts.site}</title>
        <style nonce="${nonce}">
          ${Html.ofOurs(STYLE)}
        </style>
      </head>
      <body>
        <header class="banner">
          <p><span class="tag">${texts.banner.tag}</span> ${texts.banner.text}</p>
        </header>
        ${isAsideFirst && aside}
        <main>${errorSummary(texts, problems)}${content.main}</main>
        ${!isAsideFirst && aside}
        <script
          nonce="${nonce}"
          ${telling && html` data-origin="${telling.origin}" data-notice="${JSON.stringify(telling.notice)}"`}
        >
          ${Html.ofOurs(PAGE_SCRIPT)};
        </script>
      </body>
    </html> `;
  return page.text;
}

function errorSummary(texts: Texts, problems: Problems): Content {
  const entries = Object.entries(problems);
  if (entries.length === 0) return undefined;
  return html`<div class="errors" role="alert" tabindex="-1" autofocus>
    <h2>${texts.errorSummary}</h2>
    <ul>
      ${entries.map(([id, text]) => html`<li><a href="#${id}">${text}</a></li>`)}
    </ul>
  </div>`;
}

/** The progress of the person; steps count from 0. */
export function progress(texts: Texts, current: number): Html {
  const items = texts.steps.map((step, index) =>
    index === current
      ? html`<li aria-current="step">${step}</li>`
      : html`<li${index < current && html` class="done"`}>${step}</li>`,
  );
  return html`<nav aria-label="${texts.progress}">
    <ol class="steps">
      ${items}
    </ol>
  </nav>`;
}

export interface TextField {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly problem: string | undefined;
  readonly attributes?: Content;
}

/** A labelled text field with its hint and what is wrong with it. */
export function textField({ id, label, hint, value, problem, attributes }: TextField): Html {
  const described = [hint !== undefined && `${id}-hint`, problem !== undefined && `${id}-problem`];
  const ids = described.filter((part) => part !== false).join(' ');
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`} ${problemLine(id, problem)}
    <input
      type="text"
      id="${id}"
      name="${id}"
      value="${value}"
      ${ids !== '' && html` aria-describedby="${ids}"`}${
        problem !== undefined && html` aria-invalid="true"`
      }${attributes}
    />
  </div>`;
}

/** The problem of a field, with the id that the field's `aria-describedby` names. */
export function problemLine(id: string, problem: string | undefined): Content {
  return problem !== undefined && html`<p class="problem" id="${id}-problem">${problem}</p>`;
}

/** Hidden fields of a form. */
export function hidden(values: Readonly<Record<string, string>>): Content {
  return Object.entries(values).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
}
