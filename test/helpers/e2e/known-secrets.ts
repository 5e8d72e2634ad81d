import { createHmac } from 'node:crypto';

/** Enough of a secret to find it by in a long text. */
const HEAD = 10;

/** Random secrets that follow from a seed, and where they came to light. */
export class PlantedSecrets {
  readonly seed: string;
  readonly #byHead = new Map<string, string[]>();
  #drawn = 0;
  #count = 0;

  constructor(seed: string) {
    this.seed = seed;
  }

  /** How many were planted. */
  get count(): number {
    return this.#count;
  }

  /** A new secret of letters, digits, - and _, after a prefix. */
  text(prefix = ''): string {
    return this.add(prefix + this.#bytes(24).toString('base64url'));
  }

  /** A new webhook secret. */
  webhook(): string {
    return this.add(`whsec_${this.#bytes(32).toString('base64')}`);
  }

  /** Takes one that somebody else drew. */
  add(secret: string): string {
    this.#count += 1;
    const head = secret.slice(0, HEAD);
    this.#byHead.set(head, [...(this.#byHead.get(head) ?? []), secret]);
    return secret;
  }

  /** Those that stand in full in a text, each with what stands around it. */
  foundIn(text: string): string[] {
    const found: string[] = [];
    for (let at = 0; at + HEAD <= text.length; at += 1) {
      const candidates = this.#byHead.get(text.slice(at, at + HEAD)) ?? [];
      if (candidates.some((secret) => text.startsWith(secret, at))) {
        found.push(text.slice(Math.max(at - 60, 0), at + 60));
      }
    }
    return found;
  }

  #bytes(length: number): Buffer {
    this.#drawn += 1;
    return createHmac('sha512', this.seed).update(String(this.#drawn)).digest().subarray(0, length);
  }
}
