import { MESSAGE_TYPE } from './notice.js';

/**
 * The script of the pages: it focuses the problems of a form, notifies the opener and says so, and closes the page. Every page works
 * without it.
 */
export const PAGE_SCRIPT = `
(() => {
  const { origin, notice } = document.currentScript.dataset;
  const isFramed = window.parent !== window;
  const peer = isFramed ? window.parent : window.opener;
  const tell = (message) => {
    if (!peer || peer.closed || !origin) return false;
    peer.postMessage(message, origin);
    return true;
  };
  document.querySelector('.errors')?.focus();
  if (notice && tell(JSON.parse(notice))) {
    document.getElementById('sent')?.removeAttribute('hidden');
    document.getElementById('unsent')?.remove();
  }
  const close = document.getElementById('close');
  if (!close || !peer || (isFramed && !origin)) return;
  close.hidden = false;
  close.addEventListener('click', () => {
    tell({ type: '${MESSAGE_TYPE}', event: 'close' });
    if (!isFramed) window.close();
  });
})()`;
