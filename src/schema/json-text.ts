import { LIMITS } from '../contract/limits.js';
import type { Path, Place } from './schema.js';

/** A JSON text with the places of its values, or where it stops being JSON, and why. */
export type JsonText =
  | {
      readonly isJson: true;
      /** The value of the text, as by JSON.parse. */
      readonly value: unknown;
      /** Duplicate keys of objects, which JSON.parse accepts; the last one counts. */
      readonly repeated: readonly Path[];
      /** Where an item or the key of a member begins; for an absent one, its nearest parent. */
      readonly placeOf: (path: Path) => Place;
    }
  | {
      readonly isJson: false;
      readonly place: Place;
      /** Follows the name of the text: `is not JSON: expected …, got …`. */
      readonly problem: string;
    };

const SPACE = /[ \t\n\r]*/y;
// The patterns never backtrack, so that neither a long text nor an unterminated one takes long.
const STRING = /"(?:(?=([^"\\\p{Cc}]+))\1|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y;
const LINE_BREAK = /\r\n|\n|\r/g;
/** Long enough to recognise a place, too short to reveal a secret. */
const FOUND = /[^\n\r]{1,12}/uy;

class NotJson extends Error {
  readonly at: number;

  constructor(at: number, problem: string) {
    super(problem);
    this.at = at;
  }
}

/** Reads what JSON.parse reads, up to a limit of levels, and remembers the place of each value. Throws nothing. */
export function readJsonText(text: string, mostLevels: number = LIMITS.jsonDepth): JsonText {
  const reader = new Reader(text, mostLevels);
  try {
    const value = reader.whole();
    return { isJson: true, value, repeated: reader.repeated(), placeOf: (path) => reader.placeOf(path) };
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return { isJson: false, place: reader.placeAt(error.at), problem: error.message };
  }
}

/** Where an item or a key begins, and the same for its content. */
interface Spot {
  offset: number;
  readonly inner: Map<string | number, Spot>;
}

class Reader {
  readonly #text: string;
  readonly #mostLevels: number;
  readonly #repeated = new Map<Spot, Path>();
  readonly #root: Spot = { offset: 0, inner: new Map() };
  #lineStarts: readonly number[] | undefined;
  #at = 0;

  constructor(text: string, mostLevels: number) {
    this.#text = text;
    this.#mostLevels = mostLevels;
  }

  whole(): unknown {
    this.#take(SPACE);
    this.#root.offset = this.#at;
    const value = this.#value([], this.#root);
    this.#take(SPACE);
    if (this.#at < this.#text.length) this.#fail('nothing more');
    return value;
  }

  repeated(): Path[] {
    return [...this.#repeated.values()];
  }

  placeOf(path: Path): Place {
    let spot = this.#root;
    for (const part of path) {
      const inner = spot.inner.get(part);
      if (inner === undefined) break;
      spot = inner;
    }
    return this.placeAt(spot.offset);
  }

  placeAt(offset: number): Place {
    this.#lineStarts ??= [
      0,
      ...Array.from(this.#text.matchAll(LINE_BREAK), ({ index, 0: text }) => index + text.length),
    ];
    let [line, after] = [0, this.#lineStarts.length];
    while (after - line > 1) {
      const middle = (line + after) >>> 1;
      if ((this.#lineStarts[middle] ?? 0) <= offset) line = middle;
      else after = middle;
    }
    return { line: line + 1, column: offset - (this.#lineStarts[line] ?? 0) + 1 };
  }

  #spot(outer: Spot, part: string | number, offset: number): Spot {
    const spot = outer.inner.get(part) ?? { offset, inner: new Map() };
    spot.offset = offset;
    outer.inner.set(part, spot);
    return spot;
  }

  #value(path: Path, spot: Spot): unknown {
    this.#take(SPACE);
    const next = this.#text[this.#at];
    if (next === '{') return this.#object(path, spot);
    if (next === '[') return this.#list(path, spot);
    const token = this.#take(STRING) ?? this.#take(SCALAR);
    if (token !== undefined) return JSON.parse(token);
    if (next === '"') this.#fail('a text that ends, with right escapes and no control characters');
    return this.#fail('a value');
  }

  #object(path: Path, own: Spot): object {
    const members = new Map<string, unknown>();
    this.#each(path, '}', () => {
      this.#take(SPACE);
      const at = this.#at;
      const key = String(JSON.parse(this.#take(STRING) ?? this.#fail('a key in double quotes')));
      const member = [...path, key];
      const spot = this.#spot(own, key, at);
      if (members.has(key)) this.#repeated.set(spot, member);
      this.#take(SPACE);
      if (!this.#takes(':')) this.#fail('a colon');
      members.set(key, this.#value(member, spot));
    });
    return Object.fromEntries(members);
  }

  #list(path: Path, own: Spot): unknown[] {
    const items: unknown[] = [];
    this.#each(path, ']', () => {
      this.#take(SPACE);
      const at = items.length;
      items.push(this.#value([...path, at], this.#spot(own, at, this.#at)));
    });
    return items;
  }

  /** Reads a comma-separated list up to its closing bracket. */
  #each(path: Path, end: string, readOne: () => void): void {
    if (path.length >= this.#mostLevels) {
      throw new NotJson(this.#at, `is nested deeper than ${this.#mostLevels} levels`);
    }
    this.#at += 1;
    this.#take(SPACE);
    if (this.#takes(end)) return;
    do {
      readOne();
      this.#take(SPACE);
    } while (this.#takes(','));
    if (!this.#takes(end)) this.#fail(`a comma or ${end}`);
  }

  #takes(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #fail(expected: string): never {
    const at = this.#at;
    const found = this.#take(FOUND);
    const end = at < this.#text.length ? 'the end of the line' : 'the end of the text';
    throw new NotJson(
      at,
      `is not JSON: expected ${expected}, got ${found === undefined ? end : JSON.stringify(found)}`,
    );
  }
}
