import type { DoorContext } from '../operation/answer.js';
import { newRequestId } from '../operation/answer.js';
import { MESSAGE_TYPE } from './scripts.js';

/** `GET /sdk.js`: the browser SDK. The guards admit only registered origins, and those may read it. */
export function serveSdk(c: DoorContext): Response {
  const origin = c.req.header('origin');
  return new Response(c.req.method === 'HEAD' ? null : SOURCE, {
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'x-request-id': newRequestId(),
      vary: 'origin',
      ...(origin !== undefined && { 'access-control-allow-origin': origin }),
    },
  });
}

/** The source of the browser SDK: a module without dependencies. */
const SOURCE = `// The sandbox's browser SDK: opens the hosted identity verification and tells how it ended.
// Callbacks are hints. Only the result that your server reads is the decision.

const TYPE = '${MESSAGE_TYPE}';
const LOOKS_PER_SECOND = 4;

/**
 * Opens the verification of a session, or of a new one that the page creates for a publishable key. Call it
 * from a click: browsers block pop-ups without a user action.
 *
 * @param {object} options
 * @param {string} [options.sessionId] the session that your server created; or
 * @param {string} [options.publishableKey] the key with which the page creates one
 * @param {'individual' | 'business'} [options.customerType] with a publishable key: the default choice on the page
 * @param {string} [options.baseUrl] where the hosted pages are; by default where this module came from
 * @param {'popup' | 'frame'} [options.mode] by default 'popup'
 * @param {HTMLElement} [options.container] holds the frame; without it the frame opens in a dialog
 * @param {(done: { sessionId: string }) => void} [options.onSuccess]
 * @param {(done: { sessionId: string }) => void} [options.onReview]
 * @param {(error: { code: string, message: string }) => void} [options.onError]
 * @param {() => void} [options.onClose] the window or frame is gone, for any reason
 * @returns {{ close: () => void }} closes the window or frame
 */
export function openVerification(options) {
  const { sessionId, publishableKey, mode = 'popup' } = options;
  if ((sessionId === undefined) === (publishableKey === undefined)) {
    throw new TypeError('openVerification takes either a sessionId or a publishableKey.');
  }
  if (mode !== 'popup' && mode !== 'frame') {
    throw new TypeError("The mode of openVerification is 'popup' or 'frame'; got " + mode + '.');
  }
  const base = new URL(options.baseUrl ?? import.meta.url).origin;
  const ending = new AbortController();
  let isTold = false;
  let isOver = false;

  const tell = (callback, value, isFinal = true) => {
    if (isOver) return;
    isTold = true;
    isOver = isFinal;
    callback?.(value);
  };
  const fail = (code, message, isFinal) => tell(options.onError, { code, message }, isFinal);
  const close = () => {
    if (ending.signal.aborted) return;
    ending.abort();
    view?.remove();
    if (!isTold) fail('WINDOW_CLOSED', 'The verification was closed before it ended.');
    options.onClose?.();
  };

  const address = addressOf(base, options);
  const view =
    mode === 'frame' ? openFrame(address, options.container, close) : openPopup(address, close, ending.signal);
  if (view === undefined) {
    ending.abort();
    fail('POPUP_BLOCKED', 'The browser blocked the window; open it from a click.');
    return { close };
  }

  addEventListener(
    'message',
    (event) => {
      if (event.origin !== base || event.source !== view.window() || event.data?.type !== TYPE) return;
      const { event: what, sessionId, error, isFinal } = event.data;
      if (what === 'success') tell(options.onSuccess, { sessionId });
      if (what === 'review') tell(options.onReview, { sessionId });
      if (what === 'error') fail(error.code, error.message, isFinal);
      if (what === 'close') close();
    },
    { signal: ending.signal },
  );
  checkRegistered(base, ending.signal, fail);
  return { close };
}

function addressOf(base, { sessionId, publishableKey, customerType }) {
  const path = sessionId === undefined ? '/start' : '/session/' + encodeURIComponent(sessionId);
  const url = new URL(path, base);
  url.searchParams.set('origin', location.origin);
  if (publishableKey !== undefined) url.searchParams.set('publishable_key', publishableKey);
  if (customerType !== undefined) url.searchParams.set('customer_type', customerType);
  return url.href;
}

/** The hosted page sends nothing to an unregistered page, so the SDK has to find out itself. */
function checkRegistered(base, signal, fail) {
  const url = new URL('/sdk.js', base);
  fetch(url, { method: 'HEAD', signal }).catch(async () => {
    if (signal.aborted) return;
    const isThere = await fetch(url, { method: 'HEAD', mode: 'no-cors', signal }).then(() => true, () => false);
    if (signal.aborted) return;
    if (isThere) fail('ORIGIN_NOT_REGISTERED', location.origin + ' is not registered for verification.');
    else fail('UNREACHABLE', 'Nothing answers at ' + base + '.');
  });
}

function openPopup(address, close, signal) {
  const width = 480;
  const height = Math.min(820, screen.availHeight);
  const left = Math.max(0, screenX + (outerWidth - width) / 2);
  const features = 'popup,width=' + width + ',height=' + height + ',left=' + left;
  const popup = open(address, '_blank', features);
  if (popup === null) return undefined;
  const timer = setInterval(() => {
    if (popup.closed) close();
  }, 1000 / LOOKS_PER_SECOND);
  signal.addEventListener('abort', () => clearInterval(timer));
  return {
    window: () => popup,
    remove: () => popup.close(),
  };
}

function openFrame(address, container, close) {
  const frame = document.createElement('iframe');
  frame.title = 'Identity verification';
  frame.src = address;
  Object.assign(frame.style, { display: 'block', width: '100%', minHeight: '40rem', flex: '1', border: '0' });
  const dialog = container === undefined ? openDialog(close) : undefined;
  (container ?? dialog).append(frame);
  dialog?.showModal();
  return { window: () => frame.contentWindow, remove: () => (dialog ?? frame).remove() };
}

function openDialog(close) {
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-label', 'Identity verification');
  const column = { display: 'flex', flexDirection: 'column' };
  Object.assign(dialog.style, column, { width: 'min(40rem, 96vw)', height: '96vh', maxHeight: '96vh', padding: '0' });
  // The colours of the pages, in light and in dark.
  const card = { background: 'light-dark(#f4f6f8, #0f1418)', border: '1px solid light-dark(#c9d1d9, #36434e)' };
  Object.assign(dialog.style, card, { colorScheme: 'light dark', borderRadius: '.75rem', overflow: 'hidden' });
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = navigator.language.startsWith('pt') ? 'Fechar' : 'Close';
  const line = { border: '2px solid', borderRadius: '.375rem', background: 'transparent', cursor: 'pointer' };
  const box = { alignSelf: 'flex-end', minHeight: '2.75rem', margin: '.375rem .75rem', padding: '0 1.25rem' };
  const text = { color: 'light-dark(#0b6b4f, #5fd3a7)', font: '700 1.0625rem/1.5 system-ui, sans-serif' };
  Object.assign(button.style, line, box, text);
  button.addEventListener('click', close);
  dialog.addEventListener('close', close);
  dialog.append(button);
  document.body.append(dialog);
  return dialog;
}
`;
