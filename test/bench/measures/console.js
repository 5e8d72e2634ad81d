import { launchBrowser } from '../harness/browser.js';
import { startSandbox } from '../harness/children.js';
import { inPairs, median, percentile } from '../harness/statistics.js';
import { ratioRow, valueRow } from '../harness/table.js';

export const title = 'the console in a browser: from a command to the screen, frames, and the first paint';

const ENTRIES = 10_000;
/** A busy sandbox: bursts of payments, together about 200 entries in a second. */
const BURST = { payments: 5, everyMs: 100 };
const ms = (value) => `${value.toFixed(1)} ms`;

/** @param {import('../run.js').Bench} bench */
export async function measure(bench) {
  const sandbox = await startSandbox(bench);
  const browser = await launchBrowser();
  try {
    const { url } = sandbox.ready;
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(url);
    await page.waitForSelector('h1');
    const live = await commandsToScreen(page, url, bench.quick ? 20 : 100);
    const paints = await firstPaints(browser, url, bench.quick ? 4 : 15);
    const shown = bench.quick ? 2_000 : 5_000;
    const bare = await browser.newPage();
    await bare.goto(`${url}/session/unknown`);
    const bareFrames = await framesOf(bare, shown);
    await bare.close();
    const frames = await framesWhileBusy(page, url, shown);
    const slowest = { ours: percentile(frames, 0.95), yardstick: percentile(bareFrames, 0.95) };
    const later = paints.map(({ ours, yardstick }) => ours - yardstick);
    return [
      ratioRow({ name: 'command to the screen, to its own answer', pairs: live, show: ms }),
      valueRow({
        name: 'command to the screen',
        value: median(live.map(({ ours }) => ours)),
        show: ms,
        most: 50,
      }),
      ratioRow({ name: 'console drawn, to a bare page', pairs: paints, show: ms }),
      valueRow({ name: 'console drawn after a bare page', value: median(later), show: ms, most: 150 }),
      ratioRow({ name: '95 % of frames, to those of a bare page', pairs: [slowest], show: ms }),
      valueRow({ name: `95 % of frames, ${ENTRIES} entries`, value: slowest.ours, show: ms, most: 25 }),
    ];
  } finally {
    await browser.close();
    await sandbox.stop();
  }
}

const now = () => performance.timeOrigin + performance.now();

async function trigger(url, body) {
  const answer = await fetch(`${url}/_sandbox/trigger`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'pix.settled', ...body }),
  });
  if (!answer.ok) throw new Error(`Expected 2xx from trigger, got ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
}

/** How long after a command its line is drawn, and its answer has come. */
async function commandsToScreen(page, url, rounds) {
  const pairs = [];
  for (let round = 0; round <= rounds; round += 1) {
    const code = `round-${round}`;
    const drawn = page.evaluate(
      (wanted) =>
        new Promise((resolve) => {
          const look = () => {
            if (!document.querySelector('.rows')?.textContent.includes(wanted)) return;
            observer.disconnect();
            requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now()));
          };
          const observer = new MutationObserver(look);
          observer.observe(document.body, { subtree: true, childList: true, characterData: true });
        }),
      code,
    );
    // The observer is there when the page answers again.
    await page.evaluate('1');
    const startedAt = now();
    await trigger(url, { with: { code } });
    const yardstick = now() - startedAt;
    const ours = (await drawn) - startedAt;
    if (round > 0) pairs.push({ ours, yardstick });
  }
  return pairs;
}

/** From the start of a navigation to what a person can use: the first lines of the console, or the text of a bare page. */
function firstPaints(browser, url, rounds) {
  const time = (path, selector) => async () => {
    const page = await browser.newPage();
    await page.goto(url + path, { waitUntil: 'commit' });
    await page.waitForSelector(selector);
    const paintedMs = await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => drawn(performance.now()))),
    );
    await page.close();
    return paintedMs;
  };
  return inPairs(rounds, time('/', '[data-seq]'), time('/session/unknown', 'h1'));
}

/** The times between frames while entries arrive and the list is scrolled. */
async function framesWhileBusy(page, url, forMs) {
  const newest = async () => (await (await fetch(`${url}/_sandbox/timeline?limit=1`)).json()).newest;
  while ((await newest()) < ENTRIES) await trigger(url, { count: 100 });
  await page.waitForFunction(() => document.querySelector('.rows').scrollHeight > 100_000);
  const over = new AbortController();
  const busy = (async () => {
    while (!over.signal.aborted) {
      await trigger(url, { count: BURST.payments });
      await new Promise((resolve) => setTimeout(resolve, BURST.everyMs));
    }
  })();
  const frames = await framesOf(page, forMs);
  over.abort();
  await busy;
  return frames;
}

/** The times between frames, in milliseconds; a list is scrolled meanwhile. */
function framesOf(page, forMs) {
  return page.evaluate(
    (during) =>
      new Promise((resolve) => {
        const list = document.querySelector('.rows');
        const times = [];
        const startedAt = performance.now();
        let before = startedAt;
        const frame = (at) => {
          times.push(at - before);
          before = at;
          if (list !== null) list.scrollTop += 40;
          if (at - startedAt > during) resolve(times.slice(1));
          else requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
      }),
    forMs,
  );
}
