import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Real time that a line gets to come: long enough for a busy machine, shorter than a test. */
const PATIENCE_MS = 20_000;

/** The lines of a stream, read one after the other as they come. */
export class Lines {
  readonly #all: string[] = [];
  readonly #progress = new EventEmitter();
  #read = 0;
  #isEnded = false;

  constructor(stream: Readable) {
    const lines = createInterface({ input: stream, crlfDelay: Infinity });
    lines.on('line', (line) => {
      this.#all.push(line);
      this.#progress.emit('progress');
    });
    lines.on('close', () => {
      this.#isEnded = true;
      this.#progress.emit('progress');
    });
  }

  /** The next line that holds the text or matches; those before it are passed over. Throws when none comes. */
  async next(wanted: string | RegExp): Promise<string> {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    for (;;) {
      for (const line of this.#all.slice(this.#read)) {
        this.#read += 1;
        if (typeof wanted === 'string' ? line.includes(wanted) : wanted.test(line)) return line;
      }
      if (this.#isEnded) throw new Error(`The output ended before ${wanted} came:\n${this.text()}`);
      await once(this.#progress, 'progress', { signal: patience }).catch(() => {
        throw new Error(`${wanted} did not come:\n${this.text()}`);
      });
    }
  }

  /** The next line of JSON with this type, under `--json`. */
  async nextJson<Message extends { readonly type: string }>(type: Message['type']): Promise<Message> {
    return JSON.parse(await this.next(`{"type":"${type}"`)) as Message;
  }

  /** All that came so far. */
  text(): string {
    return this.#all.map((line) => `${line}\n`).join('');
  }
}
