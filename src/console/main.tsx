import { render } from 'hono/jsx/dom';
import type { FeedMessage } from './model/feed.js';
import { ConsoleApp } from './view/app.js';
import { listenForKeys } from './view/keys.js';
import { model, receiveToken, resolveOfferedToken } from './view/screen.js';
import { consoleTexts } from './words.js';

const CHANNEL = 'pix-sandbox-timeline';
const TICK_MS = 250;

const root = document.querySelector<HTMLElement>('#console');
if (root === null) throw new Error('Expected an element with the id console.');

let isDue = false;
/** Undefined before the first render. Rendering an empty screen first would only add a delay. */
let redraw: (() => void) | undefined;
const onReady = (draw: () => void) => {
  redraw = draw;
};

/** Renders once for all changes within a frame. A hidden tab renders when it becomes visible. */
model.changed = () => {
  if (isDue) return;
  isDue = true;
  const draw = () => {
    isDue = false;
    if (redraw === undefined) render(<ConsoleApp onReady={onReady} />, root);
    else redraw();
    shownSecond = currentSecond();
  };
  if (redraw === undefined) queueMicrotask(draw);
  else requestAnimationFrame(draw);
};

let shownSecond = 0;

function currentSecond(): number {
  const clock = model.clockKnown();
  return clock === undefined ? 0 : Math.floor(model.clockNow(clock) / 1000);
}

setInterval(() => {
  const isSeen = model.isConnected && document.visibilityState === 'visible';
  if (isSeen && currentSecond() !== shownSecond) model.changed();
}, TICK_MS);

/**
 * Follows the feed. One tab owns the stream and broadcasts its entries to the other tabs. Without the Web
 * Locks API (plain HTTP off loopback), each visible tab opens its own stream.
 */
function follow(): void {
  const { feed } = model;
  if (navigator.locks === undefined) {
    followWhileVisible();
    return;
  }
  const channel = new BroadcastChannel(CHANNEL);
  const fail = (error: unknown) => feed.fail(error);
  channel.addEventListener('message', ({ data }: MessageEvent<FeedMessage>) => {
    void feed.receive(data).catch(fail);
  });
  // Load entries from before this tab connected.
  void feed.loadMissed().catch(fail);
  const never = new AbortController();
  void navigator.locks.request(CHANNEL, () =>
    feed.stream(never.signal, (message) => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no other origin
      channel.postMessage(message);
    }),
  );
}

function followWhileVisible(): void {
  let hidden = new AbortController();
  const onVisibility = () => {
    hidden.abort();
    hidden = new AbortController();
    if (document.visibilityState === 'visible') void model.feed.stream(hidden.signal, () => {});
  };
  document.addEventListener('visibilitychange', onVisibility);
  onVisibility();
}

document.documentElement.lang = consoleTexts.language;
receiveToken();
void model.feed.begin().then(() => {
  resolveOfferedToken();
  follow();
});
window.addEventListener('popstate', () => model.onNavigate());
window.addEventListener('hashchange', () => {
  if (receiveToken()) resolveOfferedToken();
  model.onNavigate();
});
document.addEventListener('visibilitychange', () => model.changed());
listenForKeys();
