const EMPTY = new Uint8Array(0);

/** Copies the first bytes of a body, up to a cap; a view would keep the whole network buffer alive. */
export class BodyPrefix {
  readonly #maxBytes: number;
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
  #truncated = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether there was more than the cap. */
  get truncated(): boolean {
    return this.#truncated;
  }

  add(chunk: Uint8Array): void {
    const room = this.#maxBytes - this.#size;
    if (chunk.length > room) this.#truncated = true;
    if (room <= 0) return;
    const kept = new Uint8Array(chunk.subarray(0, room));
    this.#chunks.push(kept);
    this.#size += kept.length;
  }

  bytes(): Uint8Array {
    const [first, second] = this.#chunks;
    if (first === undefined) return EMPTY;
    if (second === undefined) return first;
    const all = new Uint8Array(this.#size);
    let offset = 0;
    for (const chunk of this.#chunks) {
      all.set(chunk, offset);
      offset += chunk.length;
    }
    return all;
  }
}
