import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../src/contract/limits.js';
import { KnownSecrets } from '../../src/text/redaction.js';
import { AttemptRecords } from '../../src/sandbox/attempt-records.js';
import { RecentMap } from '../../src/sandbox/subscribers.js';
import { attemptResult } from '../helpers/delivery/attempts.js';

describe('a map of recent entries', () => {
  test('drops the oldest beyond its limit, and renews what is set again', () => {
    const recent = new RecentMap<number>(2);
    recent.set('a', 1);
    recent.set('b', 2);
    recent.set('a', 3);
    recent.set('c', 4);
    expect([recent.get('a'), recent.get('b'), recent.get('c')]).toEqual([3, undefined, 4]);
  });
});

describe('the records of attempts', () => {
  const record = (number: number) => ({ number, realAt: 0, requestHeaders: {}, result: attemptResult(200) });

  test('the records of attempts are removed with their delivery', () => {
    const records = new AttemptRecords(new KnownSecrets());
    for (const id of ['one', 'two']) records.add(id, record(1));
    records.drop(['one', 'unknown']);
    expect([records.get('one', 1), records.get('two', 1)]).toEqual([undefined, record(1)]);
  });

  test('the records of attempts are found by delivery and number', () => {
    const records = new AttemptRecords(new KnownSecrets());
    records.add('one', record(1));
    records.add('one', record(2));
    expect(records.get('one', 2)).toEqual(record(2));
    expect(records.get('one', 3)).toBeUndefined();
    expect(records.get('two', 1)).toBeUndefined();
  });

  test('the records of attempts are stored for the newest attempts and the newest deliveries', () => {
    const records = new AttemptRecords(new KnownSecrets());
    for (let number = 1; number <= LIMITS.attemptsKept + 1; number += 1) records.add('one', record(number));
    expect(records.get('one', 1)).toBeUndefined();
    expect(records.get('one', 2)).toBeDefined();
    for (let index = 0; index < LIMITS.attemptDetailsKept; index += 1)
      records.add(`other-${index}`, record(1));
    expect(records.get('one', 2)).toBeUndefined();
    expect(records.get('other-0', 1)).toBeDefined();
  });
});
