/** Identifies messages from hosted pages. */
export const MESSAGE_TYPE = 'pix-sandbox:identity';

/** A message from a hosted page to its opener or parent: a hint, never the decision (§6 rule 5). */
export type OpenerMessage =
  | { readonly type: typeof MESSAGE_TYPE; readonly event: 'success' | 'review'; readonly sessionId: string }
  | {
      readonly type: typeof MESSAGE_TYPE;
      readonly event: 'error';
      readonly sessionId: string | null;
      readonly error: { readonly code: string; readonly message: string };
      /** Set to false if the user can try again. */
      readonly isFinal: boolean;
    };

/** Page script: focuses form errors, notifies the opener and closes the page. Every page works without it. */
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

/**
 * Payment page script: follows the event stream, counts down the remaining time, copies the code, and submits
 * forms without reloading. The page works without it.
 */
export const PAY_SCRIPT = `
(() => {
  const $ = (id) => document.getElementById(id);
  const setText = (element, text) => {
    if (element.textContent !== text) element.textContent = text;
  };
  const { stream } = document.currentScript.dataset;
  let state;
  let since = 0;
  const pad = (number) => String(number).padStart(2, '0');
  const tick = () => {
    if (!state || state.leftMs === null) return;
    const leftS = Math.max(0, Math.floor((state.leftMs - (performance.now() - since) * state.rate) / 1000));
    setText($('clock'), pad(Math.floor(leftS / 3600)) + ':' + pad(Math.floor(leftS / 60) % 60) + ':' + pad(leftS % 60));
  };
  const line = ({ text, href }) => {
    const item = document.createElement('li');
    item.append(text);
    if (href !== null) {
      const link = document.createElement('a');
      link.href = href;
      link.textContent = $('webhooks').dataset.open;
      item.append(' → ', link);
    }
    return item;
  };
  const show = (next) => {
    state = next;
    since = performance.now();
    const status = $('status');
    status.dataset.status = next.status;
    setText($('words'), next.words);
    setText($('raw'), next.status);
    setText($('why'), next.reason);
    $('paid').hidden = !next.isPaid;
    $('payable').hidden = !next.isPayable;
    $('left').hidden = next.leftMs === null;
    setText($('pace'), next.pace);
    tick();
    const panel = $('panel');
    if (!panel) return;
    const had = document.activeElement;
    for (const form of panel.querySelectorAll('form')) form.hidden = !next.actions.includes(form.dataset.action);
    if (had.closest('form[hidden]')) status.focus();
    const told = JSON.stringify(next.webhooks);
    if ($('webhooks').dataset.told === told) return;
    $('webhooks').dataset.told = told;
    $('webhooks').replaceChildren(...next.webhooks.map(line));
  };
  const say = (problem) => {
    const alert = $('problem');
    alert.hidden = !problem;
    setText($('problem-text'), problem ? problem.text : '');
    setText($('problem-why'), problem ? problem.why : '');
  };
  let source;
  const follow = () => {
    source?.close();
    if (document.hidden) return;
    source = new EventSource(stream);
    source.onopen = () => { $('lost').hidden = true; };
    source.onerror = () => { $('lost').hidden = false; };
    source.onmessage = ({ data }) => {
      const next = JSON.parse(data);
      if (next.gone) location.reload();
      else show(next);
    };
  };
  document.addEventListener('visibilitychange', follow);
  addEventListener('pagehide', () => source?.close());
  addEventListener('pageshow', ({ persisted }) => { if (persisted) follow(); });
  follow();
  setInterval(tick, 250);
  const copy = $('copy');
  copy.hidden = false;
  copy.addEventListener('click', async () => {
    const code = $('pix');
    try {
      await navigator.clipboard.writeText(code.value);
    } catch {
      code.select();
      document.execCommand('copy');
    }
    setText($('copied'), $('copied').dataset.text);
    setTimeout(() => setText($('copied'), ''), 3000);
  });
  let isBusy = false;
  $('panel')?.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    const form = event.target;
    try {
      const body = new URLSearchParams(new FormData(form));
      const answer = await fetch(location.href, { method: 'POST', body, headers: { accept: 'application/json' } });
      const { token, problem } = await answer.json();
      for (const field of document.getElementsByName('token')) field.value = token;
      say(problem);
      if (!problem && source.readyState !== 1) location.reload();
    } catch {
      form.submit();
    } finally {
      isBusy = false;
    }
  });
})()`;
