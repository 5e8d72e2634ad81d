/** Where in a document a value stands, from the outside in. */
export type Path = readonly (string | number)[];

/** Something wrong in a document. */
export interface Mistake {
  readonly path: Path;
  readonly message: string;
}

/** A line and a column of a text, both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A JSON text as it was read. `value` is undefined where it is not JSON at all. */
export interface JsonText {
  readonly value: unknown;
  /** What a JSON parser would refuse, or pass over in silence: a key that stands twice. */
  readonly mistakes: readonly Mistake[];
  /** Where a value begins; for one that is absent, where its nearest parent does. */
  readonly placeOf: (path: Path) => Place;
}

/** Deeper than any scenario, and far from where recursion ends. */
const DEEPEST = 48;
const SPACE = /[ \t\r\n]*/y;
const TEXT = /"(?:[^"\\\n\r]|\\.)*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const CHARACTERS_SHOWN = 12;

class SyntaxMistake extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** Reads JSON and remembers where each value stands, so that what is wrong can be shown in its place. */
export function readJson(text: string): JsonText {
  const reader = new Reader(text);
  const placeOf = (path: Path) => reader.placeOf(path);
  try {
    return { value: reader.whole(), mistakes: reader.mistakes, placeOf };
  } catch (error) {
    if (!(error instanceof SyntaxMistake)) throw error;
    const place = placeAt(text, error.offset);
    return { value: undefined, mistakes: [{ path: [], message: error.message }], placeOf: () => place };
  }
}

class Reader {
  readonly mistakes: Mistake[] = [];
  readonly #text: string;
  readonly #offsets = new Map<string, number>();
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): unknown {
    const value = this.#value([]);
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail('the end');
    return value;
  }

  placeOf(path: Path): Place {
    for (let length = path.length; length >= 0; length -= 1) {
      const offset = this.#offsets.get(JSON.stringify(path.slice(0, length)));
      if (offset !== undefined) return placeAt(this.#text, offset);
    }
    return placeAt(this.#text, 0);
  }

  #value(path: Path, isMember = false): unknown {
    this.#skipSpace();
    if (path.length > DEEPEST) throw new SyntaxMistake(this.#at, `Nested deeper than ${DEEPEST} levels.`);
    if (!isMember) this.#offsets.set(JSON.stringify(path), this.#at);
    const next = this.#text.charAt(this.#at);
    if (next === '{') return this.#object(path);
    if (next === '[') return this.#list(path);
    if (next === '"') return this.#string();
    return JSON.parse(this.#token(SCALAR) ?? this.#fail('a JSON value')) as unknown;
  }

  #object(path: Path): object {
    const members = new Map<string, unknown>();
    this.#each('}', () => {
      this.#skipSpace();
      const keyAt = this.#at;
      const key = this.#string();
      const place = [...path, key];
      if (members.has(key)) this.mistakes.push({ path: place, message: `The key ${key} stands here twice.` });
      this.#offsets.set(JSON.stringify(place), keyAt);
      this.#skipSpace();
      if (!this.#take(':')) this.#fail('a colon');
      members.set(key, this.#value(place, true));
    });
    return Object.fromEntries(members);
  }

  #string(): string {
    const start = this.#at;
    const token = this.#token(TEXT) ?? this.#fail('a text in double quotes');
    try {
      return String(JSON.parse(token));
    } catch {
      this.#at = start;
      return this.#fail('a text with right escapes and no control characters');
    }
  }

  #list(path: Path): unknown[] {
    const items: unknown[] = [];
    this.#each(']', () => items.push(this.#value([...path, items.length])));
    return items;
  }

  /** Reads what stands between brackets, separated by commas. */
  #each(end: string, readOne: () => void): void {
    this.#at += 1;
    this.#skipSpace();
    if (this.#take(end)) return;
    for (;;) {
      readOne();
      this.#skipSpace();
      if (this.#take(end)) return;
      if (!this.#take(',')) this.#fail(`a comma or ${end}`);
    }
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #token(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const token = pattern.exec(this.#text)?.[0];
    this.#at += token?.length ?? 0;
    return token;
  }

  #skipSpace(): void {
    this.#token(SPACE);
  }

  #fail(wanted: string): never {
    const rest = this.#text.slice(this.#at, this.#at + CHARACTERS_SHOWN).split('\n')[0] ?? '';
    const found = this.#at >= this.#text.length ? 'the end of the file' : JSON.stringify(rest);
    throw new SyntaxMistake(this.#at, `This is not JSON: expected ${wanted}; got ${found}.`);
  }
}

function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;

/** A path as people write it: `steps[2].expect.events[0].type`. */
export function pathText(path: Path): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      if (!PLAIN_KEY.test(part)) return `[${JSON.stringify(part)}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join('');
}
