import { promisify } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isLoopback,
  isPublicAddress,
  resolveAllAddresses,
  getLoopbackAddresses,
  createPinnedLookup,
} from '../../src/delivery/addresses.js';
import { SPECIAL_RANGES } from '../helpers/delivery/special-ranges.js';

describe('lookupAll', () => {
  test('returns every address of a name', async () => {
    const addresses = await resolveAllAddresses('localhost');
    expect(addresses.map(({ address }) => address)).toContain('127.0.0.1');
  });

  test('shares a pending lookup, and repeats it afterwards', async () => {
    const first = resolveAllAddresses('localhost');
    expect(resolveAllAddresses('localhost')).toBe(first);
    await first;
    expect(resolveAllAddresses('localhost')).not.toBe(first);
  });

  test('rejects a name without addresses, and looks it up again afterwards', async () => {
    const unknown = `${'x'.repeat(64)}.invalid`;
    const first = resolveAllAddresses(unknown);
    await expect(first).rejects.toThrow('ENOTFOUND');
    const second = resolveAllAddresses(unknown);
    expect(second).not.toBe(first);
    await expect(second).rejects.toThrow('ENOTFOUND');
  });
});

describe('getLoopbackAddresses', () => {
  test.for(['localhost', 'localhost.', 'shop.localhost', 'a.b.localhost.'])('includes %s', (hostname) => {
    expect(getLoopbackAddresses(hostname)?.map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
  });

  test.for(['', 'shop.example', 'localhost.example', 'mylocalhost', '.localhost'])(
    'getLoopbackAddresses does not include "%s"',
    (hostname) => {
      expect(getLoopbackAddresses(hostname)).toBeNull();
    },
  );
});

describe('createPinnedLookup', () => {
  const addresses = [
    { address: '93.184.215.14', family: 4 },
    { address: '2606:2800:21f::1', family: 6 },
  ];

  test('returns all addresses or the first, as requested', async () => {
    const lookup = promisify(createPinnedLookup(addresses));
    expect(await lookup('shop.example', { all: true })).toEqual(addresses);
    expect(await lookup('shop.example', {})).toBe('93.184.215.14');
  });

  test('fails without addresses', async () => {
    await expect(promisify(createPinnedLookup([]))('shop.example', {})).rejects.toThrow('shop.example');
  });
});

/** Public addresses that stand directly before or after such a range. */
const NEIGHBOURS = [
  ['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
  ['169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '191.255.255.255', '192.0.1.0'],
  ['192.0.1.255', '192.0.3.0', '192.31.195.255', '192.31.197.0', '192.52.192.255', '192.52.194.0'],
  ['192.88.98.255', '192.88.100.0', '192.167.255.255', '192.169.0.0', '192.175.47.255', '192.175.49.0'],
  ['198.17.255.255', '198.20.0.0', '198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0'],
  ['223.255.255.255', '2000::', '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::', '2001:db9::'],
  ['2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
  ['2620:4f:7fff:ffff:ffff:ffff:ffff:ffff', '2620:4f:8001::', '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['3fff:1000::', '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
].flat();

/** Addresses with a name of their own, however they are written. */
const NOTABLE = [
  ['127.0.0.1', '::1', '::', '0.0.0.0', '255.255.255.255', '169.254.169.254', 'fd00:ec2::254'],
  ['fe80::1', 'fec0::1', 'fc00::1', 'fd12:3456::1', 'ff02::1', '100::1', '5f00::1'],
  ['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::FFFF:7F00:1', '0:0:0:0:0:ffff:0808:0808', '::8.8.8.8'],
  ['64:ff9b::8.8.8.8', '64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '2001:0:4136:e378::1'],
].flat();

describe('isPublicAddress', () => {
  test('rejects the first and last address of every special range, and notable addresses', () => {
    expect([...SPECIAL_RANGES.flat(), ...NOTABLE].filter(isPublicAddress)).toEqual([]);
  });

  test('accepts the addresses just outside of them, and others', () => {
    const others = ['8.8.8.8', '93.184.215.14', '2606:4700:4700::1111', '2A00:1450:4001:82B::200E'];
    expect([...NEIGHBOURS, ...others].filter((address) => !isPublicAddress(address))).toEqual([]);
  });

  test('rejects anything but a plain address', () => {
    const texts = ['', 'shop.example', '8.8.8', '8.8.8.8.8', '08.8.8.8', '8.8.8.8 ', '1'];
    expect([...texts, '[2606:4700::1]', '2606:4700::1%eth0'].filter(isPublicAddress)).toEqual([]);
  });

  test('rejects every IPv4 address wrapped in an IPv6 one', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom('::ffff:', '::', '64:ff9b::', '::ffff:0:'), (address, wrap) => {
        expect(isPublicAddress(wrap + address)).toBe(false);
      }),
    );
  });
});

test.each([
  '127.0.0.1:3000',
  '127.1',
  '127.255.0.1',
  'localhost',
  'LOCALHOST.',
  'shop.localhost',
  '[::1]:80',
])('recognizes %s as this machine', (host) => expect(isLoopback(new URL(`http://${host}/hooks`))).toBe(true));

test.each([
  '127.evil.example',
  '127.0.0.1.example',
  'localhost.example',
  '128.0.0.1',
  '0.0.0.0',
  '[::2]',
  '10.0.0.1',
])('does not recognize %s as this machine', (host) =>
  expect(isLoopback(new URL(`http://${host}/hooks`))).toBe(false),
);
