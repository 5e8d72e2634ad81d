import { LIMITS } from '../contract/limits.js';
import type { Path, TextPosition } from './schema.js';
import { Refusal } from '../contract/refusals.js';

/** Result of parsing a JSON text: the value with all positions, or a syntax error with its position. */
export type JsonText =
  | {
      readonly isJson: true;
      readonly value: unknown;
      /** Duplicate object keys. JSON.parse accepts duplicates and uses the last value. */
      readonly repeated: readonly Path[];
      /** Returns the position of an item or member key, or of its nearest existing parent. */
      readonly placeOf: (path: Path) => TextPosition;
    }
  | {
      readonly isJson: false;
      readonly place: TextPosition;
      /**
       * Completes a sentence that starts with the name of the text, e.g. `is not JSON: expected …, got …`.
       */
      readonly problem: string;
    };

const SPACE = /[ \t\n\r]*/y;
// The patterns never backtrack, so parsing long or unterminated texts stays fast.
const STRING = /"(?:(?=([^"\\\p{Cc}]+))\1|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y;
const LINE_BREAK = /\r\n|\n|\r/g;
/** Matches enough text to recognize the position, but too little to reveal a secret. */
const FOUND = /[^\n\r]{1,12}/uy;

class NotJson extends Error {
  readonly at: number;

  constructor(at: number, problem: string) {
    super(problem);
    this.at = at;
  }
}

/** Parses like JSON.parse, up to a nesting limit, and records the position of each value. Never throws. */
export function readJsonText(text: string, maxLevels: number = LIMITS.jsonDepth): JsonText {
  const reader = new Reader(text, maxLevels);
  const placeAt = placesIn(text);
  try {
    const value = reader.read([], reader.root);
    if (reader.rest() !== '') reader.fail('the end of the text');
    const repeated = [...reader.repeated.values()];
    return { isJson: true, value, repeated, placeOf: (path) => placeAt(reader.offsetOf(path)) };
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return { isJson: false, place: placeAt(error.at), problem: error.message };
  }
}

/**
 * Returns a function that converts offsets to positions. Lines are indexed once, so repeated lookups in a
 * long text stay fast.
 */
function placesIn(text: string): (offset: number) => TextPosition {
  let starts: readonly number[] | undefined;
  return (offset) => {
    starts ??= [0, ...Array.from(text.matchAll(LINE_BREAK), ({ index, 0: end }) => index + end.length)];
    let [line, after] = [0, starts.length];
    while (after - line > 1) {
      const middle = (line + after) >>> 1;
      if ((starts[middle] ?? 0) <= offset) line = middle;
      else after = middle;
    }
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  };
}

/** Offset of an item or key, and its children. */
interface OffsetNode {
  offset: number;
  readonly inner: Map<string | number, OffsetNode>;
}

function spotIn(outer: OffsetNode, part: string | number, offset: number): OffsetNode {
  const spot = outer.inner.get(part) ?? { offset, inner: new Map<string | number, OffsetNode>() };
  spot.offset = offset;
  outer.inner.set(part, spot);
  return spot;
}

class Reader {
  readonly repeated = new Map<OffsetNode, Path>();
  readonly root: OffsetNode = { offset: 0, inner: new Map() };
  readonly #text: string;
  readonly #maxLevels: number;
  #at = 0;

  constructor(text: string, maxLevels: number) {
    this.#text = text;
    this.#maxLevels = maxLevels;
  }

  offsetOf(path: Path): number {
    let spot = this.root;
    for (const part of path) {
      const inner = spot.inner.get(part);
      if (inner === undefined) break;
      spot = inner;
    }
    return spot.offset;
  }

  /** Skips whitespace and returns the next character. */
  rest(): string {
    this.#take(SPACE);
    return this.#text.slice(this.#at, this.#at + 1);
  }

  read(path: Path, spot: OffsetNode): unknown {
    const next = this.rest();
    if (path.length === 0) spot.offset = this.#at;
    if (next === '{') return this.#object(path, spot);
    if (next === '[') return this.#list(path, spot);
    const token = this.#take(STRING) ?? this.#take(SCALAR);
    if (token !== undefined) return JSON.parse(token);
    return this.fail(
      next === '"' ? 'a terminated string with valid escapes and no control characters' : 'a value',
    );
  }

  #object(path: Path, own: OffsetNode): object {
    const members = new Map<string, unknown>();
    this.#each(path, '}', () => {
      this.#take(SPACE);
      const offset = this.#at;
      const key = String(JSON.parse(this.#take(STRING) ?? this.fail('a key in double quotes')));
      const member = [...path, key];
      const spot = spotIn(own, key, offset);
      if (members.has(key)) this.repeated.set(spot, member);
      if (this.rest() !== ':') this.fail('a colon');
      this.#at += 1;
      members.set(key, this.read(member, spot));
    });
    return Object.fromEntries(members);
  }

  #list(path: Path, own: OffsetNode): unknown[] {
    const items: unknown[] = [];
    this.#each(path, ']', () => {
      this.#take(SPACE);
      const at = items.length;
      items.push(this.read([...path, at], spotIn(own, at, this.#at)));
    });
    return items;
  }

  /** Reads a comma-separated list up to its closing bracket. */
  #each(path: Path, end: string, readOne: () => void): void {
    if (path.length >= this.#maxLevels)
      throw new NotJson(this.#at, `is nested deeper than ${this.#maxLevels} levels`);
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

/**
 * Throws INVALID_REQUEST if a parsed JSON body is nested too deeply or has a key that could change the
 * prototype of a copy.
 */
export function checkJsonShape(value: unknown, depth = 1): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > LIMITS.jsonDepth) {
    throw new Refusal('INVALID_REQUEST', `The body is nested deeper than ${LIMITS.jsonDepth} levels.`);
  }
  if (Array.isArray(value)) {
    for (const item of value) checkJsonShape(item, depth + 1);
    return;
  }
  if (Object.hasOwn(value, '__proto__')) {
    throw new Refusal('INVALID_REQUEST', 'A key must not be named __proto__.');
  }
  for (const member of Object.values(value)) checkJsonShape(member, depth + 1);
}
