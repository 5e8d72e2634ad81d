/** What stands for a secret where it is not shown. */
const HIDDEN = '…';
/** A known value that is shorter could be any word, and hiding it would tear every text apart. */
const LEAST_LENGTH = 8;
/** How many times a text may be percent-encoded. */
const MOST_LAYERS = 3;
/** What we draw ourselves can be told by its form, also where it is not known. */
const SHAPES = /(?:pix|kyc)_test_[\w-]{16,}|whsec_[\w+/-]{16,}={0,2}/g;
const SLOTS = 65_536;

/** Values that end alike. */
interface Bucket {
  readonly values: Set<string>;
  readonly lengths: Set<number>;
}

type Range = readonly [from: number, to: number];

/**
 * Secrets that must not be shown. Hiding takes time by the length of the text and not by how many there are: each place of the text
 * is looked up by the eight characters before it.
 */
export class KnownSecrets {
  readonly #byEnd = new Map<string, Bucket>();
  /** Which sums of four last characters there are: it spares most places the look-up. */
  readonly #ends = new Uint8Array(SLOTS);

  constructor(secrets: Iterable<string> = []) {
    this.learn(secrets);
  }

  /** Values of fewer than eight characters are left out. */
  learn(secrets: Iterable<string>): void {
    for (const secret of secrets) {
      if (secret.length < LEAST_LENGTH) continue;
      this.#add(secret);
      const bytes = asBytes(secret);
      if (bytes !== undefined) this.#add(bytes);
    }
  }

  clear(): void {
    this.#byEnd.clear();
    this.#ends.fill(0);
  }

  /** The text with `mark` for every secret in it, also a percent-encoded one. */
  hide(text: string, mark = HIDDEN): string {
    if (text.length < LEAST_LENGTH) return text;
    const found = this.#found(text);
    let outermost = (place: number) => place;
    let layer = decoded(text);
    for (let count = 0; count < MOST_LAYERS && layer !== undefined; count += 1) {
      const [{ outer }, around] = [layer, outermost];
      outermost = (place) => around(outer(place));
      for (const [from, to] of this.#found(layer.text)) found.push([outermost(from), outermost(to)]);
      layer = decoded(layer.text);
    }
    return found.length === 0 ? text : replaced(text, found, mark);
  }

  #add(value: string): void {
    const end = value.slice(-LEAST_LENGTH);
    const bucket = this.#byEnd.get(end) ?? { values: new Set(), lengths: new Set() };
    bucket.values.add(value);
    bucket.lengths.add(value.length);
    this.#byEnd.set(end, bucket);
    this.#ends[sumBefore(value, value.length)] = 1;
  }

  #found(text: string): Range[] {
    const found: Range[] = Array.from(text.matchAll(SHAPES), ({ 0: shape, index }) => [
      index,
      index + shape.length,
    ]);
    for (let to = LEAST_LENGTH; to <= text.length; to += 1) {
      if (this.#ends[sumBefore(text, to)] === 0) continue;
      const bucket = this.#byEnd.get(text.slice(to - LEAST_LENGTH, to));
      for (const length of bucket?.lengths ?? []) {
        if (length <= to && bucket?.values.has(text.slice(to - length, to))) found.push([to - length, to]);
      }
    }
    return found;
  }
}

function sumBefore(text: string, to: number): number {
  const [a, b] = [text.charCodeAt(to - 4), text.charCodeAt(to - 3)];
  const [c, d] = [text.charCodeAt(to - 2), text.charCodeAt(to - 1)];
  return (((a * 31 + b) * 31 + c) * 31 + d) % SLOTS;
}

/** How a value looks where a text holds UTF-8 byte by byte; undefined where that is the same, or where there is no UTF-8 of it. */
function asBytes(value: string): string | undefined {
  // eslint-disable-next-line no-control-regex
  if (/^[\0-\u007f]*$/.test(value) || /[\ud800-\udfff]/u.test(value)) return undefined;
  return decoded(encodeURIComponent(value))?.text;
}

/** A text without one layer of percent-encoding, byte by byte. */
interface Layer {
  readonly text: string;
  /** Where a place of this text is in the one around it. */
  readonly outer: (place: number) => number;
}

const ESCAPE_EXTRA = '%41'.length - 1;

function decoded(text: string): Layer | undefined {
  const escaped: number[] = [];
  const plain = text.replaceAll(/%([\dA-Fa-f]{2})/g, (_escape, hex: string, at: number) => {
    escaped.push(at - escaped.length * ESCAPE_EXTRA);
    return String.fromCharCode(Number.parseInt(hex, 16));
  });
  if (escaped.length === 0) return undefined;
  return { text: plain, outer: (place) => place + ESCAPE_EXTRA * countBelow(escaped, place) };
}

/** How many of the sorted numbers are below a limit. */
function countBelow(sorted: readonly number[], limit: number): number {
  let [least, most] = [0, sorted.length];
  while (least < most) {
    const middle = (least + most) >> 1;
    if ((sorted[middle] ?? limit) < limit) least = middle + 1;
    else most = middle;
  }
  return least;
}

function replaced(text: string, found: Range[], mark: string): string {
  let shown = '';
  let at = 0;
  for (const [from, to] of found.sort((one, other) => one[0] - other[0])) {
    if (from >= at) shown += text.slice(at, from) + mark;
    at = Math.max(at, to);
  }
  return shown + text.slice(at);
}
