import { isoTime } from '../contract/time.js';
import { StoreError, systemCodeOf } from './store-error.js';

/** The longest pause between two attempts to save again, in renewals of the lock: half a minute. */
const MOST_BEATS = 15;
const EXPORT = 'To save everything elsewhere before it stops: npx sandbox state export > state.json';

/** A time in which changes are not saved, and the attempts to end it. */
export class SaveFailure {
  readonly #atMs = Date.now();
  /** The latest cause. */
  error: Error;
  #attempts = 0;
  /** Renewals of the lock until the next attempt; a change makes the first one. */
  #beatsLeft = 0;

  constructor(error: Error) {
    this.error = error;
  }

  /** Whether the next attempt may begin. */
  get isDue(): boolean {
    return this.#beatsLeft === 0;
  }

  /** Counts a renewal of the lock. */
  beat(): void {
    this.#beatsLeft = Math.max(0, this.#beatsLeft - 1);
  }

  /** Postpones the next attempt. Returns a reminder where the cause is another one, or after the longest pause. */
  postpone(error: Error): string | undefined {
    this.#attempts += 1;
    this.#beatsLeft = Math.min(2 ** (this.#attempts - 1), MOST_BEATS);
    const isOther = causeOf(error) !== causeOf(this.error);
    if (isOther) this.error = error;
    if (!isOther && this.#beatsLeft < MOST_BEATS) return undefined;
    return `Changes since ${isoTime(this.#atMs)} are still in memory only: ${error.message}. ${adviceFor(error)}`;
  }

  /** The first warning; `path` is the file that could not be written. */
  warning(path: string | undefined): string {
    const { message } = this.error;
    const start =
      this.error instanceof StoreError
        ? message
        : `Could not write to the data directory: ${path === undefined ? '' : `${path}: `}${message}`;
    return `${start}. Changes from now on are in memory only. ${adviceFor(this.error)}`;
  }

  /** The sentence about its end. */
  recovery(): string {
    return `All changes are saved again since ${isoTime(Date.now())}, including those of the time in memory only. Saving had failed since ${isoTime(this.#atMs)}: ${this.error.message}`;
  }
}

/** Messages of the same cause can name different temporary files. */
function causeOf(error: Error): string {
  return systemCodeOf(error) ?? error.message;
}

function adviceFor(error: Error): string {
  if (error instanceof StoreError) return EXPORT;
  return `The sandbox tries again every few seconds; free some space, or give it the permission to write. ${EXPORT}`;
}
