import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { KnownSecrets } from '../../src/text/redaction.js';

const TOKEN = 'shop-token/with+signs=&?#1';
const everyByte = (text: string) =>
  Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

const everyCode = (text: string) =>
  Array.from(text, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

describe('a known secret', () => {
  const secrets = new KnownSecrets([TOKEN, 'segredo açaí', 'a shorter one', 'shop-token']);

  test.for([
    ['alone', TOKEN, '…'],
    ['in a path', `/api/${TOKEN}/x`, '/api/…/x'],
    ['twice', `${TOKEN} and ${TOKEN}`, '… and …'],
    ['inside a word', `x${TOKEN}y`, 'x…y'],
    ['as a parameter', `/x?a=1&key=${encodeURIComponent(TOKEN)}&b=2`, '/x?a=1&key=…&b=2'],
    ['with every byte encoded', `/x/${everyByte(TOKEN)}/y`, '/x/…/y'],
    ['with one letter encoded', `/x/%73${TOKEN.slice(1)}/y`, '/x/…/y'],
    ['with escapes of JSON', '{"a":"shop-token\\/with+signs=&?#1"}', '{"a":"…"}'],
    ['with a code for each character', everyCode(TOKEN), '…'],
    ['beyond ASCII', 'o segredo açaí.', 'o ….'],
    ['beyond ASCII and encoded', `/x/${encodeURIComponent('segredo açaí')}/%20y`, '/x/…/%20y'],
    ['beyond ASCII as bytes', Buffer.from('o segredo açaí.').toString('latin1'), 'o ….'],
    ['as the prefix of another', '/shop-token/', '/…/'],
    ['next to invalid text', `/%zz/${TOKEN}/%`, '/%zz/…/%'],
  ] as const)('a known secret is hidden %s', ([, text, shown]) => {
    expect(secrets.hide(text)).toBe(shown);
  });

  test.for(['', '/api/public/v1/pix?limit=5', '%', '%e7%zz', 'shop-toke', 'a shorter on'])(
    'leaves other text unchanged: %j',
    (text) => {
      expect(secrets.hide(text)).toBe(text);
    },
  );

  test('a known secret has at least eight characters', () => {
    const short = new KnownSecrets(['1234567', 'abcdefgh']);
    expect(short.hide('1234567 abcdefgh')).toBe('1234567 …');
  });
});

test('hides credentials of the sandbox, known or not', () => {
  const secrets = new KnownSecrets();
  expect(secrets.hide('/x/pix_test_token_0000000000000001?y')).toBe('/x/…?y');
  expect(secrets.hide(`whsec_${Buffer.alloc(32, 7).toString('base64')}.`)).toBe('….');
  expect(secrets.hide('kyc_test_token pk_test_0000000000000001')).toBe(
    'kyc_test_token pk_test_0000000000000001',
  );
});

test('finds any secret anywhere, in any encoding', () => {
  for (let round = 0; round < 300; round += 1) {
    const all = Array.from({ length: 20 }, () => randomBytes(6 + (round % 30)).toString('base64'));
    const secrets = new KnownSecrets(all);
    const secret = all[round % all.length] ?? '';
    const [head, tail] = [randomBytes(3).toString('hex'), randomBytes(3).toString('hex')];
    const form = [secret, encodeURIComponent(secret), everyByte(secret)][round % 3] ?? '';
    expect(secrets.hide(`/${head}/${form}?${tail}`), `${secret} in ${form}`).toBe(`/${head}/…?${tail}`);
  }
});
