/** Bytes of error correction in each block, for versions 1 to 40 at the correction level Low (ISO/IEC 18004, table 9). */
// prettier-ignore
const CORRECTION_BYTES = [
  7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28,
  28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
];
/** Blocks at the same level, from the same table. */
// prettier-ignore
const BLOCKS = [
  1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8,
  8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25,
];
const BYTE_MODE = 4;
const PADDING = [0xec, 0x11];

/** What a symbol of one version holds. */
interface Capacity {
  readonly version: number;
  readonly blocks: number;
  readonly correctionBytes: number;
  readonly dataBytes: number;
}

const CAPACITIES = BLOCKS.map((blocks, index): Capacity => {
  const version = index + 1;
  const correctionBytes = CORRECTION_BYTES[index] ?? 0;
  return { version, blocks, correctionBytes, dataBytes: symbolBytes(version) - blocks * correctionBytes };
});

/**
 * The bytes that a QR code of a text is made of, and the smallest version that holds them: byte mode, correction level Low.
 * Throws when the text is longer than 2953 bytes of UTF-8.
 */
export function codewords(text: string): { version: number; bytes: Uint8Array } {
  const utf8 = Buffer.from(text);
  const capacity = CAPACITIES.find((it) => utf8.length <= it.dataBytes - headBytes(it.version));
  if (capacity === undefined) {
    throw new RangeError(`Expected a text of at most 2953 bytes for a QR code, got ${utf8.length} bytes`);
  }
  return { version: capacity.version, bytes: interleaved(dataOf(utf8, capacity), capacity) };
}

/** The bytes that a symbol has room for: its modules without those of fixed patterns and of what describes the symbol. */
function symbolBytes(version: number): number {
  const alignments = version === 1 ? 0 : Math.floor(version / 7) + 2;
  const alignmentModules = version === 1 ? 0 : (25 * alignments - 10) * alignments - 55;
  const versionModules = version < 7 ? 0 : 36;
  return Math.floor(((16 * version + 128) * version + 64 - alignmentModules - versionModules) / 8);
}

/** Bytes before the text's end that are not the text: the mode's four bits, the length, and four bits of terminator. */
function headBytes(version: number): number {
  return version < 10 ? 2 : 3;
}

/** Mode, length and text, then padding; everything after the mode begins in the middle of a byte. */
function dataOf(utf8: Buffer, { version, dataBytes }: Capacity): Uint8Array {
  const data = new Uint8Array(dataBytes);
  let left = BYTE_MODE;
  let at = 0;
  const push = (byte: number) => {
    data[at] = (left << 4) | (byte >> 4);
    left = byte & 0xf;
    at += 1;
  };
  if (version >= 10) push(utf8.length >> 8);
  push(utf8.length & 0xff);
  for (const byte of utf8) push(byte);
  data[at] = left << 4;
  for (let i = at + 1; i < dataBytes; i += 1) data[i] = PADDING[(i - at - 1) % 2] ?? 0;
  return data;
}

/** Cuts the data into blocks, the last ones a byte longer, and takes by turns a byte of each; then likewise their corrections. */
function interleaved(data: Uint8Array, { blocks, correctionBytes }: Capacity): Uint8Array {
  const bytes = new Uint8Array(data.length + blocks * correctionBytes);
  const shorter = Math.floor(data.length / blocks);
  const shortBlocks = blocks - (data.length % blocks);
  const products = productsOf(correctionBytes);
  let start = 0;
  for (let block = 0; block < blocks; block += 1) {
    const end = start + shorter + (block < shortBlocks ? 0 : 1);
    for (let i = 0; i < shorter; i += 1) bytes[i * blocks + block] = data[start + i] ?? 0;
    if (block >= shortBlocks) bytes[shorter * blocks + block - shortBlocks] = data[end - 1] ?? 0;
    const correction = remainder(data, start, end, products);
    for (let i = 0; i < correctionBytes; i += 1) {
      bytes[data.length + i * blocks + block] = (correction[i >> 2] ?? 0) >>> (24 - 8 * (i & 3));
    }
    start = end;
  }
  return bytes;
}

/** Of two bytes in GF(256) with the code's polynomial 0x11d. */
function product(a: number, b: number): number {
  let sum = 0;
  for (let bit = 7; bit >= 0; bit -= 1)
    sum = (sum << 1) ^ (sum & 0x80 ? 0x11d : 0) ^ ((b >> bit) & 1 ? a : 0);
  return sum;
}

const PRODUCTS = new Map<number, Uint32Array>();

/**
 * The generator polynomial of this many bytes of Reed-Solomon correction, without its leading one, times each byte: words of
 * four bytes, because they are added four times as fast.
 */
function productsOf(correctionBytes: number): Uint32Array {
  const kept = PRODUCTS.get(correctionBytes);
  if (kept !== undefined) return kept;
  let generator = [1];
  for (let i = 0, root = 1; i < correctionBytes; i += 1, root = product(root, 2)) {
    const factors = [...generator, 0];
    generator = factors.map((factor, j) => factor ^ product(factors[j - 1] ?? 0, root));
  }
  const words = Math.ceil(correctionBytes / 4);
  const products = new Uint32Array(256 * words);
  for (let byte = 1; byte < 256; byte += 1) {
    const rest = byte & (byte - 1);
    for (let i = 0; i < words; i += 1) {
      products[byte * words + i] =
        rest === 0
          ? [1, 2, 3, 4].reduce((word, j) => (word << 8) | product(generator[4 * i + j] ?? 0, byte), 0)
          : (products[rest * words + i] ?? 0) ^ (products[(byte ^ rest) * words + i] ?? 0);
    }
  }
  PRODUCTS.set(correctionBytes, products);
  return products;
}

/** The remainder of some data by the generator polynomial, which is its correction. */
function remainder(data: Uint8Array, start: number, end: number, products: Uint32Array): Uint32Array {
  const size = products.length / 256;
  const rest = new Uint32Array(size + 1);
  for (let at = start; at < end; at += 1) {
    const row = ((data[at] ?? 0) ^ ((rest[0] ?? 0) >>> 24)) * size;
    for (let i = 0; i < size; i += 1) {
      rest[i] = (((rest[i] ?? 0) << 8) | ((rest[i + 1] ?? 0) >>> 24)) ^ (products[row + i] ?? 0);
    }
  }
  return rest;
}
