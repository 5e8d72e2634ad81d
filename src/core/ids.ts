/** Id kinds. Each number is part of the hash and must never change. */
const ID_KINDS = {
  app: 1,
  account: 2,
  charge: 3,
  withdrawal: 4,
  transaction: 5,
  endpoint: 6,
  event: 7,
  delivery: 8,
  session: 9,
  cursor: 10,
  fault: 11,
  chance: 12,
  euid: 13,
  organization: 14,
  settleDelay: 15,
  decisionDelay: 16,
  faultDelay: 17,
} as const;

export type IdKind = keyof typeof ID_KINDS;
export type IdSeed = readonly [number, number, number, number];

function mix(hash: number, value: number): number {
  let k = Math.imul(value, 0xcc9e2d51);
  k = (k << 15) | (k >>> 17);
  let h = hash ^ Math.imul(k, 0x1b873593);
  h = (h << 13) | (h >>> 19);
  return (Math.imul(h, 5) + 0xe6546b64) | 0;
}

function finish(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/**
 * Derives 128 bits from only the seed, kind and numbers, so that, for example, the third charge of a world
 * always has the same id.
 */
export function computeHash128(seed: IdSeed, kind: IdKind, ...values: readonly number[]): IdSeed {
  const words: [number, number, number, number] = [0, 0, 0, 0];
  let carry: number = ID_KINDS[kind];
  for (let lane = 0; lane < 4; lane += 1) {
    let h = mix((seed[lane] ?? 0) ^ Math.imul(lane + 1, 0x9e3779b1), ID_KINDS[kind]);
    for (const word of seed) h = mix(h, word);
    for (const value of values) {
      h = mix(h, value | 0);
      h = mix(h, Math.floor(value / 0x100000000) | 0);
    }
    carry = finish(mix(h, carry));
    words[lane] = carry;
  }
  return words;
}

export function toHex(words: IdSeed): string {
  return words.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Formats a UUID with the version 4 and variant bits set. */
function uuid([a, b, c, d]: IdSeed): string {
  const versioned = (b & 0xffff0fff) | 0x4000;
  const variant = 0x80000000 | ((c >>> 30) << 28) | (c & 0x0fffffff);
  return toHex([a, versioned, variant, d]).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

export function createId({ seed }: { readonly seed: IdSeed }, kind: IdKind, ordinal: number): string {
  return uuid(computeHash128(seed, kind, ordinal));
}

/**
 * Creates an event id: `evt_` and 32 hex digits. The `webhook-id` of the event's deliveries is the same id
 * (§6).
 */
export function createEventId({ seed }: { readonly seed: IdSeed }, ordinal: number): string {
  return `evt_${toHex(computeHash128(seed, 'event', ordinal))}`;
}

/** Derives a seed from any text; equal texts produce equal seeds. */
export function createSeed(text: string): IdSeed {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  return computeHash128([0x70697873, 0x616e6462, 0x6f782d31, text.length], 'app', ...codes);
}

/** Matches both letter cases without a flag, because JSON Schema patterns don't support flags. */
export const UUID_PATTERN = /^[\dA-Fa-f]{8}(?:-[\dA-Fa-f]{4}){3}-[\dA-Fa-f]{12}$/;

export function isUuid(text: string): boolean {
  return UUID_PATTERN.test(text);
}
