/** The replacement for a hidden secret. */
const HIDDEN = '…';
/** A shorter value could be any word, and hiding it would make texts unreadable. */
const LEAST_LENGTH = 8;
/** The layers of percent-encoding to look through. */
const MOST_LAYERS = 3;
/** Secrets that we generate are recognisable by their form, even unknown ones. */
const SHAPES = /(?:pix|kyc)_test_[\w-]{16,}|whsec_[\w+/-]{16,}={0,2}/g;
const SLOTS = 65_536;

/** Values with the same ending. */
interface Bucket {
  readonly values: Set<string>;
  readonly lengths: Set<number>;
}

type Range = readonly [from: number, to: number];

/**
 * Secrets that must not be shown. The time to hide them depends on the length of the text, not on their number: each position of the
 * text is looked up by the eight characters before it.
 */
export class KnownSecrets {
  readonly #byEnd = new Map<string, Bucket>();
  /** The sums of the last four characters of all values: they save the look-up at most positions. */
  readonly #ends = new Uint8Array(SLOTS);

  constructor(secrets: Iterable<string> = []) {
    this.learn(secrets);
  }

  /** Values of fewer than eight characters are ignored. */
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

  /** The text with `mark` in place of every secret, even a percent-encoded one. */
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

/** A value with its UTF-8 bytes read one by one; undefined if that is the same, or if it has no UTF-8. */
function asBytes(value: string): string | undefined {
  // eslint-disable-next-line no-control-regex
  if (/^[\0-\u007f]*$/.test(value) || /[\ud800-\udfff]/u.test(value)) return undefined;
  return decoded(encodeURIComponent(value))?.text;
}

/** A text without one layer of percent-encoding, byte by byte. */
interface Layer {
  readonly text: string;
  /** The position in the outer text of a position in this text. */
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

/** The count of sorted numbers below a limit. */
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
