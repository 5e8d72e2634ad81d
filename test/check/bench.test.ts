import { afterEach, expect, test, vi } from 'vitest';
import { CheckContext } from '../../src/check/bench.js';
import type { RestartHook } from '../../src/check/check.js';
import { runChecks } from '../../src/check/engine.js';
import { smallShop } from '../helpers/check/small-shop.js';

const SECRET = `whsec_${Buffer.from('the secret of the small shop 0001').toString('base64')}`;
const GOES_ON: RestartHook = () => new Promise(() => undefined);

afterEach(() => {
  vi.restoreAllMocks();
});

/** The result of dup.restart for a shop that forgets what it took: it still answers so many requests, is away for three, and is back. */
async function restartedAfter(requests: number, restart: RestartHook) {
  vi.spyOn(CheckContext.prototype, 'pause').mockResolvedValue();
  const shop = smallShop(SECRET);
  const asked = { count: -Infinity };
  const fetch = async (request: Request) => {
    asked.count += 1;
    if (asked.count > requests && asked.count <= requests + 3) throw new Error('gone');
    if (asked.count === requests + 4) shop.forget();
    return shop.fetch(request);
  };
  const { checks } = await runChecks({
    to: { fetch },
    secret: SECRET,
    probe: shop.probe,
    only: ['dup.restart'],
    restart: (signal) => {
      asked.count = 0;
      return restart(signal);
    },
  });
  return checks[0];
}

test('does not mistake the old process for the new one while the restart command runs', async () => {
  expect(await restartedAfter(60, GOES_ON)).toMatchObject({ verdict: 'warn' });
});

test('reports no restart if the application responds throughout the restart command', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 200));
  expect(await restartedAfter(Infinity, GOES_ON)).toMatchObject({
    verdict: 'gated',
    reason: 'The restart command did not exit within 30 s, and the application kept responding.',
  });
});
