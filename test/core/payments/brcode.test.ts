import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { brCode, crc16 } from '../../../src/core/resources/serialize.js';

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
});

test('a BR Code has every field in its place, with the length of its url, and no amount', () => {
  for (const url of ['pix.sandbox.localhost/qr/0b3f', 'pix.sandbox.localhost/'.padEnd(77, 'x')]) {
    const text =
      `00020101021226${22 + url.length}0014br.gov.bcb.pix25${url.length}${url}` +
      '5204000053039865802BR5911PIX SANDBOX6009SAO PAULO62070503***6304';
    expect(brCode(url)).toBe(text + slowCrc(text));
  }
});
