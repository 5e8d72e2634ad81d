import { expect, test } from 'vitest';
import {
  matchReading,
  listReadings,
  parseObjectText,
} from '../../../src/signing/diagnosis/signature-text.js';

const BYTES = Buffer.from('fbef01020a1f7e00ffaa', 'hex');
const HEX = BYTES.toString('hex');
const BASE64 = BYTES.toString('base64');
const COLONS = HEX.match(/../g)?.join(':') ?? '';

/** The mistakes of each way in which a text can be read as these bytes. */
function waysTo(bytes: Buffer, text: string, encoding: 'hex' | 'base64'): string[] {
  return listReadings(text, encoding)
    .filter((reading) => reading.text === bytes.toString('hex'))
    .map(({ errors }) => errors.map(({ id }) => id.replace('signature-', '')).join(' + ') || 'right');
}

test.each<[string, 'hex' | 'base64', readonly string[]]>([
  [HEX, 'hex', ['right']],
  [BASE64, 'base64', ['right']],
  [BASE64, 'hex', ['base64']],
  [HEX, 'base64', ['hex']],
  [HEX.toUpperCase(), 'hex', ['upper-case']],
  ['fbEF01020a1f7e00ffaa', 'hex', ['upper-case']],
  [BYTES.toString('base64url'), 'hex', ['base64url']],
  [`${BYTES.toString('base64url')}==`, 'base64', ['base64url']],
  [BASE64.replaceAll('=', ''), 'base64', ['unpadded']],
  [Buffer.from(HEX).toString('base64'), 'hex', ['base64-of-hex']],
  [Buffer.from(BASE64).toString('hex'), 'hex', ['hex-of-base64']],
  [COLONS, 'hex', ['with-colons']],
  [COLONS.replaceAll(':', ' '), 'hex', ['with-colons', 'with-blanks']],
  [COLONS.replaceAll(':', '-').toUpperCase(), 'hex', ['with-colons']],
  [[...BYTES].join(','), 'hex', ['as-numbers']],
  [JSON.stringify([...BYTES]), 'hex', ['as-numbers']],
  [`sha256=${HEX}`, 'hex', ['prefixed']],
  [`v1: ${HEX}`, 'hex', ['prefixed']],
  [`HMAC-SHA256 ${HEX}`, 'hex', ['prefixed']],
  [`0x${HEX}`, 'hex', ['with-0x']],
  [`0X${HEX}`, 'hex', ['with-0x']],
  [`"${HEX}"`, 'hex', ['quoted']],
  [`'${HEX}'`, 'hex', ['quoted']],
  [`${HEX}\n`, 'hex', ['with-blanks']],
  [`${HEX.slice(0, 8)} \t${HEX.slice(8)}`, 'hex', ['with-blanks']],
  [encodeURIComponent(BASE64), 'base64', ['url-encoded']],
  [`"${BASE64}"`, 'hex', ['quoted + base64']],
  [`[${BYTES.join(' ')}]`, 'hex', ['as-numbers']],
  [`[${new Int8Array(BYTES).join(', ')}]`, 'hex', ['as-numbers', 'with-blanks + as-numbers']],
  [JSON.stringify(BYTES), 'hex', ['as-numbers']],
  [JSON.stringify(Object.fromEntries(BYTES.entries())), 'hex', ['as-numbers']],
  [`b'${HEX}'`, 'hex', ['python-bytes']],
  [`b"${BASE64}"`, 'base64', ['python-bytes']],
  [`b'\\xfb\\xef\\x01\\x02\\n\\x1f~\\x00\\xff\\xaa'`, 'hex', ['python-bytes']],
  [`SHA2-256(stdin)= ${HEX}`, 'hex', ['command-output']],
  [`HMAC-SHA2-256(stdin)= ${HEX}\n`, 'hex', ['command-output']],
  [`(stdin)= ${HEX}`, 'hex', ['command-output']],
  [`SHA256 (body.json) = ${HEX}`, 'hex', ['command-output']],
  [Buffer.from(`SHA2-256(stdin)= ${HEX}\n`).toString('base64'), 'hex', ['command-output']],
  [Buffer.from(`${HEX}\n`).toString('base64'), 'hex', ['base64-of-hex']],
])('decodes %j, where %s is expected, as %j', (text, encoding, expected) => {
  expect(waysTo(BYTES, text, encoding)).toEqual(expected);
});

test.each([
  '',
  `${HEX}0`,
  `${HEX}gg`,
  `z${COLONS}`,
  `${COLONS}:`,
  COLONS.replace(':', ';'),
  `"${HEX}'`,
  `x0x${HEX}`,
  `sha256${HEX}`,
  `unknown=${HEX}`,
  `${HEX}%zz`,
  `x[${[...BYTES].join(',')}`,
  [...BYTES, 256].join(','),
])('does not decode %j as these bytes', (text) => {
  expect(waysTo(BYTES, text, 'hex')).toEqual([]);
});

test('does not decode text that is too long for a signature', () => {
  expect(listReadings('ab'.repeat(512), 'hex')).not.toEqual([]);
  expect(listReadings('ab'.repeat(513), 'hex')).toEqual([]);
});

const MAC = Buffer.from(`00${'9a05'.repeat(15)}ff`, 'hex');

test.each([
  [`${MAC.toString('hex')}  -`, ['command-output']],
  [`${MAC.toString('hex')} *stdin`, ['command-output']],
  [`${MAC.toString('hex').toUpperCase()}  body.json`, ['command-output', 'upper-case']],
])('decodes the digits of the output %j', (text, expected) => {
  expect(waysTo(MAC, text, 'hex')).toEqual([expected.join(' + ')]);
});

test.each([
  ['of each byte', `0${'9a5'.repeat(15)}ff`],
  ['of each byte, in upper case', `0${'9A5'.repeat(15)}FF`],
  ['of the whole number', `${'9a05'.repeat(15)}ff`],
  ['of each byte, with the sign of negative ones', `0${'ffffff9a5'.repeat(15)}ffffffff`],
])('recovers stripped leading zeros %s', (_which, text) => {
  const readings = listReadings(text, 'hex');
  const ids = matchReading(readings, MAC)?.errors.map(({ id }) => id);
  expect(ids).toEqual(['signature-without-leading-zeros']);
  expect(matchReading(readings, Buffer.from(MAC).fill(1))).toBeUndefined();
});

test.each(['[object Promise]', 'undefined', '[B@64c87930', '<Buffer fb ef>', 'Promise { <pending> }', '{}'])(
  'recognizes %s as a stringified object',
  (text) => {
    expect(parseObjectText(text)).toContain(text);
  },
);

test.each([HEX, BASE64, 'nilA', '', 'a<b>'])('does not recognize %j as a stringified object', (text) => {
  expect(parseObjectText(text)).toBeUndefined();
});

test('lists errors found earlier first', () => {
  const given = [{ id: 'before', did: '', fix: '' }];
  expect(listReadings(`"${HEX}"`, 'hex', given)[0]?.errors.map(({ id }) => id)).toEqual([
    'before',
    'signature-quoted',
  ]);
});
