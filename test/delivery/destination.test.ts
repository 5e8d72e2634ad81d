import { describe, expect, test, vi } from 'vitest';
import {
  checkDestination,
  findDestination,
  parseEndpointUrl,
  parseRoutes,
  type DestinationPolicy,
} from '../../src/delivery/destination.js';

const PUBLIC = { address: '93.184.215.14', family: 4 };
const PUBLIC_V6 = { address: '2606:2800:21f:cb07:6820:80da:af6b:8b2c', family: 6 };

/** A policy in which names resolve as the table says, and names that it lacks do not resolve. */
function policyOf(
  more: Partial<DestinationPolicy> = {},
  table: Record<string, string[]> = {},
): DestinationPolicy {
  return {
    routes: new Map(),
    allowLocalEndpoints: false,
    resolve: (hostname) => {
      const addresses = table[hostname];
      if (addresses === undefined) return Promise.reject(new Error(`getaddrinfo ENOTFOUND ${hostname}`));
      return Promise.resolve(
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    },
    ...more,
  };
}

const everyNameIsPublic = policyOf({ resolve: () => Promise.resolve([PUBLIC, PUBLIC_V6]) });

describe('destinations that checkDestination allows after WHATWG normalization', () => {
  test.for([
    ['https://shop.example', 'https://shop.example/'],
    ['https://shop.example/webhooks', 'https://shop.example/webhooks'],
    ['HTTPS://Shop.Example:443/Webhooks', 'https://shop.example/Webhooks'],
    ['https://shop.example:8443/a/../b?x=%20y', 'https://shop.example:8443/b?x=%20y'],
    ['https://shop.example/hook#part', 'https://shop.example/hook'],
    ['https://pagamentos.açaí.example/', 'https://pagamentos.xn--aa-4iaz.example/'],
    ['https://localhost.example/', 'https://localhost.example/'],
    ['https://8.8.8.8/h', 'https://8.8.8.8/h'],
    ['https://0x08080808/h', 'https://8.8.8.8/h'],
    ['https://[2606:4700:4700::1111]/h', 'https://[2606:4700:4700::1111]/h'],
  ])('allows %s', async ([url = '', normalized]) => {
    expect(await checkDestination(url, everyNameIsPublic)).toEqual({ ok: true, url: normalized });
  });
});

describe('destinations that checkDestination rejects without a lookup', () => {
  const ipAddress = /^The URL contains \S+, which is not a public address\.$/;
  test.for<[string, RegExp]>([
    ['', /not valid/],
    ['shop.example/webhooks', /not valid/],
    ['/webhooks', /not valid/],
    ['https://', /not valid/],
    ['http://shop.example/', /must start with https:\/\/; got http:/],
    ['javascript:alert(1)', /got javascript:/],
    ['file:///etc/passwd', /got file:/],
    ['https://user@shop.example/', /user name or a password/],
    ['https://user:secret@shop.example/', /user name or a password/],
    ['https://127.0.0.1/', ipAddress],
    ['https://0177.0.0.1/', ipAddress],
    ['https://2130706433/', ipAddress],
    ['https://１２７.0.0.1/', ipAddress],
    ['https://[::1]/', ipAddress],
    ['https://[::ffff:8.8.8.8]/', ipAddress],
    ['https://10.0.0.1/', ipAddress],
    ['https://169.254.169.254/', ipAddress],
    ['https://0xa9fea9fe/', ipAddress],
    ['https://[::ffff:127.0.0.1]/', ipAddress],
    ['https://[::ffff:0x7f.1]/', /not valid/],
    ['https://[64:ff9b::8.8.8.8]/', ipAddress],
    ['https://[fe80::1%25eth0]/', /not valid/],
    ['https://localhost/', /refers to this machine/],
    ['https://localhost./', /refers to this machine/],
    ['https://shop.localhost/', /refers to this machine/],
  ])('rejects %s', async ([url, reason]) => {
    const result = await checkDestination(url, everyNameIsPublic);
    expect(result).toEqual({ ok: false, reason: expect.stringMatching(reason) });
    expect(JSON.stringify(result)).not.toContain('secret');
  });
});

describe('destinations that checkDestination looks up', () => {
  const table = {
    'public.example': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
    'private.example': ['10.0.0.7'],
    'mixed.example': ['93.184.215.14', '127.0.0.1'],
    'mapped.example': ['::ffff:93.184.215.14'],
    'zoned.example': ['fe80::1%eth0'],
    'odd.example': ['not an address'],
    'nothing.example': [],
  };

  test('allows a name whose addresses are all public', async () => {
    const result = await checkDestination('https://public.example/', policyOf({}, table));
    expect(result.ok).toBe(true);
  });

  test.for([
    ['private.example', '10.0.0.7'],
    ['mixed.example', '127.0.0.1'],
    ['mapped.example', '::ffff:93.184.215.14'],
    ['zoned.example', 'fe80::1%eth0'],
    ['odd.example', 'not an address'],
  ])('rejects %s because of %s', async ([hostname, address]) => {
    const result = await checkDestination(`https://${hostname}/`, policyOf({}, table));
    const reason = `The host name ${hostname} resolves to ${address}, which is not a public address.`;
    expect(result).toEqual({ ok: false, reason });
  });

  test.for(['unknown.example', 'nothing.example'])('rejects %s, which has no address', async (hostname) => {
    const result = await checkDestination(`https://${hostname}/`, policyOf({}, table));
    expect(result).toEqual({ ok: false, reason: `The host name ${hostname} does not resolve.` });
  });

  test('rejects a name when its lookup takes 5 s', async () => {
    const timeUp = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(timeUp.signal);
    const checking = checkDestination(
      'https://slow.example/',
      policyOf({ resolve: () => new Promise(() => {}) }),
    );
    timeUp.abort();
    const reason = 'The URL host name did not resolve within 5 s.';
    expect(await checking).toEqual({ ok: false, reason });
    expect(timeout).toHaveBeenCalledWith(5_000);
  });
});

describe('findDestination', () => {
  test('passes on the checked addresses, and no others', async () => {
    const found = await findDestination('https://shop.example/hook', everyNameIsPublic);
    expect(found).toMatchObject({ ok: true, addresses: [PUBLIC, PUBLIC_V6] });
  });

  test.for([
    ['https://8.8.8.8/hook', { address: '8.8.8.8', family: 4 }],
    ['https://[2606:4700:4700::1111]/hook', { address: '2606:4700:4700::1111', family: 6 }],
  ] as const)('skips the lookup of %s, and passes on only that address', async ([url, address]) => {
    const resolve = vi.fn<() => Promise<never>>();
    expect(await findDestination(url, policyOf({ resolve }))).toMatchObject({
      ok: true,
      addresses: [address],
    });
    expect(resolve).not.toHaveBeenCalled();
  });

  test('detects a name that resolves elsewhere than at registration', async () => {
    const answers = [['93.184.215.14'], ['169.254.169.254']];
    const policy = policyOf({
      resolve: () => Promise.resolve((answers.shift() ?? []).map((address) => ({ address, family: 4 }))),
    });
    expect((await checkDestination('https://rebinding.example/', policy)).ok).toBe(true);
    expect(await findDestination('https://rebinding.example/', policy)).toEqual({
      ok: false,
      error: 'DESTINATION_NOT_ALLOWED',
      reason: 'The host name rebinding.example resolves to 169.254.169.254, which is not a public address.',
    });
  });

  test('distinguishes a name without an address from a forbidden one', async () => {
    expect(await findDestination('https://unknown.example/', policyOf())).toMatchObject({
      error: 'DNS_FAILED',
    });
  });
});

describe('destinations with local endpoints allowed', () => {
  const resolve = vi.fn<() => Promise<never>>();
  const policy = policyOf({ allowLocalEndpoints: true, resolve });

  test.for(['http://localhost:3000/hook', 'http://10.0.0.7/', 'https://[::1]:8443/', 'http://app:3000/'])(
    'accepts %s without a lookup',
    async (url) => {
      expect(await checkDestination(url, policy)).toEqual({ ok: true, url });
      expect(resolve).not.toHaveBeenCalled();
    },
  );

  test.for(['ftp://localhost/', 'http://user:secret@localhost/', 'localhost:3000'])(
    'rejects %s',
    async (url) => {
      expect((await checkDestination(url, policy)).ok).toBe(false);
    },
  );

  test('connects to localhost without a lookup', () => {
    expect(findDestination('http://localhost:3000/', policy)).toMatchObject({
      addresses: [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ],
    });
    expect(findDestination('http://app:3000/', policy)).toMatchObject({ addresses: null });
  });
});

describe('routed destinations', () => {
  const resolve = vi.fn<() => Promise<never>>();
  const policy = policyOf({
    routes: new Map([
      ['https://shop.example', 'http://localhost:3000'],
      ['https://shop.example:8443', 'http://127.0.0.1:4000'],
    ]),
    resolve,
  });

  test.for([
    ['https://shop.example/', 'http://localhost:3000/'],
    ['https://SHOP.example:443/a?x=1&y=%C3%A7', 'http://localhost:3000/a?x=1&y=%C3%A7'],
    ['https://shop.example//elsewhere.example/x', 'http://localhost:3000//elsewhere.example/x'],
    ['https://shop.example/@elsewhere.example', 'http://localhost:3000/@elsewhere.example'],
    ['https://shop.example:8443/b', 'http://127.0.0.1:4000/b'],
  ])('routes %s to %s without a lookup', ([url = '', target]) => {
    expect(findDestination(url, policy)).toMatchObject({ ok: true, target: { href: target } });
    expect(resolve).not.toHaveBeenCalled();
  });

  test('registers a routed URL unchanged', async () => {
    const url = 'https://shop.example/hook';
    expect(await checkDestination(url, policy)).toEqual({ ok: true, url });
  });

  test.for([
    'http://shop.example/',
    'https://user@shop.example/',
    'https://shop.example:9443/',
    'https://a.shop.example/',
  ])('does not route %s', async (url) => {
    resolve.mockRejectedValueOnce(new Error('ENOTFOUND'));
    expect((await checkDestination(url, policy)).ok).toBe(false);
    resolve.mockReset();
  });
});

test('parses a URL, including an IPv6 address without its brackets', () => {
  expect(parseEndpointUrl('HTTPS://Shop.Example:8443/a b?x=1#part')).toEqual({
    href: 'https://shop.example:8443/a%20b?x=1',
    origin: 'https://shop.example:8443',
    protocol: 'https:',
    hostname: 'shop.example',
    port: '8443',
    path: '/a%20b?x=1',
    hasCredentials: false,
  });
  expect(parseEndpointUrl('http://[0:0::1]:3000/')).toMatchObject({
    hostname: '::1',
    origin: 'http://[::1]:3000',
  });
});

describe('parseRoutes', () => {
  test('rejects routes that never match: http where endpoints use https, and duplicate origins', () => {
    const http = ['http://shop.example=3000'];
    expect(() => parseRoutes(http, false)).toThrow(
      'The route "http://shop.example=3000" can never match: endpoints use https unless local endpoints are allowed.',
    );
    expect(parseRoutes(http, true)).toEqual(new Map([['http://shop.example', 'http://localhost:3000']]));
    expect(() => parseRoutes(['shop.example=3000', 'https://shop.example=4000'], true)).toThrow(
      'There is already a route from https://shop.example: "https://shop.example=4000" can never match.',
    );
  });

  test.for([
    ['https://shop.example=http://localhost:3000', 'https://shop.example', 'http://localhost:3000'],
    ['https://shop.example/=http://localhost:3000/', 'https://shop.example', 'http://localhost:3000'],
    ['https://shop.example=3000', 'https://shop.example', 'http://localhost:3000'],
    ['https://shop.example=localhost:3000', 'https://shop.example', 'http://localhost:3000'],
    ['https://shop.example=[::1]:3000', 'https://shop.example', 'http://[::1]:3000'],
    ['https://shop.example=https://localhost:3443', 'https://shop.example', 'https://localhost:3443'],
    ['shop.example=3000', 'https://shop.example', 'http://localhost:3000'],
    ['HTTPS://Shop.Example:443 = 3000', 'https://shop.example', 'http://localhost:3000'],
  ])('parses %s', ([text = '', from, to]) => {
    expect([...parseRoutes([text], true)]).toEqual([[from, to]]);
  });

  test.for([
    ['https://shop.example', 'which has no "="'],
    ['', 'which has no "="'],
    ['=3000', 'on the left of the route'],
    ['https://shop.example=', 'on the right of the route'],
    ['https://shop.example/hook=3000', 'on the left of the route'],
    ['https://user:pw@shop.example=3000', 'on the left of the route'],
    ['https://shop.example=http://localhost:3000/hook', 'on the right of the route'],
    ['https://shop.example=http://localhost:3000?x=1', 'on the right of the route'],
    ['https://shop.example=/hook', 'on the right of the route'],
    ['https://shop.example=ws://localhost:3000', 'on the right of the route'],
  ])('rejects "%s" and states what was expected', ([text = '', where = '']) => {
    expect(() => parseRoutes([text], true)).toThrow(where);
    expect(() => parseRoutes([text], true)).toThrow('https://shop.example=http://localhost:3000');
  });
});
