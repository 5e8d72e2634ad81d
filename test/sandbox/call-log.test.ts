import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../src/contract/limits.js';
import type { Call } from '../../src/sandbox/call-log.js';
import { CallLog } from '../../src/sandbox/call-log.js';

function call(number: number): Call {
  return {
    requestId: `request-${number}`,
    at: number,
    realAt: number,
    door: 'api',
    method: 'POST',
    path: '/api/public/v1/pix',
    status: 201,
    matched: true,
    appId: null,
    resourceId: null,
    error: null,
    hint: null,
    warnings: [],
    faults: [],
  };
}

function logOf(count: number): CallLog {
  const log = new CallLog();
  for (let number = 1; number <= count; number += 1) log.add(call(number));
  return log;
}

describe('the call log', () => {
  test.each([
    0,
    1,
    2,
    LIMITS.callsKept - 1,
    LIMITS.callsKept,
    LIMITS.callsKept + 1,
    3 * LIMITS.callsKept + 7,
  ])('after %d calls has the newest thousand, newest first', (count) => {
    const log = logOf(count);
    const kept = Math.min(count, LIMITS.callsKept);
    expect(log.newest()).toEqual(Array.from({ length: kept }, (_, index) => call(count - index)));
    expect(log.count).toBe(count);
  });

  test('begins anew when it is cleared', () => {
    const log = logOf(LIMITS.callsKept + 5);
    log.clear();
    expect([log.count, log.newest()]).toEqual([0, []]);
    log.add(call(1));
    expect(log.newest()).toEqual([call(1)]);
  });

  test('tells of each call to come, until that is ended', () => {
    const log = logOf(3);
    const heard: Call[] = [];
    const end = log.subscribe((one) => heard.push(one));
    log.add(call(4));
    end();
    log.add(call(5));
    expect(heard).toEqual([call(4)]);
  });
});
