import { failedTests, tellingLines } from './failed-tests.js';

/** Enough for the failures that a test runner lists at its end. */
const MOST_CHARACTERS = 200_000;

/** The end of what a command printed. */
export class OutputTail {
  #text = '';

  readonly add = (text: string): void => {
    this.#text = (this.#text + text).slice(-MOST_CHARACTERS);
  };

  /** The names of the tests that failed. */
  failed(): readonly string[] {
    return failedTests(this.#text);
  }

  /** Lines that say why. */
  telling(): readonly string[] {
    return tellingLines(this.#text);
  }
}
