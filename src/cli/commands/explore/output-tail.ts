import { stripVTControlCharacters } from 'node:util';

/** Enough for the failures that a test runner lists at its end. */
const MOST_CHARACTERS = 200_000;
const LAST_LINES = 20;

/** The end of what a command printed. */
export class OutputTail {
  #text = '';

  readonly add = (text: string): void => {
    this.#text = (this.#text + text).slice(-MOST_CHARACTERS);
  };

  get text(): string {
    return stripVTControlCharacters(this.#text);
  }

  /** The last lines that hold anything. */
  lastLines(): readonly string[] {
    return this.text
      .split(/\r?\n/)
      .map((line) => line.trimEnd())
      .filter((line) => line !== '')
      .slice(-LAST_LINES);
  }
}
