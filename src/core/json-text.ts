import { LIMITS } from './limits.js';
import type { Path, Place } from '../schema/place.js';

export { byPlace, pathText } from '../schema/place.js';
export type { Path, Place } from '../schema/place.js';

/** A text that is JSON, with the places of what it holds; or where it stops being JSON, and why. */
export type JsonText =
  | {
      readonly isJson: true;
      /** What JSON.parse makes of the text. */
      readonly value: unknown;
      /** Keys that stand twice in their object, which JSON.parse passes over; the last one holds. */
      readonly repeated: readonly Path[];
      /** Where an item begins, or the key of a member; for what is absent, its nearest parent. */
      readonly placeOf: (path: Path) => Place;
    }
  | {
      readonly isJson: false;
      readonly place: Place;
      /** Goes on after the name of the text: `is not JSON: expected …, got …`. */
      readonly problem: string;
    };

const SPACE = /[ \t\n\r]*/y;
// What was matched at once is never given back, so that neither a long text nor one without an end takes long.
const STRING = /"(?:(?=([^"\\\p{Cc}]+))\1|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y;
const LINE_BREAK = /\r\n|\n|\r/;
/** Enough to recognise a place by, and too little for a secret. */
const FOUND = /[^\n\r]{1,12}/uy;

class NotJson extends Error {
  readonly at: number;

  constructor(at: number, problem: string) {
    super(problem);
    this.at = at;
  }
}

/** Reads what JSON.parse reads, at most so many levels deep, and remembers where each value stands. Throws nothing. */
export function readJsonText(text: string, mostLevels: number = LIMITS.jsonDepth): JsonText {
  const reader = new Reader(text, mostLevels);
  try {
    const value = reader.whole();
    return { isJson: true, value, repeated: reader.repeated(), placeOf: (path) => reader.placeOf(path) };
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return { isJson: false, place: placeAt(text, error.at), problem: error.message };
  }
}

class Reader {
  readonly #text: string;
  readonly #mostLevels: number;
  readonly #repeated = new Map<string, Path>();
  readonly #offsets = new Map<string, number>();
  #at = 0;

  constructor(text: string, mostLevels: number) {
    this.#text = text;
    this.#mostLevels = mostLevels;
  }

  whole(): unknown {
    const value = this.#item([]);
    this.#take(SPACE);
    if (this.#at < this.#text.length) this.#fail('nothing more');
    return value;
  }

  repeated(): Path[] {
    return [...this.#repeated.values()];
  }

  placeOf(path: Path): Place {
    for (let length = path.length; length >= 0; length -= 1) {
      const offset = this.#offsets.get(JSON.stringify(path.slice(0, length)));
      if (offset !== undefined) return placeAt(this.#text, offset);
    }
    return placeAt(this.#text, 0);
  }

  #item(path: Path): unknown {
    this.#take(SPACE);
    this.#offsets.set(JSON.stringify(path), this.#at);
    return this.#value(path);
  }

  #value(path: Path): unknown {
    this.#take(SPACE);
    const next = this.#text[this.#at];
    if (next === '{') return this.#object(path);
    if (next === '[') return this.#list(path);
    const token = this.#take(STRING) ?? this.#take(SCALAR);
    if (token !== undefined) return JSON.parse(token);
    if (next === '"') this.#fail('a text that ends, with right escapes and no control characters');
    return this.#fail('a value');
  }

  #object(path: Path): object {
    const members = new Map<string, unknown>();
    this.#each(path, '}', () => {
      this.#take(SPACE);
      const at = this.#at;
      const key = String(JSON.parse(this.#take(STRING) ?? this.#fail('a key in double quotes')));
      const member = [...path, key];
      const name = JSON.stringify(member);
      if (members.has(key)) this.#repeated.set(name, member);
      this.#offsets.set(name, at);
      this.#take(SPACE);
      if (!this.#takes(':')) this.#fail('a colon');
      members.set(key, this.#value(member));
    });
    return Object.fromEntries(members);
  }

  #list(path: Path): unknown[] {
    const items: unknown[] = [];
    this.#each(path, ']', () => items.push(this.#item([...path, items.length])));
    return items;
  }

  /** Reads what stands between brackets, separated by commas. */
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

function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset).split(LINE_BREAK);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
