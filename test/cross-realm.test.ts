import { expect, test } from 'vitest';
import { shareAcrossRealms } from '../src/cross-realm.js';

function copy() {
  class Thing {
    static {
      shareAcrossRealms(this, 'Thing');
    }
  }
  class Part extends Thing {}
  return { Thing, Part };
}

test('an instance of one copy is an instance of another', () => {
  const [one, other] = [copy(), copy()];
  expect(new one.Thing()).toBeInstanceOf(other.Thing);
  expect(new one.Part()).toBeInstanceOf(other.Thing);
});

test('nothing else is an instance', () => {
  const { Thing, Part } = copy();
  for (const value of [undefined, null, 'Thing', {}, Thing, new Error('no')]) {
    expect(value instanceof Thing).toBe(false);
  }
  expect(new Thing() instanceof Part).toBe(false);
  expect(new Part() instanceof Part).toBe(true);
});

test('an instance has no visible marker', () => {
  const { Thing } = copy();
  expect(Reflect.ownKeys(new Thing())).toEqual([]);
});
