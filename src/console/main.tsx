import { render } from 'hono/jsx/dom';
import type { Feed, FeedMessage } from './model/feed.js';
import { App } from './view/app.js';
import { listenForKeys } from './view/keys.js';
import { model, receiveToken, settleToken } from './view/screen.js';
import { words } from './words.js';

const CHANNEL = 'pix-sandbox-timeline';
const TICK_MS = 250;

const root = document.querySelector<HTMLElement>('#console');
if (root === null) throw new Error('Expected an element with the id console.');

let isDue = false;
/** Undefined until there is something to show: drawing an empty screen first would only delay it. */
let redraw: (() => void) | undefined;

/** Draws once for all changes within a frame; a hidden tab draws when it is seen again. */
model.changed = () => {
  if (isDue) return;
  isDue = true;
  const draw = () => {
    isDue = false;
    if (redraw === undefined) begin();
    else redraw();
  };
  if (redraw === undefined) queueMicrotask(draw);
  else requestAnimationFrame(draw);
};

function begin(): void {
  const onReady = (draw: () => void) => {
    redraw = () => {
      draw();
      updateTimer();
    };
  };
  render(<App onReady={onReady} />, root as HTMLElement);
}

let timer: ReturnType<typeof setInterval> | undefined;
let shownSecond = 0;

function currentSecond(): number {
  const clock = model.clockKnown();
  return clock === undefined ? 0 : Math.floor(model.clockNow(clock) / 1000);
}

/** Draws again when the clock shows another second, only while the page is seen and sandbox time passes. */
function updateTimer(): void {
  shownSecond = currentSecond();
  const { rate = 0, advancing = false } = model.clockKnown() ?? {};
  const isTicking = rate > 0 && !advancing && model.isConnected && document.visibilityState === 'visible';
  if (!isTicking) {
    clearInterval(timer);
    timer = undefined;
    return;
  }
  timer ??= setInterval(() => {
    if (currentSecond() !== shownSecond) model.changed();
  }, TICK_MS);
}

/**
 * Keeps the feed going. One tab of the browser holds the stream and passes its entries on to the others.
 * Where the browser has no locks (plain HTTP off loopback), each visible tab has its own stream.
 */
function follow(feed: Feed): void {
  if (navigator.locks === undefined) {
    followWhileVisible(feed);
    return;
  }
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', ({ data }: MessageEvent<FeedMessage>) => {
    void feed.receive(data).catch((error: unknown) => feed.fail(error));
  });
  // What came before this tab listened.
  void feed.catchUp().catch((error: unknown) => feed.fail(error));
  const never = new AbortController();
  void navigator.locks.request(CHANNEL, () =>
    feed.stream(never.signal, (message) => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no other origin
      channel.postMessage(message);
    }),
  );
}

function followWhileVisible(feed: Feed): void {
  let hidden = new AbortController();
  const follow = () => {
    if (document.visibilityState === 'hidden') hidden.abort();
    else {
      hidden = new AbortController();
      void feed.stream(hidden.signal, () => {});
    }
  };
  document.addEventListener('visibilitychange', follow);
  follow();
}

document.documentElement.lang = words.language;
receiveToken();
void model.feed.begin().then(() => {
  settleToken();
  follow(model.feed);
});
window.addEventListener('popstate', () => model.arrive());
window.addEventListener('hashchange', () => {
  if (receiveToken()) settleToken();
  model.arrive();
});
document.addEventListener('visibilitychange', () => {
  model.changed();
  updateTimer();
});
listenForKeys();
