import { assert, jsonValue, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  asciiEscaped,
  htmlEscaped,
  jsonBody,
  MAX_REWRITTEN_BYTES,
  respaced,
  reversedKeys,
  sortedKeys,
  withoutNulls,
} from '../../../src/signing/diagnosis/rewriting.js';

describe('other forms of a JSON body', () => {
  test('keep its value, whatever it is', () => {
    assert(
      property(jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const indented = JSON.stringify(value, null, 3);
        expect(respaced(indented, ',', ':')).toBe(text);
        const forms = [
          respaced(text, ', ', ': '),
          asciiEscaped(text),
          htmlEscaped(text),
          JSON.stringify(sortedKeys(value)),
          JSON.stringify(reversedKeys(value)),
        ];
        for (const form of forms) expect(JSON.parse(form)).toEqual(JSON.parse(text));
      }),
    );
  });

  test('keep the spelling of numbers, escapes and strings with punctuation', () => {
    expect(respaced('{ "a:,{" : 10.00 , "b" : "\\u00e7\\"," }', ', ', ': ')).toBe(
      '{"a:,{": 10.00, "b": "\\u00e7\\","}',
    );
  });

  test('change the order of keys and drop nulls at every depth', () => {
    const value = { b: 1, a: [{ d: null, c: 2 }] };
    expect(JSON.stringify(sortedKeys(value))).toBe('{"a":[{"c":2,"d":null}],"b":1}');
    expect(JSON.stringify(reversedKeys(value))).toBe('{"a":[{"c":2,"d":null}],"b":1}');
    expect(JSON.stringify(sortedKeys(value, 1))).toBe('{"a":[{"d":null,"c":2}],"b":1}');
    expect(JSON.stringify(withoutNulls(value))).toBe('{"b":1,"a":[{"c":2}]}');
  });
});

describe('jsonBody', () => {
  test('is undefined for anything but short JSON in UTF-8', () => {
    expect(jsonBody(Buffer.from('{"a":1}'))).toEqual({ text: '{"a":1}', value: { a: 1 } });
    const others = ['', '{', 'a=1', Buffer.from([0x22, 0xff, 0x22]), ' '.repeat(MAX_REWRITTEN_BYTES) + '1'];
    for (const other of others) expect(jsonBody(Buffer.from(other))).toBeUndefined();
  });
});
