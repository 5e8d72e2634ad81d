import type { Child } from 'hono/jsx';
import type { HtmlEscapedString } from 'hono/utils/html';
import { DEFAULT_FAILURE_REASON, FAILURE_REASON_CODES } from '../../../contract/failure-reasons.js';
import type { Language } from '../language.js';
import type { Action } from './actions.js';
import { ACTIONS } from './actions.js';
import type { PayState } from './pay-state.js';
import { PAY_SCRIPT } from './script.js';
import { PAY_STYLE } from './style.js';
import type { PayTexts } from './texts.js';
import { payTextsOf } from './texts.js';

/** A message that something was not done; `why` is the sandbox's own English, empty where the text says it all. */
export interface Problem {
  readonly text: string;
  readonly why: string;
}

/** What a pay page is drawn from; images are PNGs as base64. */
export interface PayPage {
  readonly state: PayState;
  readonly amount: string;
  readonly code: string;
  readonly pix: string;
  readonly picture: string;
  readonly stream: string;
  /** The address of the page for other devices, where they can reach it. */
  readonly elsewhere: { readonly url: string; readonly picture: string } | undefined;
  /** The token of its forms; undefined where the page has no buttons. */
  readonly token: string | undefined;
  readonly problem: Problem | undefined;
}

interface Drawn {
  readonly texts: PayTexts;
  readonly page: PayPage;
}

/** A whole document. Its policy allows only the style and the script with the nonce. */
export function renderPayPage(page: PayPage, language: Language, nonce: string): string {
  const texts = payTextsOf(language);
  return frame(
    { language, nonce, title: `${page.amount} · ${page.code}` },
    <>
      <Charge texts={texts} page={page} />
      {page.token !== undefined && <Panel texts={texts} page={page} token={page.token} />}
      <script
        nonce={nonce}
        data-stream={page.stream}
        dangerouslySetInnerHTML={{ __html: PAY_SCRIPT }}
      ></script>
    </>,
  );
}

/** The page of an address without a charge. */
export function renderNowhere(language: Language, nonce: string): string {
  const { nowhere } = payTextsOf(language);
  return frame(
    { language, nonce, title: nowhere.title },
    <main>
      <h1>{nowhere.title}</h1>
      <p>{nowhere.text}</p>
    </main>,
  );
}

interface Frame {
  readonly language: Language;
  readonly nonce: string;
  readonly title: string;
}

function frame({ language, nonce, title }: Frame, content: Child): string {
  const { site, banner } = payTextsOf(language);
  const page = (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · ${site}`}</title>
        <style nonce={nonce} dangerouslySetInnerHTML={{ __html: PAY_STYLE }} />
      </head>
      <body>
        <header class="banner">
          <p>
            <strong>{banner.tag}</strong>
            {` · ${banner.text}`}
          </p>
        </header>
        <div class="columns">{content}</div>
      </body>
    </html>
  ) as HtmlEscapedString;
  return `<!doctype html>${page.toString()}`;
}

function Charge({ texts, page }: Drawn) {
  const { state, problem } = page;
  return (
    <main>
      <p id="problem" class="problem" role="alert" hidden={problem === undefined}>
        <span id="problem-text">{problem?.text}</span>{' '}
        <span id="problem-why" lang="en">
          {problem?.why}
        </span>
      </p>
      <h1>{page.amount}</h1>
      <p class="soft">
        {`${texts.code} `}
        <code dir="auto">{page.code}</code>
      </p>
      <p id="status" role="status" tabindex={-1} data-status={state.status}>
        <strong id="words">{state.words}</strong> <code id="raw">{state.status}</code>{' '}
        <span id="why">{state.reason}</span>
      </p>
      <p id="lost" class="problem" hidden>
        {texts.lost}
      </p>
      <img class="qr" alt="QR code" src={`data:image/png;base64,${page.picture}`} />
      <p id="left" role="timer" hidden={state.leftMs === null}>
        {`${texts.expiresIn} `}
        <strong id="clock">{clockText(state.leftMs ?? 0)}</strong> <span id="pace">{state.pace}</span>
      </p>
      <p>
        <label for="pix">{texts.pix}</label>
        <textarea id="pix" readonly spellcheck={false}>
          {page.pix}
        </textarea>
      </p>
      <button type="button" id="copy" class="plain" hidden>
        {texts.copy}
      </button>
      <span id="copied" aria-live="polite" data-text={texts.copied}></span>
      {page.elsewhere !== undefined && (
        <details>
          <summary>{texts.elsewhere.title}</summary>
          <img
            class="qr"
            alt={texts.elsewhere.picture}
            src={`data:image/png;base64,${page.elsewhere.picture}`}
          />
          <p>
            <a href={page.elsewhere.url}>{page.elsewhere.url}</a>
          </p>
        </details>
      )}
    </main>
  );
}

function Panel({ texts, page, token }: Drawn & { readonly token: string }) {
  const { state } = page;
  return (
    <aside id="panel" aria-labelledby="panel-title">
      <h2 id="panel-title">
        <span class="tag">{texts.panel.tag}</span> {texts.panel.title}
      </h2>
      {ACTIONS.map((action) => (
        <form method="post" data-action={action} hidden={!state.actions.includes(action)}>
          <input type="hidden" name="token" value={token} />
          <input type="hidden" name="action" value={action} />
          {action === 'fail' && <Reasons texts={texts} />}
          <button>{labelOf(texts, action)}</button>
        </form>
      ))}
      <ul id="webhooks" aria-live="polite" data-open={texts.webhook.open}>
        {state.webhooks.map(({ text, href }) => (
          <li>
            {text}
            {href !== null && ' → '}
            {href !== null && <a href={href}>{texts.webhook.open}</a>}
          </li>
        ))}
      </ul>
    </aside>
  );
}

function labelOf({ panel }: PayTexts, action: Action): string {
  return panel.actions[action];
}

function Reasons({ texts }: { readonly texts: PayTexts }) {
  return (
    <>
      <label for="reason">{texts.panel.reason}</label>
      <select id="reason" name="reason">
        {FAILURE_REASON_CODES.map((code) => (
          <option value={code} selected={code === DEFAULT_FAILURE_REASON}>
            {`${code} · ${texts.reasons[code]}`}
          </option>
        ))}
      </select>
    </>
  );
}

/** Hours, minutes and seconds, such as `23:59:12`. */
function clockText(ms: number): string {
  const leftS = Math.floor(ms / 1000);
  return [leftS / 3600, (leftS / 60) % 60, leftS % 60]
    .map((part) => String(Math.floor(part)).padStart(2, '0'))
    .join(':');
}
