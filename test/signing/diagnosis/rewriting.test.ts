import { assert, jsonValue, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  asciiEscaped,
  BYTE_LISTS,
  dotnetEscaped,
  gsonEscaped,
  htmlEscaped,
  jsonBody,
  MAX_REWRITTEN_BYTES,
  phpEscaped,
  printed,
  PRINTERS,
  pythonBytes,
  respaced,
  reversedKeys,
  sortedKeys,
  UNPADDED_HEX,
  withoutNulls,
} from '../../../src/signing/diagnosis/rewriting.js';

describe('other forms of a JSON body', () => {
  test('keeps the value of any body', () => {
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

  test('preserves the spelling of numbers, escapes and strings with punctuation', () => {
    expect(respaced('{ "a:,{" : 10.00 , "b" : "\\u00e7\\"," }', ', ', ': ')).toBe(
      '{"a:,{": 10.00, "b": "\\u00e7\\","}',
    );
  });

  test('changes the order of keys and drops nulls at every depth', () => {
    const value = { b: 1, a: [{ d: null, c: 2 }] };
    expect(JSON.stringify(sortedKeys(value))).toBe('{"a":[{"c":2,"d":null}],"b":1}');
    expect(JSON.stringify(reversedKeys(value))).toBe('{"a":[{"c":2,"d":null}],"b":1}');
    expect(JSON.stringify(sortedKeys(value, 1))).toBe('{"a":[{"d":null,"c":2}],"b":1}');
    expect(JSON.stringify(withoutNulls(value))).toBe('{"b":1,"a":[{"c":2}]}');
  });
});

describe('serialization in other languages', () => {
  const value = { b: [1, null, true], a: 'ç/<&>+', q: `it's`, d: `it's "so"\\` };
  const json = JSON.stringify(value);

  test.each<[string, string, string]>([
    [
      'PHP',
      phpEscaped(json),
      String.raw`{"b":[1,null,true],"a":"\u00e7\/<&>+","q":"it's","d":"it's \"so\"\\"}`,
    ],
    [
      'Gson',
      gsonEscaped(json),
      String.raw`{"b":[1,null,true],"a":"ç/\u003c\u0026\u003e+","q":"it\u0027s","d":"it\u0027s \"so\"\\"}`,
    ],
    [
      'System.Text.Json',
      dotnetEscaped(json),
      String.raw`{"b":[1,null,true],"a":"\u00E7/\u003C\u0026\u003E\u002B","q":"it\u0027s","d":"it\u0027s \u0022so\u0022\\"}`,
    ],
    [
      'Python',
      printed(value, PRINTERS.python),
      String.raw`{'b': [1, None, True], 'a': 'ç/<&>+', 'q': "it's", 'd': 'it\'s "so"\\'}`,
    ],
    [
      'Ruby',
      printed(value, PRINTERS.ruby),
      String.raw`{"b"=>[1, nil, true], "a"=>"ç/<&>+", "q"=>"it's", "d"=>"it's \"so\"\\"}`,
    ],
    ['new Ruby', printed({ a: 1 }, PRINTERS.newRuby), '{"a" => 1}'],
    ['Java', printed(value, PRINTERS.java), String.raw`{b=[1, null, true], a=ç/<&>+, q=it's, d=it's "so"\}`],
    ['Go', printed(value, PRINTERS.go), String.raw`map[b:[1 <nil> true] a:ç/<&>+ q:it's d:it's "so"\]`],
    ['Python bytes', pythonBytes(Buffer.from(`a'\n\\ç`)), String.raw`b"a'\n\\\xc3\xa7"`],
  ])('reproduces how %s serializes text', (_language, text, expected) => {
    expect(text).toBe(expected);
  });

  test('reproduces lists and hex digits of bytes', () => {
    const bytes = Buffer.of(0, 5, 255);
    expect(BYTE_LISTS.map((write) => write(bytes))).toEqual([
      '0,5,255',
      '[0 5 255]',
      '[0, 5, 255]',
      '[0, 5, -1]',
    ]);
    expect(UNPADDED_HEX.map((write) => write(bytes))).toEqual(['05ff', '5ff', '05ffffffff']);
  });
});

describe('jsonBody', () => {
  test('returns undefined for anything but short JSON in UTF-8', () => {
    expect(jsonBody(Buffer.from('{"a":1}'))).toEqual({ text: '{"a":1}', value: { a: 1 } });
    const others = ['', '{', 'a=1', Buffer.from([0x22, 0xff, 0x22]), ' '.repeat(MAX_REWRITTEN_BYTES) + '1'];
    for (const other of others) expect(jsonBody(Buffer.from(other))).toBeUndefined();
  });
});
