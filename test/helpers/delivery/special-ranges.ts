/** The first and the last address of every range that is not public. */
export const SPECIAL_RANGES = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.31.196.0', '192.31.196.255'],
  ['192.52.193.0', '192.52.193.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['192.175.48.0', '192.175.48.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '239.255.255.255'],
  ['240.0.0.0', '255.255.255.255'],
  ['::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff'],
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
] as const;

/** An address as one number; its family is told by its form. */
export interface AddressNumber {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** Reads an address in its usual form: four decimal numbers, or hex groups with at most one `::`. */
export function numberOf(address: string): AddressNumber {
  if (!address.includes(':')) {
    const value = address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
    return { family: 4, value };
  }
  const [head = [], tail] = address
    .split('::')
    .map((side) => side.split(':').filter((group) => group !== ''));
  const missing = tail === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array<string>(missing).fill('0'), ...(tail ?? [])];
  return { family: 6, value: groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n) };
}

/** Whether an address lies in one of the ranges. */
export function isSpecial({ family, value }: AddressNumber): boolean {
  return SPECIAL_RANGES.map((range) => range.map(numberOf)).some(
    ([first, last]) => first?.family === family && first.value <= value && value <= (last?.value ?? 0n),
  );
}

/** Every edge of the ranges, and what stands directly before and after it. */
export function edges(family: 4 | 6): bigint[] {
  const most = 2n ** (family === 4 ? 32n : 128n) - 1n;
  const all = SPECIAL_RANGES.flatMap((range) => range.map(numberOf))
    .filter((edge) => edge.family === family)
    .flatMap(({ value }) => [value - 1n, value, value + 1n]);
  return [...new Set(all)].filter((value) => value >= 0n && value <= most);
}

/** Four decimal numbers, or eight groups of hex digits. */
export function textOf({ family, value }: AddressNumber): string {
  const [count, size, radix, joint] = family === 4 ? [4, 8, 10, '.'] : [8, 16, 16, ':'];
  const parts = Array.from({ length: count }, (_, index) => {
    const shift = BigInt((count - 1 - index) * size);
    return ((value >> shift) & (2n ** BigInt(size) - 1n)).toString(radix);
  });
  return parts.join(joint);
}
