import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createEventId,
  computeHash128,
  toHex,
  createId,
  type IdKind,
  isUuid,
  createSeed,
} from '../../src/core/ids.js';

const KINDS: IdKind[] = ['app', 'account', 'charge', 'withdrawal', 'transaction', 'endpoint', 'delivery'];
const seed = createSeed('42');

const PINNED = {
  seed: [745478367, 3040182170, 3568472304, 2372109042],
  charge0: 'd2974b84-ec0b-47ce-b57a-4bf4bc87be4b',
  delivery99999: '2778fea5-eb7b-4b2d-ac24-0ad54319b1b3',
  event0: 'evt_ebe28f33b4e783c20fe41c9af8993519',
  event1OfAnyText: 'evt_ace4234faf753d529b55360b6c687405',
};

describe('ids', () => {
  test('ids never change between releases: a seed in a test suite keeps its meaning', () => {
    expect(seed).toEqual(PINNED.seed);
    expect(createId({ seed }, 'charge', 0)).toBe(PINNED.charge0);
    expect(createId({ seed }, 'delivery', 99_999)).toBe(PINNED.delivery99999);
    expect(createEventId({ seed }, 0)).toBe(PINNED.event0);
    expect(createEventId({ seed: createSeed('olá 🙂') }, 1)).toBe(PINNED.event1OfAnyText);
  });

  test('ids are UUIDs of version 4, and evt_ with 32 hex digits for events', () => {
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), fc.nat(), fc.string(), (kind, ordinal, text) => {
        const world = { seed: createSeed(text) };
        const id = createId(world, kind, ordinal);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(isUuid(id)).toBe(true);
        expect(createEventId(world, ordinal)).toMatch(/^evt_[0-9a-f]{32}$/);
      }),
    );
  });

  test('ids differ by seed, kind and number, even above 2^32', () => {
    const variants = [
      computeHash128(seed, 'charge', 1),
      computeHash128(createSeed('43'), 'charge', 1),
      computeHash128(seed, 'withdrawal', 1),
      computeHash128(seed, 'charge', 2),
      computeHash128(seed, 'charge', 1 + 2 ** 32),
      computeHash128(seed, 'charge', 1, 1),
    ];
    expect(new Set(variants.map(toHex)).size).toBe(variants.length);
  });
});

describe('isUuid', () => {
  test.each([
    ['00000000-0000-4000-8000-000000000001', true],
    ['ABCDEF00-0000-4000-8000-000000000001', true],
    ['00000000000040008000000000000001', false],
    ['00000000-0000-4000-8000-00000000000g', false],
    ['00000000-0000-4000-8000-0000000000011', false],
    ['', false],
  ])('returns for %s the result %s', (text, expected) => {
    expect(isUuid(text)).toBe(expected);
  });
});
