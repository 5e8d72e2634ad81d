import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../src/contract/limits.js';
import type { Call } from '../../src/sandbox/call-log.js';
import { CallLog } from '../../src/sandbox/call-log.js';

function call(number: number): Call {
  return {
    requestId: `request-${number}`,
    at: number,
    realAt: number,
    api: 'api',
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

/** The newest exchange as it is shown. */
function shownIn(log: CallLog) {
  const [newest] = log.newest();
  return newest && log.shown(newest);
}

describe('the request log', () => {
  test.each([0, LIMITS.callsKept, LIMITS.callsKept + 1])(
    'the request log contains the newest thousand after %d requests, newest first',
    (count) => {
      const log = logOf(count);
      const flushed = Math.min(count, LIMITS.callsKept);
      expect(log.newest()).toEqual(Array.from({ length: flushed }, (_, index) => call(count - index)));
      expect(log.count).toBe(count);
    },
  );

  test('starts over when it is cleared', () => {
    const log = logOf(LIMITS.callsKept + 5);
    log.clear();
    expect([log.count, log.newest()]).toEqual([0, []]);
    log.add(call(1));
    expect(log.newest()).toEqual([call(1)]);
  });

  test('reports each new request to subscribers, until they leave', () => {
    const log = logOf(3);
    const heard: Call[] = [];
    const end = log.subscribe((one) => heard.push(one));
    log.add(call(4));
    end();
    log.add(call(5));
    expect(heard).toEqual([call(4)]);
  });

  const BODY = 'x'.repeat(LIMITS.callBodyBytes);

  /** A call with a body of this text in its request and in its answer. */
  function withBodies(number: number, body: string): Call {
    const sent = { headers: [['x-number', String(number)]] as const, body, bytes: body.length };
    return { ...call(number), exchange: { request: sent, response: sent, durationMs: 1 } };
  }

  test.each([
    ['a full body', BODY, false],
    ['a body over the limit', `${BODY}y`, true],
  ])('stores as much of %s as the limit allows', (_, body, truncated) => {
    const log = new CallLog();
    log.add(withBodies(1, body));
    const shown = { body: { body: BODY }, bytes: body.length, truncated, redacted: false };
    expect(shownIn(log)).toMatchObject({ request: shown, response: shown });
  });

  test('reports that a body is incomplete', () => {
    const log = new CallLog();
    const sent = { headers: [], body: Buffer.from('half'), bytes: 9 };
    log.add({ ...call(1), exchange: { request: sent, response: null, durationMs: 1 } });
    expect(shownIn(log)?.request).toMatchObject({ body: { body: 'half' }, bytes: 9, truncated: true });
  });

  test('shortens fields named as secrets only in requests, and reports it', () => {
    const log = new CallLog();
    const body = '{"password":"a-long-password-of-mine"}';
    const sent = { headers: [], body, bytes: body.length };
    log.add({ ...call(1), exchange: { request: sent, response: sent, durationMs: 1 } });
    const { request, response } = shownIn(log) ?? {};
    expect([request?.body.body, request?.redacted]).toEqual(['{"password":"a-long-p…ne"}', true]);
    expect([response?.body.body, response?.redacted]).toEqual([body, false]);
  });

  test('stores a non-UTF-8 body as bytes, and hides secrets in it', () => {
    const log = new CallLog((text) => text.replaceAll('hunter-2-hunter', '…'));
    const body = Buffer.from([0xff, 0xfe, ...Buffer.from('hunter-2-hunter'), 0x80]);
    const sent = { headers: [], body, bytes: body.length };
    log.add({ ...call(1), exchange: { request: sent, response: null, durationMs: 1 } });
    const { request } = shownIn(log) ?? {};
    const expected = Buffer.from([0xff, 0xfe, ...Buffer.from('…'), 0x80]);
    expect(request?.body.body_base64).toBe(expected.toString('base64'));
  });

  test('hides a secret used as the code of a payment', () => {
    const log = new CallLog((text) => text.replaceAll('hunter-2-hunter', '…'));
    log.add({ ...call(1), resourceCode: 'order-hunter-2-hunter' });
    expect(log.newest()[0]?.resourceCode).toBe('order-…');
  });

  test('stores the whole of a response with multibyte characters', () => {
    const log = new CallLog();
    const body = '{"payer_name":"João"}';
    const sent = { headers: [], body, bytes: Buffer.byteLength(body) };
    log.add({ ...call(1), exchange: { request: sent, response: sent, durationMs: 1 } });
    expect(shownIn(log)?.response).toMatchObject({ body: { body }, truncated: false });
  });

  test('hides a secret truncated by the limit of a body', () => {
    const log = new CallLog((text) => text.replaceAll('hunter-2-hunter', '…'));
    const body = `${BODY.slice(8)}hunter-2-hunter and more`;
    const sent = { headers: [], body, bytes: body.length };
    log.add({ ...call(1), exchange: { request: sent, response: sent, durationMs: 1 } });
    const flushed = shownIn(log);
    for (const message of [flushed?.request, flushed?.response])
      expect(message).toMatchObject({ body: { body: `${BODY.slice(8)}… and ` }, truncated: true });
  });
});
