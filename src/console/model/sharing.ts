import type { Feed, Told } from './feed.js';

const NAME = 'pix-sandbox-timeline';

/**
 * Keeps the feed going. One tab of the browser holds the stream and passes its entries on to the others. Where the browser
 * has no locks (plain HTTP off loopback), each tab has a stream of its own while it is visible.
 */
export function follow(feed: Feed): void {
  if (navigator.locks === undefined) {
    followWhileVisible(feed);
    return;
  }
  const channel = new BroadcastChannel(NAME);
  channel.addEventListener('message', ({ data }: MessageEvent<Told>) => {
    void feed.hear(data).catch((error: unknown) => feed.fail(error));
  });
  // What came before this tab listened.
  void feed.catchUp().catch((error: unknown) => feed.fail(error));
  const never = new AbortController();
  void navigator.locks.request(NAME, () =>
    feed.stream(never.signal, (told) => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no other origin
      channel.postMessage(told);
    }),
  );
}

function followWhileVisible(feed: Feed): void {
  let hidden = new AbortController();
  const go = () => {
    if (document.visibilityState === 'hidden') hidden.abort();
    else {
      hidden = new AbortController();
      void feed.stream(hidden.signal, () => {});
    }
  };
  document.addEventListener('visibilitychange', go);
  go();
}
