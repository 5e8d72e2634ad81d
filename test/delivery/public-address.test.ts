import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPublicAddress } from '../../src/delivery/public-address.js';
import { SPECIAL_RANGES } from '../helpers/delivery/special-ranges.js';

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
  test.for(SPECIAL_RANGES)('refuses %s to %s', ([first, last]) => {
    expect([isPublicAddress(first), isPublicAddress(last)]).toEqual([false, false]);
  });

  test.for(NEIGHBOURS)('allows %s, just outside', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.for(NOTABLE)('refuses %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.for(['8.8.8.8', '93.184.215.14', '2606:4700:4700::1111', '2A00:1450:4001:82B::200E'])(
    'allows %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  test.for([
    '',
    'shop.example',
    '8.8.8',
    '8.8.8.8.8',
    '08.8.8.8',
    '8.8.8.8 ',
    '[2606:4700::1]',
    '2606:4700::1%eth0',
    '1',
  ])('refuses "%s", which is not a plain address', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test('refuses every IPv4 address that is wrapped in an IPv6 one', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom('::ffff:', '::', '64:ff9b::', '::ffff:0:'), (address, wrap) => {
        expect(isPublicAddress(wrap + address)).toBe(false);
      }),
    );
  });
});
