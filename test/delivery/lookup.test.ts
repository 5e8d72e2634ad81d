import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { loopbackAddresses, lookupAll, pinnedLookup } from '../../src/delivery/lookup.js';

describe('lookupAll', () => {
  test('gives every address of a name', async () => {
    const addresses = await lookupAll('localhost');
    expect(addresses.map(({ address }) => address)).toContain('127.0.0.1');
  });

  test('shares a lookup that is under way, and asks again after it', async () => {
    const first = lookupAll('localhost');
    expect(lookupAll('localhost')).toBe(first);
    await first;
    expect(lookupAll('localhost')).not.toBe(first);
  });

  test('rejects when there is none, and asks again after that', async () => {
    const unknown = `${'x'.repeat(64)}.invalid`;
    const first = lookupAll(unknown);
    await expect(first).rejects.toThrow('ENOTFOUND');
    const second = lookupAll(unknown);
    expect(second).not.toBe(first);
    await expect(second).rejects.toThrow('ENOTFOUND');
  });
});

describe('loopbackAddresses', () => {
  test.for(['localhost', 'localhost.', 'shop.localhost', 'a.b.localhost.'])('knows %s', (hostname) => {
    expect(loopbackAddresses(hostname)?.map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
  });

  test.for(['', 'shop.example', 'localhost.example', 'mylocalhost', '.localhost'])(
    'does not know "%s"',
    (hostname) => {
      expect(loopbackAddresses(hostname)).toBeNull();
    },
  );
});

describe('pinnedLookup', () => {
  const addresses = [
    { address: '93.184.215.14', family: 4 },
    { address: '2606:2800:21f::1', family: 6 },
  ];

  test('answers with all addresses, or with the first, as it is asked', async () => {
    const lookup = promisify(pinnedLookup(addresses));
    expect(await lookup('shop.example', { all: true })).toEqual(addresses);
    expect(await lookup('shop.example', {})).toBe('93.184.215.14');
  });

  test('fails when it knows none', async () => {
    await expect(promisify(pinnedLookup([]))('shop.example', {})).rejects.toThrow('shop.example');
  });
});
