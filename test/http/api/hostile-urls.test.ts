import { expect, test } from 'vitest';
import { findDestination } from '../../../src/delivery/destination.js';
import type { TestApi } from '../../helpers/http/api-client.js';
import { testApi } from '../../helpers/http/api-client.js';
import type { UrlCase, Verdict } from '../../helpers/http/hostile-urls.js';
import { hostileUrls } from '../../helpers/http/hostile-urls.js';
import { edges, isSpecial, textOf } from '../../helpers/delivery/special-ranges.js';

const PATH = '/webhook-endpoints';

async function outcomeOf(api: TestApi, url: string): Promise<string> {
  const { status, body } = await api.call('POST', PATH, { body: { url, events: ['pix.settled'] } });
  if (status !== 201) return `${status} ${body.error.code}`;
  await api.control('DELETE', `endpoints/${body.id}`);
  const registered = new URL(String(body['url']));
  const isPlain =
    registered.protocol === 'https:' && registered.username + registered.password + registered.hash === '';
  return isPlain ? '201' : `201 for ${registered.href}`;
}

/** What becomes of cases otherwise than the table says; at most so many. */
async function mismatches(api: TestApi, cases: readonly UrlCase[], most = 20) {
  const PUBLIC_LITERALS_ACCEPTED = (await outcomeOf(api, 'https://8.8.8.8/h')) === '201';
  const expected: Readonly<Record<Verdict, string>> = {
    fine: '201',
    'public literal': PUBLIC_LITERALS_ACCEPTED ? '201' : '422 ENDPOINT_URL_NOT_ALLOWED',
    refused: '422 ENDPOINT_URL_NOT_ALLOWED',
    malformed: '400 INVALID_REQUEST',
  };
  const wrong: (UrlCase & { readonly outcome: string })[] = [];
  for (const one of cases) {
    const outcome = await outcomeOf(api, one.text);
    if (outcome !== expected[one.verdict]) wrong.push({ ...one, outcome });
    if (wrong.length >= most) break;
  }
  return wrong;
}

const CASES = hostileUrls();

test(
  'hostile URLs are registered or refused as what they are made of says',
  { timeout: 60_000 },
  async () => {
    expect(CASES.length).toBeGreaterThanOrEqual(550);
    for (const verdict of ['fine', 'public literal', 'refused', 'malformed'])
      expect(CASES.filter((one) => one.verdict === verdict).length).toBeGreaterThan(20);
    expect(await mismatches(await testApi(), CASES)).toEqual([]);
  },
);

test.each([4, 6] as const)(
  'an attempt goes to a name of IPv%i addresses when all are public',
  async (family) => {
    const somewhere = { address: '93.184.215.14', family: 4 };
    const wrong: string[] = [];
    for (const value of edges(family)) {
      const one = { address: textOf({ family, value }), family };
      for (const addresses of [[one], [somewhere, one], [one, somewhere]]) {
        const found = await findDestination('https://shop.example/', {
          routes: new Map(),
          allowLocalEndpoints: false,
          resolve: () => Promise.resolve(addresses),
        });
        const isRight = found.ok ? found.addresses === addresses : found.error === 'DESTINATION_NOT_ALLOWED';
        if (found.ok === isSpecial({ family, value }) || !isRight) wrong.push(one.address);
      }
    }
    expect(wrong).toEqual([]);
  },
);
