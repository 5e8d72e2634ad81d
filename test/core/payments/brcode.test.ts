import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { brCodeWriter, crc16 } from '../../../src/core/resources/serialize.js';

interface BrCode {
  readonly url: string;
  readonly merchantName: string;
  readonly merchantCity: string;
}

function brCode({ url, ...merchant }: BrCode): string {
  return brCodeWriter(merchant)(url);
}

const CHARGE: BrCode = {
  url: 'pix.sandbox.localhost/qr/0b3f',
  merchantName: 'Pix Sandbox',
  merchantCity: 'Sao Paulo',
};
const CODE =
  '000201010212' +
  '26510014br.gov.bcb.pix2529pix.sandbox.localhost/qr/0b3f' +
  '520400005303986' +
  '5802BR5911Pix Sandbox6009Sao Paulo' +
  '62070503***6304';

const anyUrl = fc
  .string({ unit: fc.constantFrom(...Array.from('abcXYZ019/-._~%?=&')), maxLength: 55 })
  .map((path) => `pix.sandbox.localhost/${path}`);
const anyName = fc.string({ unit: 'grapheme', maxLength: 40 }).map((rest) => `N${rest}`);
const anyCharge: fc.Arbitrary<BrCode> = fc.record({
  url: anyUrl,
  merchantName: anyName,
  merchantCity: anyName,
});

/** The CRC bit by bit, as its definition reads: an independent oracle. */
function slowCrc(text: string): string {
  let register = 0xffff;
  for (const byte of Buffer.from(text, 'latin1')) {
    for (let bit = 7; bit >= 0; bit -= 1) {
      const carry = (register >> 15) ^ ((byte >> bit) & 1);
      register = ((register << 1) & 0xffff) ^ (carry === 1 ? 0x1021 : 0);
    }
  }
  return register.toString(16).toUpperCase().padStart(4, '0');
}

function withCrc(text: string): string {
  return text + slowCrc(text);
}

/** The top-level fields, read with no knowledge of what they mean. */
function topLevelFields(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (let at = 0; at < text.length;) {
    const length = Number(text.slice(at + 2, at + 4));
    fields.set(text.slice(at, at + 2), text.slice(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return fields;
}

describe('crc16', () => {
  test('gives the published check value', () => {
    expect(crc16('123456789')).toBe('29B1');
    expect(crc16('')).toBe('FFFF');
  });

  test('agrees with the bit-by-bit definition', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 300 }), (text) => {
        expect(crc16(text)).toBe(slowCrc(text));
      }),
    );
  });

  test('pads with zeros', () => {
    const texts = Array.from({ length: 5000 }, (_, i) => `charge ${i}`);
    const padded = texts.map(crc16).filter((crc) => crc.startsWith('0'));
    expect(padded.length).toBeGreaterThan(100);
    expect(padded.filter((crc) => !/^0[\dA-F]{3}$/.test(crc))).toEqual([]);
  });
});

describe('brCodeWriter', () => {
  test('writes every field in its place, and no amount', () => {
    expect(brCode(CHARGE)).toBe(withCrc(CODE));
  });

  test('is ASCII whose lengths add up, for any names', () => {
    fc.assert(
      fc.property(anyCharge, (charge) => {
        const text = brCode(charge);
        const fields = topLevelFields(text);
        expect(text).toMatch(/^[ -~]+$/);
        expect([...fields.keys()]).toEqual(['00', '01', '26', '52', '53', '58', '59', '60', '62', '63']);
        expect(
          [...fields].map(([tag, value]) => tag + String(value.length).padStart(2, '0') + value).join(''),
        ).toBe(text);
        expect(fields.get('26')).toBe(`0014br.gov.bcb.pix25${charge.url.length}${charge.url}`);
        expect(fields.get('59')?.length).toBeLessThanOrEqual(25);
        expect(fields.get('60')?.length).toBeLessThanOrEqual(15);
        expect(fields.get('63')).toBe(slowCrc(text.slice(0, -4)));
      }),
    );
  });

  test.each([
    ['accents', 'Padaria São João Ltda', 'Padaria Sao Joao Ltda'],
    ['what ASCII does not have', 'Café 日本 ☕ Bar', 'Cafe Bar'],
    ['control characters and doubled spaces', '  Loja\t\u0007da  Ana\n', 'Loja da Ana'],
    ['what is over 25 characters', 'Associacao dos Amigos da Praca', 'Associacao dos Amigos da'],
  ])('folds %s', (_, merchantName, folded) => {
    expect(topLevelFields(brCode({ ...CHARGE, merchantName })).get('59')).toBe(folded);
  });

  test('cuts a city to 15 characters', () => {
    const text = brCode({ ...CHARGE, merchantCity: 'São José do Rio Preto' });
    expect(topLevelFields(text).get('60')).toBe('Sao Jose do Rio');
  });

  test('takes a url of 77 characters, which fills field 26, and refuses one of 78', () => {
    const url = 'pix.sandbox.localhost/'.padEnd(77, 'x');
    expect(topLevelFields(brCode({ ...CHARGE, url })).get('26')).toHaveLength(99);
    expect(() => brCode({ ...CHARGE, url: `${url}x` })).toThrow(
      /of at most 77 characters, got "pix\.sandbox/,
    );
  });

  test.each(['', 'https://pix.example/1', 'pix.example/a b', 'pix.example/é', '/only/path'])(
    'refuses the url %j',
    (url) => {
      expect(() => brCode({ ...CHARGE, url })).toThrow(`got ${JSON.stringify(url)}`);
    },
  );

  test.each(['', '   ', '日本'])('refuses the name %j, of which nothing is left', (name) => {
    expect(() => brCode({ ...CHARGE, merchantName: name })).toThrow(`got ${JSON.stringify(name)}`);
    expect(() => brCode({ ...CHARGE, merchantCity: name })).toThrow(`got ${JSON.stringify(name)}`);
  });
});
