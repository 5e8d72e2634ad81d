import type { SurfaceContext } from '../shared/response.js';
import { createRequestId } from '../shared/response.js';
import { MESSAGE_TYPE } from './scripts.js';

/**
 * Serves the browser SDK at `GET /sdk.js`. Only registered origins pass the guards and can read the script.
 */
export function serveSdk(c: SurfaceContext): Response {
  const origin = c.req.header('origin');
  return new Response(c.req.method === 'HEAD' ? null : SOURCE, {
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'x-request-id': createRequestId(),
      vary: 'origin',
      ...(origin !== undefined && { 'access-control-allow-origin': origin }),
    },
  });
}

/** Source of the browser SDK, a module without dependencies. */
const SOURCE = `// The sandbox's browser SDK: opens the hosted identity verification and reports its outcome.
// Callbacks are hints: fetch the decision from your server.

const TYPE = '${MESSAGE_TYPE}';
const POLLS_PER_SECOND = 4;

/**
 * Opens the verification of a session, or creates one with a publishable key. Call it from a click handler:
 * browsers block pop-ups without a user action.
 *
 * @param {object} options
 * @param {string} [options.sessionId] id of a session created by your server
 * @param {string} [options.publishableKey] your publishable key, to create a session instead
 * @param {'individual' | 'business'} [options.customerType] preselected on the page, with a publishable key
 * @param {string} [options.baseUrl] origin of the hosted pages; default: this module's origin
 * @param {'popup' | 'frame'} [options.mode] default: 'popup'
 * @param {HTMLElement} [options.container] parent of the frame; default: a dialog
 * @param {(done: { sessionId: string }) => void} [options.onSuccess]
 * @param {(done: { sessionId: string }) => void} [options.onReview]
 * @param {(error: { code: string, message: string }) => void} [options.onError]
 * @param {() => void} [options.onClose] called whenever the window or frame closes
 * @returns {{ close: () => void }} closes the window or frame
 */
export function openVerification(options) {
  const { sessionId, publishableKey, mode = 'popup' } = options;
  if ((sessionId === undefined) === (publishableKey === undefined)) {
    throw new TypeError('Pass either sessionId or publishableKey to openVerification.');
  }
  if (mode !== 'popup' && mode !== 'frame') {
    throw new TypeError("Invalid mode '" + mode + "'. Use 'popup' or 'frame'.");
  }
  const base = new URL(options.baseUrl ?? import.meta.url).origin;
  const ending = new AbortController();
  let isNotified = false;
  let isOver = false;

  const notify = (callback, value, isFinal = true) => {
    if (isOver) return;
    isNotified = true;
    isOver = isFinal;
    callback?.(value);
  };
  const fail = (code, message, isFinal) => notify(options.onError, { code, message }, isFinal);
  const close = () => {
    if (ending.signal.aborted) return;
    ending.abort();
    view?.remove();
    if (!isNotified) fail('WINDOW_CLOSED', 'The window closed before the verification ended.');
    options.onClose?.();
  };

  const address = addressOf(base, options);
  const view =
    mode === 'frame' ? openFrame(address, options.container, close) : openPopup(address, close, ending.signal);
  if (view === undefined) {
    ending.abort();
    fail('POPUP_BLOCKED', 'The browser blocked the window. Call openVerification from a click handler.');
    return { close };
  }

  addEventListener(
    'message',
    (event) => {
      if (event.origin !== base || event.source !== view.window() || event.data?.type !== TYPE) return;
      const { event: name, sessionId, error, isFinal } = event.data;
      if (name === 'success') notify(options.onSuccess, { sessionId });
      if (name === 'review') notify(options.onReview, { sessionId });
      if (name === 'error') fail(error.code, error.message, isFinal);
      if (name === 'close') close();
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

/** Checks the registration, because the hosted page sends no messages to an unregistered origin. */
function checkRegistered(base, signal, fail) {
  const url = new URL('/sdk.js', base);
  fetch(url, { method: 'HEAD', signal }).catch(async () => {
    if (signal.aborted) return;
    const isReachable = await fetch(url, { method: 'HEAD', mode: 'no-cors', signal }).then(() => true, () => false);
    if (signal.aborted) return;
    if (isReachable) fail('ORIGIN_NOT_REGISTERED', 'Origin ' + location.origin + ' is not registered.');
    else fail('UNREACHABLE', 'No response from ' + base + '.');
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
  }, 1000 / POLLS_PER_SECOND);
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
  // Page colors for the light and dark schemes.
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
