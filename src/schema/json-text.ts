import { LIMITS } from '../contract/limits.js';
import type { Path, Place } from './schema.js';

/** A JSON text with the places of its values, or where it stops being JSON, and why. */
export type JsonText =
  | {
      readonly isJson: true;
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
const LINE_BREAK = /\r\n|\n|\r/;
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
    const value = reader.read([]);
    if (reader.rest() !== '') reader.fail('nothing more');
    const repeated = [...reader.repeated.values()];
    return { isJson: true, value, repeated, placeOf: (path) => placeAt(text, reader.offsetOf(path)) };
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return { isJson: false, place: placeAt(text, error.at), problem: error.message };
  }
}

function placeAt(text: string, offset: number): Place {
  const lines = text.slice(0, offset).split(LINE_BREAK);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

class Reader {
  readonly repeated = new Map<string, Path>();
  readonly #text: string;
  readonly #mostLevels: number;
  readonly #offsets = new Map<string, number>();
  #at = 0;

  constructor(text: string, mostLevels: number) {
    this.#text = text;
    this.#mostLevels = mostLevels;
  }

  offsetOf(path: Path): number {
    const offset = this.#offsets.get(JSON.stringify(path));
    return offset ?? (path.length === 0 ? 0 : this.offsetOf(path.slice(0, -1)));
  }

  /** What is left after space. */
  rest(): string {
    this.#take(SPACE);
    return this.#text.slice(this.#at, this.#at + 1);
  }

  read(path: Path): unknown {
    const next = this.rest();
    if (typeof path.at(-1) !== 'string') this.#offsets.set(JSON.stringify(path), this.#at);
    if (next === '{') return this.#object(path);
    if (next === '[') return this.#list(path);
    const token = this.#take(STRING) ?? this.#take(SCALAR);
    if (token !== undefined) return JSON.parse(token);
    return this.fail(
      next === '"' ? 'a text that ends, with right escapes and no control characters' : 'a value',
    );
  }

  #object(path: Path): object {
    const members = new Map<string, unknown>();
    this.#each(path, '}', () => {
      this.#take(SPACE);
      const offset = this.#at;
      const key = String(JSON.parse(this.#take(STRING) ?? this.fail('a key in double quotes')));
      const member = [...path, key];
      const name = JSON.stringify(member);
      if (members.has(key)) this.repeated.set(name, member);
      this.#offsets.set(name, offset);
      if (this.rest() !== ':') this.fail('a colon');
      this.#at += 1;
      members.set(key, this.read(member));
    });
    return Object.fromEntries(members);
  }

  #list(path: Path): unknown[] {
    const items: unknown[] = [];
    this.#each(path, ']', () => items.push(this.read([...path, items.length])));
    return items;
  }

  /** Reads a comma-separated list up to its closing bracket. */
  #each(path: Path, end: string, readOne: () => void): void {
    if (path.length >= this.#mostLevels)
      throw new NotJson(this.#at, `is nested deeper than ${this.#mostLevels} levels`);
    this.#at += 1;
    let next = this.rest();
    for (let isFirst = true; isFirst ? next !== end : next === ','; isFirst = false) {
      if (!isFirst) this.#at += 1;
      readOne();
      next = this.rest();
    }
    if (next !== end) this.fail(`a comma or ${end}`);
    this.#at += 1;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  fail(expected: string): never {
    const at = this.#at;
    const found = this.#take(FOUND);
    const end = at < this.#text.length ? 'the end of the line' : 'the end of the text';
    const got = found === undefined ? end : JSON.stringify(found);
    throw new NotJson(at, `is not JSON: expected ${expected}, got ${got}`);
  }
}
