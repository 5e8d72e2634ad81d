import { expect, test } from 'vitest';
import { createId, createSeed } from '../../src/core/ids.js';
import { createQrCode } from '../../src/core/resources/serialize.js';
import type { Charge } from '../../src/core/world.js';
import { drawQrPng } from '../../src/sandbox/qr/image.js';
import { readQr } from '../helpers/read-qr.js';

const CHARGES = Number(process.env.QR_CHARGES ?? 20_000);
const text = process.env.QR_SEED ?? String(Math.random());

test(`${CHARGES} images of charges are read back (QR_SEED=${text})`, () => {
  const seed = createSeed(text);
  const misread: string[] = [];
  for (let ordinal = 1; ordinal <= CHARGES; ordinal += 1) {
    const code = createQrCode({ id: createId({ seed }, 'charge', ordinal) } as Charge);
    if (readQr(drawQrPng(code)) !== code) misread.push(code);
  }
  expect(misread).toEqual([]);
});
