import { LIMITS } from '../contract/limits.js';
import { Refusal } from '../contract/refusals.js';
import { checkJsonShape } from '../text/json-shape.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const LIST = { open: 0x5b, close: 0x5d };
const OBJECT = { open: 0x7b, close: 0x7d };
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);
const MOST_SHOWN = 120;

function malformed(problem: string, at: number): Refusal {
  return new Refusal('INVALID_REQUEST', `The body is not valid JSON: ${problem} at byte ${at}.`);
}

/**
 * A value in a long JSON text that is parsed when it is asked for, piece by piece: parsed as a whole, a text of 60 MB can block for
 * half a minute and take 2 GB.
 */
export class JsonPiece {
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #end: number;

  private constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
  }

  /** The only value of a text. Refuses (INVALID_REQUEST) nesting over the limit and unbalanced brackets, before anything is parsed. */
  static whole(bytes: Buffer): JsonPiece {
    const start = afterSpaces(bytes, 0);
    const end = endOf(bytes, start);
    const after = afterSpaces(bytes, end);
    if (after < bytes.length) throw malformed('expected nothing more', after);
    return new JsonPiece(bytes, start, end);
  }

  get isObject(): boolean {
    return this.#bytes[this.#start] === OBJECT.open;
  }

  get isList(): boolean {
    return this.#bytes[this.#start] === LIST.open;
  }

  /** The parsed value. Refuses (INVALID_REQUEST) one longer than a row may be. */
  value(): unknown {
    const length = this.#end - this.#start;
    if (length > LIMITS.stateRowBytes) {
      const message = `A row of a state may have ${LIMITS.stateRowBytes} bytes; got ${length} at byte ${this.#start}.`;
      throw new Refusal('INVALID_REQUEST', message);
    }
    const value = this.#parsed();
    checkJsonShape(value);
    return value;
  }

  #parsed(): unknown {
    try {
      return JSON.parse(this.#bytes.toString('utf8', this.#start, this.#end));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw malformed(`${reason.slice(0, MOST_SHOWN)}, in the value`, this.#start);
    }
  }

  /** The members of an object. */
  *members(): Generator<readonly [name: string, value: JsonPiece], void> {
    const bytes = this.#bytes;
    for (let at = this.#first(OBJECT.close); at !== undefined;) {
      if (bytes[at] !== QUOTE) throw malformed('expected a key in double quotes', at);
      const keyEnd = endOfText(bytes, at) + 1;
      const colon = afterSpaces(bytes, keyEnd);
      if (bytes[colon] !== COLON) throw malformed('expected a colon', colon);
      const start = afterSpaces(bytes, colon + 1);
      const end = endOf(bytes, start);
      yield [String(new JsonPiece(bytes, at, keyEnd).value()), new JsonPiece(bytes, start, end)];
      at = this.#next(end, OBJECT.close);
    }
  }

  /** The items of a list. */
  *items(): Generator<JsonPiece, void> {
    const bytes = this.#bytes;
    for (let at = this.#first(LIST.close); at !== undefined;) {
      const end = endOf(bytes, at);
      yield new JsonPiece(bytes, at, end);
      at = this.#next(end, LIST.close);
    }
  }

  /** Where the first member or item begins; undefined at the closing bracket. */
  #first(close: number): number | undefined {
    const at = afterSpaces(this.#bytes, this.#start + 1);
    return this.#bytes[at] === close ? undefined : at;
  }

  /** Where the next one begins, after the end of another. */
  #next(end: number, close: number): number | undefined {
    const at = afterSpaces(this.#bytes, end);
    if (this.#bytes[at] === close) return undefined;
    if (this.#bytes[at] !== COMMA) throw malformed('expected a comma or a closing bracket', at);
    return afterSpaces(this.#bytes, at + 1);
  }
}

function afterSpaces(bytes: Buffer, start: number): number {
  let at = start;
  while (SPACES.has(bytes[at] ?? 0)) at += 1;
  return at;
}

/** The closing quotation mark of the text that begins at `start`. */
function endOfText(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at += 1;
  }
  throw malformed('a text does not end', start);
}

/** Where the value that begins at `start` ends; its syntax is not checked. */
function endOf(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfText(bytes, at);
    else if (byte === OBJECT.open || byte === LIST.open) {
      depth += 1;
      if (depth > LIMITS.jsonDepth) throw tooDeep(at);
    } else if (byte === OBJECT.close || byte === LIST.close) {
      depth -= 1;
      if (depth <= 0) return depth === 0 ? at + 1 : at;
    } else if (byte === COMMA && depth === 0) return at;
  }
  if (depth > 0) throw malformed('a list or an object does not end', start);
  return bytes.length;
}

function tooDeep(at: number): Refusal {
  const message = `The body is nested deeper than ${LIMITS.jsonDepth} levels at byte ${at}.`;
  return new Refusal('INVALID_REQUEST', message);
}
