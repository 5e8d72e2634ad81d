import { describe, expect, test } from 'vitest';
import { parseJsonHeaders, parseHeaderText } from '../../../src/cli/signatures/captured-webhook.js';

const parse = (text: string, encoding: BufferEncoding = 'utf8') =>
  parseHeaderText(Buffer.from(text, encoding));

describe('raw headers', () => {
  test('raw headers end at an empty line, and skip a request line', () => {
    expect(parse('POST /a HTTP/1.1\nHost: a\n\nnot: a header')).toEqual({ Host: 'a' });
  });

  test('raw headers may come from curl -v', () => {
    expect(parse('> POST /a HTTP/1.1\r\n> webhook-id: msg_1\r\n> \r\n')).toEqual({ 'webhook-id': 'msg_1' });
  });

  test('raw headers are trimmed, but keep spaces within a value', () => {
    expect(parse('a:  v1,x  v1,y \t\nb:')).toEqual({ a: 'v1,x  v1,y', b: '' });
  });

  test('raw headers become a list when repeated, whatever their letter case', () => {
    expect(parse('Set: 1\nset: 2\n')).toEqual({ Set: ['1', '2'] });
  });

  test('raw headers decode each byte as one character', () => {
    expect(parse('a: \u00e9', 'latin1')).toEqual({ a: '\u00e9' });
  });

  test.each(['', '\n', 'no colon', 'a b: c', 'ok: 1\nno colon'])('raw headers reject %j', (text) => {
    expect(parse(text)).toBeUndefined();
  });
});

describe('headers in JSON', () => {
  test.each([
    ['a record', '{"a":"1","b":["2","3"],"c":4}', { a: '1', b: ['2', '3'], c: '4' }],
    ['a record behind a byte order mark', '\ufeff{"a":"1"}', { a: '1' }],
    ['pairs', '[["a","1"],["A","2"]]', { a: ['1', '2'] }],
    ['a flat list', '["a","1","b","2"]', { a: '1', b: '2' }],
  ])('headers in JSON are read as %s', (_form, text, headers) => {
    expect(parse(text)).toEqual(headers);
  });

  test.each(['{}', '[]', '{"a":null}', '{"a":{}}', '["a"]', '[["a"]]', '{"a":', '[[1,"a"]]'])(
    'headers in JSON reject %s',
    (text) => {
      expect(parse(text)).toBeUndefined();
    },
  );

  test('headers in JSON cannot change what an object is', () => {
    const headers = parseJsonHeaders(JSON.parse('{"__proto__":"x","a":"1"}'));
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype);
    expect(Object.keys(headers ?? {})).toEqual(['__proto__', 'a']);
  });
});
