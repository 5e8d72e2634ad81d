import { assert, jsonValue, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  escapeAscii,
  BYTE_LIST_FORMATS,
  escapeLikeDotnet,
  escapeLikeGson,
  escapeHtml,
  parseJsonBody,
  MAX_REWRITTEN_BYTES,
  escapeLikePhp,
  printValue,
  LANGUAGE_PRINTERS,
  formatPythonBytes,
  respaceJson,
  reverseKeys,
  sortKeys,
  UNPADDED_HEX_FORMATS,
  omitNulls,
} from '../../../src/signing/diagnosis/rewriting.js';

describe('other forms of a JSON body', () => {
  test('keeps the value of any body', () => {
    assert(
      property(jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const indented = JSON.stringify(value, null, 3);
        expect(respaceJson(indented, ',', ':')).toBe(text);
        const forms = [
          respaceJson(text, ', ', ': '),
          escapeAscii(text),
          escapeHtml(text),
          JSON.stringify(sortKeys(value)),
          JSON.stringify(reverseKeys(value)),
        ];
        for (const form of forms) expect(JSON.parse(form)).toEqual(JSON.parse(text));
      }),
    );
  });

  test('preserves the spelling of numbers, escapes and strings with punctuation', () => {
    expect(respaceJson('{ "a:,{" : 10.00 , "b" : "\\u00e7\\"," }', ', ', ': ')).toBe(
      '{"a:,{": 10.00, "b": "\\u00e7\\","}',
    );
  });

  test('changes the order of keys and drops nulls at every depth', () => {
    const value = { b: 1, a: [{ d: null, c: 2 }] };
    expect(JSON.stringify(sortKeys(value))).toBe('{"a":[{"c":2,"d":null}],"b":1}');
    expect(JSON.stringify(reverseKeys(value))).toBe('{"a":[{"c":2,"d":null}],"b":1}');
    expect(JSON.stringify(sortKeys(value, 1))).toBe('{"a":[{"d":null,"c":2}],"b":1}');
    expect(JSON.stringify(omitNulls(value))).toBe('{"b":1,"a":[{"c":2}]}');
  });
});

describe('serialization in other languages', () => {
  const value = { b: [1, null, true], a: 'ç/<&>+', q: `it's`, d: `it's "so"\\` };
  const json = JSON.stringify(value);

  test.each<[string, string, string]>([
    [
      'PHP',
      escapeLikePhp(json),
      String.raw`{"b":[1,null,true],"a":"\u00e7\/<&>+","q":"it's","d":"it's \"so\"\\"}`,
    ],
    [
      'Gson',
      escapeLikeGson(json),
      String.raw`{"b":[1,null,true],"a":"ç/\u003c\u0026\u003e+","q":"it\u0027s","d":"it\u0027s \"so\"\\"}`,
    ],
    [
      'System.Text.Json',
      escapeLikeDotnet(json),
      String.raw`{"b":[1,null,true],"a":"\u00E7/\u003C\u0026\u003E\u002B","q":"it\u0027s","d":"it\u0027s \u0022so\u0022\\"}`,
    ],
    [
      'Python',
      printValue(value, LANGUAGE_PRINTERS.python),
      String.raw`{'b': [1, None, True], 'a': 'ç/<&>+', 'q': "it's", 'd': 'it\'s "so"\\'}`,
    ],
    [
      'Ruby',
      printValue(value, LANGUAGE_PRINTERS.ruby),
      String.raw`{"b"=>[1, nil, true], "a"=>"ç/<&>+", "q"=>"it's", "d"=>"it's \"so\"\\"}`,
    ],
    ['new Ruby', printValue({ a: 1 }, LANGUAGE_PRINTERS.newRuby), '{"a" => 1}'],
    [
      'Java',
      printValue(value, LANGUAGE_PRINTERS.java),
      String.raw`{b=[1, null, true], a=ç/<&>+, q=it's, d=it's "so"\}`,
    ],
    [
      'Go',
      printValue(value, LANGUAGE_PRINTERS.go),
      String.raw`map[b:[1 <nil> true] a:ç/<&>+ q:it's d:it's "so"\]`,
    ],
    ['Python bytes', formatPythonBytes(Buffer.from(`a'\n\\ç`)), String.raw`b"a'\n\\\xc3\xa7"`],
  ])('reproduces how %s serializes text', (_language, text, expected) => {
    expect(text).toBe(expected);
  });

  test('reproduces lists and hex digits of bytes', () => {
    const bytes = Buffer.of(0, 5, 255);
    expect(BYTE_LIST_FORMATS.map((write) => write(bytes))).toEqual([
      '0,5,255',
      '[0 5 255]',
      '[0, 5, 255]',
      '[0, 5, -1]',
    ]);
    expect(UNPADDED_HEX_FORMATS.map((write) => write(bytes))).toEqual(['05ff', '5ff', '05ffffffff']);
  });
});

describe('parseJsonBody', () => {
  test('returns undefined for anything but short JSON in UTF-8', () => {
    expect(parseJsonBody(Buffer.from('{"a":1}'))).toEqual({ text: '{"a":1}', value: { a: 1 } });
    const others = ['', '{', 'a=1', Buffer.from([0x22, 0xff, 0x22]), ' '.repeat(MAX_REWRITTEN_BYTES) + '1'];
    for (const other of others) expect(parseJsonBody(Buffer.from(other))).toBeUndefined();
  });
});
