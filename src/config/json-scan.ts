import { LIMITS } from '../core/limits.js';

/** A place in a text, both counted from 1; columns count UTF-16 units, as editors do. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** The keys of the object that a JSON text is, in their order; or where it stops being JSON, and what should stand there. */
export type JsonScan =
  | { readonly ok: true; readonly keys: readonly { readonly name: string; readonly place: Place }[] }
  | { readonly ok: false; readonly place: Place; readonly expected: string };

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y;

class NotJson extends Error {
  readonly at: number;

  constructor(at: number, expected: string) {
    super(expected);
    this.at = at;
  }
}

/** Reads a JSON text for its places alone; what it means is what JSON.parse makes of it. */
export function scanJson(text: string): JsonScan {
  const scanner = new Scanner(text);
  try {
    scanner.whole();
    return { ok: true, keys: scanner.keys.map(({ name, at }) => ({ name, place: placeOf(text, at) })) };
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return { ok: false, place: placeOf(text, error.at), expected: error.message };
  }
}

function placeOf(text: string, at: number): Place {
  const before = text.slice(0, at).split(/\r\n|\n|\r/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

class Scanner {
  readonly keys: { name: string; at: number }[] = [];
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): void {
    this.#value();
    this.#take(SPACE);
    if (this.#at < this.#text.length) throw new NotJson(this.#at, 'nothing more');
  }

  #value(): void {
    this.#take(SPACE);
    if (this.#takes('{')) this.#items('}', () => this.#member());
    else if (this.#takes('[')) this.#items(']', () => this.#value());
    else if (this.#take(STRING) === undefined && this.#take(SCALAR) === undefined) {
      throw new NotJson(this.#at, 'a value');
    }
  }

  #items(end: string, item: () => void): void {
    this.#depth += 1;
    if (this.#depth > LIMITS.jsonDepth) {
      throw new NotJson(this.#at - 1, `at most ${LIMITS.jsonDepth} levels`);
    }
    this.#take(SPACE);
    if (!this.#takes(end)) {
      do {
        item();
        this.#take(SPACE);
      } while (this.#takes(','));
      if (!this.#takes(end)) throw new NotJson(this.#at, `, or ${end}`);
    }
    this.#depth -= 1;
  }

  #member(): void {
    this.#take(SPACE);
    const at = this.#at;
    const key = this.#take(STRING);
    if (key === undefined) throw new NotJson(at, 'a key in double quotes');
    if (this.#depth === 1) this.keys.push({ name: String(JSON.parse(key)), at });
    this.#take(SPACE);
    if (!this.#takes(':')) throw new NotJson(this.#at, ':');
    this.#value();
  }

  #takes(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}
