/** A map that keeps its newest entries and drops the oldest beyond its size. */
export class Recent<Value> {
  readonly #most: number;
  readonly #entries = new Map<string, Value>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#most) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      break;
    }
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Oldest first. */
  values(): Iterable<Value> {
    return this.#entries.values();
  }
}
