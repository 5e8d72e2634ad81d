/** A mistake in the format of a signature; found by decoding it differently, without making a signature. */
export interface WritingMistake {
  readonly id: string;
  readonly did: string;
  readonly fix: string;
}

/** The bytes of a signature's text in one decoding, and what is wrong with that format. */
export interface Reading {
  readonly bytes: Buffer;
  readonly mistakes: readonly WritingMistake[];
  /** Ids of mistakes that would give the same text as the last one. */
  readonly alike?: readonly string[];
  /** Writes a signature in a form that cannot be decoded; `bytes` are then the text itself. */
  readonly write?: (mac: Buffer) => string;
}

/** Fewer bytes could match by chance. @internal */
export const LEAST_BYTES = 8;

const TRUNCATED: WritingMistake = {
  id: 'signature-truncated',
  did: 'The signature was cut short.',
  fix: 'Send all 32 bytes of the signature.',
};

/** All decodings of a signature, looked up by the bytes of a recomputed one. */
export class Readings {
  readonly #byBytes = new Map<string, Reading>();
  readonly #lengths = new Set<number>();
  readonly #byText = new Map<(mac: Buffer) => string, Map<string, Reading>>();

  constructor(readings: readonly Reading[]) {
    for (const reading of readings.toSorted((one, other) => one.mistakes.length - other.mistakes.length)) {
      const { bytes, mistakes } = reading;
      if (bytes.length < LEAST_BYTES) continue;
      const key = bytes.toString('latin1');
      if (reading.write !== undefined) {
        const texts = this.#byText.get(reading.write) ?? new Map<string, Reading>();
        this.#byText.set(reading.write, texts.set(key, texts.get(key) ?? reading));
        continue;
      }
      const known = this.#byBytes.get(key);
      this.#byBytes.set(key, known ? withAlike(known, mistakes) : reading);
      this.#lengths.add(bytes.length);
    }
  }

  /** The decoding with the fewest mistakes whose bytes are the given ones, or their start. */
  match(mac: Buffer): Reading | undefined {
    const whole = this.#byBytes.get(mac.toString('latin1'));
    if (whole) return whole;
    for (const length of this.#lengths) {
      if (length >= mac.length) continue;
      const reading = this.#byBytes.get(mac.toString('latin1', 0, length));
      if (reading) return { bytes: reading.bytes, mistakes: [...reading.mistakes, TRUNCATED] };
    }
    for (const [write, texts] of this.#byText) {
      const reading = texts.get(write(mac));
      if (reading) return reading;
    }
    return undefined;
  }
}

function withAlike(reading: Reading, mistakes: readonly WritingMistake[]): Reading {
  const last = mistakes.at(-1);
  if (!last || mistakes.length > reading.mistakes.length) return reading;
  return { ...reading, alike: [...(reading.alike ?? []), last.id] };
}
