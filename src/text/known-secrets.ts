/** The replacement for a hidden secret. */
const HIDDEN = '…';
/** A shorter value could be any word, and hiding it would make texts unreadable. */
const LEAST_LENGTH = 8;
/** The layers of percent-encoding to look through. */
const MOST_LAYERS = 3;
/** A text without either holds nothing of those shapes. */
const SHAPE_SIGNS = ['_test_', 'whsec_'] as const;
/** Secrets that we generate are recognisable by their form, even unknown ones. */
const SHAPES = /(?:pix|kyc)_test_[\w-]{16,}|whsec_[\w+/-]{16,}={0,2}/g;
const SLOTS = 65_536;
const GRAM = 4;
/** Of as many neighbouring positions, one is within the last eight characters of a secret that ends there. */
const STRIDE = LEAST_LENGTH - GRAM + 1;

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
  /** The sums of each four characters among the last eight of all values: they save the look-up at most positions. */
  readonly #grams = new Uint8Array(SLOTS);
  /** The first two characters of each of those four: looking at them alone first takes half of the time. */
  readonly #pairs = new Uint8Array(SLOTS);
  /** The last two characters of all values. */
  readonly #endings = new Uint8Array(SLOTS);

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
    this.#grams.fill(0);
    this.#pairs.fill(0);
    this.#endings.fill(0);
  }

  /** The text with `mark` in place of every secret, even one that is percent-encoded or has escapes of JSON. */
  hide(text: string, mark = HIDDEN): string {
    if (text.length < LEAST_LENGTH) return text;
    const found = this.#found(text);
    for (const escapes of [PERCENT, JSON_ESCAPES]) this.#lookThrough(escapes, text, found);
    return found.length === 0 ? text : replaced(text, found, mark);
  }

  #lookThrough(escapes: Escapes, text: string, found: Range[]): void {
    let outermost = (place: number) => place;
    let layer = decoded(text, escapes);
    for (let count = 0; count < MOST_LAYERS && layer !== undefined; count += 1) {
      const [{ outer }, around] = [layer, outermost];
      outermost = (place) => around(outer(place));
      for (const [from, to] of this.#found(layer.text)) found.push([outermost(from), outermost(to)]);
      layer = decoded(layer.text, escapes);
    }
  }

  #add(value: string): void {
    const end = value.slice(-LEAST_LENGTH);
    const bucket = this.#byEnd.get(end) ?? { values: new Set(), lengths: new Set() };
    bucket.values.add(value);
    bucket.lengths.add(value.length);
    this.#byEnd.set(end, bucket);
    for (let to = value.length; to > value.length - STRIDE; to -= 1) {
      this.#grams[sumBefore(value, to)] = 1;
      this.#pairs[pairAt(value, to - GRAM)] = 1;
    }
    this.#endings[pairAt(value, value.length - 2)] = 1;
  }

  #found(text: string): Range[] {
    const found: Range[] = SHAPE_SIGNS.some((sign) => text.includes(sign))
      ? Array.from(text.matchAll(SHAPES), ({ 0: shape, index }) => [index, index + shape.length])
      : [];
    for (let at = GRAM; at <= text.length; at += STRIDE) {
      if (this.#pairs[pairAt(text, at - GRAM)] === 1 && this.#grams[sumBefore(text, at)] === 1)
        this.#lookUp(text, at, found);
    }
    return found;
  }

  /** Adds the values that end at one of the positions from `at` to the next stride. */
  #lookUp(text: string, at: number, found: Range[]): void {
    const end = Math.min(at + STRIDE - 1, text.length);
    for (let to = Math.max(at, LEAST_LENGTH); to <= end; to += 1) {
      if (this.#endings[pairAt(text, to - 2)] === 0) continue;
      const bucket = this.#byEnd.get(text.slice(to - LEAST_LENGTH, to));
      for (const length of bucket?.lengths ?? []) {
        if (length <= to && bucket?.values.has(text.slice(to - length, to))) found.push([to - length, to]);
      }
    }
  }
}

function pairAt(text: string, from: number): number {
  return ((text.charCodeAt(from) << 8) ^ text.charCodeAt(from + 1)) & (SLOTS - 1);
}

function sumBefore(text: string, to: number): number {
  const high = text.charCodeAt(to - 4) * 31 + text.charCodeAt(to - 3);
  return ((high * 31 + text.charCodeAt(to - 2)) * 31 + text.charCodeAt(to - 1)) % SLOTS;
}

/** A value with its UTF-8 bytes read one by one; undefined if that is the same, or if it has no UTF-8. */
function asBytes(value: string): string | undefined {
  if (!/[\u0080-\uffff]/.test(value) || /[\ud800-\udfff]/u.test(value)) return undefined;
  return decoded(encodeURIComponent(value), PERCENT)?.text;
}

/** A text without one layer of escapes. */
interface Layer {
  readonly text: string;
  /** The position in the outer text of a position in this text. */
  readonly outer: (place: number) => number;
}

interface Escapes {
  /** What every escape begins with. */
  readonly sign: string;
  readonly pattern: RegExp;
  /** What an escape stands for. */
  readonly meaning: (escape: string) => string;
}

/** Byte by byte. */
const PERCENT: Escapes = {
  sign: '%',
  pattern: /%[\dA-Fa-f]{2}/g,
  meaning: (escape) => String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
};
const JSON_ESCAPES: Escapes = {
  sign: '\\',
  pattern: /\\(?:u[\dA-Fa-f]{4}|["\\/])/g,
  meaning: (escape) =>
    escape.length === 2 ? escape.slice(1) : String.fromCharCode(Number.parseInt(escape.slice(2), 16)),
};

function decoded(text: string, { sign, pattern, meaning }: Escapes): Layer | undefined {
  if (!text.includes(sign)) return undefined;
  /** Where the escapes stand in the plain text, and the surplus characters up to each. */
  const places: number[] = [];
  const surplus = [0];
  const plain = text.replaceAll(pattern, (...match: unknown[]) => {
    const [escape, at] = [String(match[0]), Number(match.at(-2))];
    const before = surplus.at(-1) ?? 0;
    places.push(at - before);
    surplus.push(before + escape.length - 1);
    return meaning(escape);
  });
  if (places.length === 0) return undefined;
  return { text: plain, outer: (place) => place + (surplus[countBelow(places, place)] ?? 0) };
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
