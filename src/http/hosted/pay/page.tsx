import { DEFAULT_FAILURE_REASON, FAILURE_REASON_CODES } from '../../../contract/enums.js';
import type { Texts } from '../texts.js';
import type { PayState } from './state.js';
import { ACTIONS } from './state.js';

type PayTexts = Texts['pay'];

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
  /** The address of the page for other devices, where they can reach it. */
  readonly elsewhere: { readonly url: string; readonly picture: string } | undefined;
  /** The token of its forms; undefined where the page has no buttons. */
  readonly token: string | undefined;
  readonly problem: Problem | undefined;
}

interface PayProps {
  readonly texts: PayTexts;
  readonly page: PayPage;
}

export function PayContent({ texts, page }: PayProps) {
  return (
    <>
      <Charge texts={texts} page={page} />
      {page.token !== undefined && <Panel texts={texts} page={page} token={page.token} />}
    </>
  );
}

export function Nowhere({ texts: { nowhere } }: { readonly texts: PayTexts }) {
  return (
    <main>
      <h1>{nowhere.title}</h1>
      <p>{nowhere.text}</p>
    </main>
  );
}

function Charge({ texts, page }: PayProps) {
  const { state, problem } = page;
  return (
    <main>
      <p id="problem" class="errors" role="alert" hidden={problem === undefined}>
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
      <p id="lost" class="errors" hidden>
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

function Panel({ texts, page, token }: PayProps & { readonly token: string }) {
  const { state } = page;
  return (
    <aside id="panel" aria-labelledby="panel-title">
      <h2 id="panel-title">
        <span class="tag">{texts.panelTag}</span> {texts.panelTitle}
      </h2>
      {ACTIONS.map((action) => (
        <form method="post" data-action={action} hidden={!state.actions.includes(action)}>
          <input type="hidden" name="token" value={token} />
          <input type="hidden" name="action" value={action} />
          {action === 'fail' && <Reasons texts={texts} />}
          <button>{texts.actions[action]}</button>
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

function Reasons({ texts }: { readonly texts: PayTexts }) {
  return (
    <>
      <label for="reason">{texts.reason}</label>
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
