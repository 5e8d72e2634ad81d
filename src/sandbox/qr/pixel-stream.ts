/** Two modules then fill one byte of pixels, so an image is made of four different bytes. */
export const PIXELS_PER_MODULE = 4;
const LEFT_PIXELS = 0xf0;
const RIGHT_PIXELS = 0x0f;

/** Deflate with its usual window. Bits stand here as they are written, the first one lowest. */
const ZLIB_HEADER = 0x0178;
/** The last block, with Huffman codes of its own. */
const BLOCK = 0b101;
/** A pixel byte is a 1, then its two modules, 1 for white. A line begins with a byte 0, its filter. */
const PIXELS = 0b001;
const FILTER_NONE = PIXELS;
const END_OF_BLOCK = 0b00;
/** The only length of a match; its distance, too, is the only one, with the code 0. */
const MATCH = 0b10;

const END_SYMBOL = 256;
const FIRST_LENGTH = 257;
const LAST_SYMBOL = 285;
const LONGEST_MATCH = 258;
/** How a header says that a symbol's code has 0, 1, 2 or 3 bits. */
const COUNT_CODES = [0b0, 0b001, 0b101, 0b011];
/** How it says that 11 to 138 symbols have none; seven bits say how many more than 11. */
const UNUSED_CODE = 0b111;
const LEAST_UNUSED = 11;
const MOST_UNUSED = 138;
/** How many bits those codes have themselves: of 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14 and 1. */
const CODES_OF_COUNTS = [0, 0, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 3, 0, 3];

/** The parts of Adler-32, before their modulus 65521: the sum of 1 and all bytes, and the sum of what that was after each byte. */
export interface Adler {
  readonly sum: number;
  readonly sumOfSums: number;
}

/** A module in the stream: its bit, 1 for white, and what it adds to the checksum when it is white. */
export interface Cell extends Adler {
  readonly bit: number;
}

/**
 * Deflates an image of modules, one bit a pixel, as a zlib stream (RFC 1950 and 1951) in which each module is one bit. zlib
 * itself would choose other codes for each image.
 */
export class PixelStream {
  readonly #bytes: number[] = [];
  #bits = 0;
  #pending = 0;
  readonly #lineBytes: number;
  readonly #linesPerMatch: number;
  readonly #length: ExtraBits;
  readonly #distance: ExtraBits;
  #bytesLeft: number;
  #sum = 1;
  #sumOfSums: number;

  constructor(sizeModules: number) {
    this.#lineBytes = 1 + Math.ceil(sizeModules / 2);
    this.#linesPerMatch = 3 * this.#lineBytes <= LONGEST_MATCH ? 3 : 1;
    this.#length = lengthOf(this.#linesPerMatch * this.#lineBytes);
    this.#distance = distanceOf(this.#lineBytes);
    this.#bytesLeft = sizeModules * PIXELS_PER_MODULE * this.#lineBytes;
    this.#sumOfSums = this.#bytesLeft;
    this.#push(ZLIB_HEADER, 16);
    this.#push(BLOCK, 3);
    this.#describeCodes();
  }

  get adler(): Adler {
    return { sum: this.#sum, sumOfSums: this.#sumOfSums };
  }

  /** Writes a row, true for white, which is 1 module high, or 4. Returns its cells by column. */
  write(row: readonly boolean[], modules: 1 | 4 = 1): (x: number) => Cell {
    const lines = modules * PIXELS_PER_MODULE;
    this.#push(FILTER_NONE, 3);
    const cell = this.#cells(lines);
    for (let x = 0; x < row.length; x += 2) {
      this.#push(PIXELS | (row[x] ? 2 : 0) | (row[x + 1] ? 4 : 0), 3);
    }
    for (let line = 1; line < lines; line += this.#linesPerMatch) {
      this.#push(MATCH, 2);
      this.#push(this.#length.extra, this.#length.count);
      this.#push(this.#distance.extra << 1, 1 + this.#distance.count);
    }
    for (const [x, isWhite] of row.entries()) {
      if (!isWhite) continue;
      const { sum, sumOfSums } = cell(x);
      this.#sum += sum;
      this.#sumOfSums += sumOfSums;
    }
    this.#bytesLeft -= lines * this.#lineBytes;
    return cell;
  }

  /** The stream without its checksum. */
  end(): Buffer {
    this.#push(END_OF_BLOCK, 2);
    this.#push(0, -this.#bits & 7);
    return Buffer.from(this.#bytes);
  }

  /** The cells of the next lines. A byte counts in the second sum as often as bytes come from it to the end. */
  #cells(lines: number): (x: number) => Cell {
    const start = this.#bits;
    const mostLeft = this.#bytesLeft - 1 - ((lines - 1) * this.#lineBytes) / 2;
    return (x) => {
      const sum = lines * (x % 2 === 0 ? LEFT_PIXELS : RIGHT_PIXELS);
      return { bit: start + 3 * (x >> 1) + 1 + (x & 1), sum, sumOfSums: sum * (mostLeft - (x >> 1)) };
    };
  }

  #push(bits: number, count: number): void {
    this.#pending |= bits << (this.#bits & 7);
    const before = this.#bits & ~7;
    this.#bits += count;
    for (let byte = before; byte + 8 <= this.#bits; byte += 8) {
      this.#bytes.push(this.#pending & 0xff);
      this.#pending >>= 8;
    }
  }

  /** Says how many bits the code of each symbol has; the codes follow from that. */
  #describeCodes(): void {
    const [length, distance] = [this.#length.symbol, this.#distance.symbol];
    this.#push(length + 1 - FIRST_LENGTH, 5);
    this.#push(distance, 5);
    this.#push(CODES_OF_COUNTS.length - 4, 4);
    for (const count of CODES_OF_COUNTS) this.#push(count, 3);
    const pixels = [0, RIGHT_PIXELS, LEFT_PIXELS, LEFT_PIXELS | RIGHT_PIXELS];
    this.#describe([...pixels.map((byte) => [byte, 3] as const), [END_SYMBOL, 2], [length, 2]]);
    this.#describe([[distance, 1]]);
  }

  /** The symbols of an alphabet that have codes, and the codes' lengths in bits. */
  #describe(codes: readonly (readonly [number, number])[]): void {
    let at = 0;
    for (const [symbol, count] of codes) {
      while (symbol - at >= LEAST_UNUSED) {
        const unused = Math.min(symbol - at, MOST_UNUSED);
        this.#push(UNUSED_CODE, 3);
        this.#push(unused - LEAST_UNUSED, 7);
        at += unused;
      }
      for (; at < symbol; at += 1) this.#push(COUNT_CODES[0] ?? 0, 1);
      this.#push(COUNT_CODES[count] ?? 0, 3);
      at += 1;
    }
  }
}

/** A length or a distance: its symbol, and the bits that say more. */
interface ExtraBits {
  readonly symbol: number;
  readonly extra: number;
  readonly count: number;
}

/** Of a match of 11 to 258 bytes. */
function lengthOf(bytes: number): ExtraBits {
  if (bytes === LONGEST_MATCH) return { symbol: LAST_SYMBOL, extra: 0, count: 0 };
  const rest = bytes - 3;
  const count = Math.floor(Math.log2(rest)) - 2;
  return { symbol: FIRST_LENGTH + 4 * count + (rest >> count), extra: rest & ((1 << count) - 1), count };
}

/** Of a match at least five bytes back. */
function distanceOf(bytes: number): ExtraBits {
  const rest = bytes - 1;
  const count = Math.floor(Math.log2(rest)) - 1;
  return { symbol: 2 * count + (rest >> count), extra: rest & ((1 << count) - 1), count };
}
