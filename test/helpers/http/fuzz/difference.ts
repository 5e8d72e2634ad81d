import { isDeepStrictEqual } from 'node:util';

/** The first place where two values differ, with what stands there. */
export function differenceOf(one: unknown, other: unknown, path = ''): string | undefined {
  if (isDeepStrictEqual(one, other)) return undefined;
  const names = [one, other].every((value) => typeof value === 'object' && value !== null)
    ? Object.keys({ ...(one as object), ...(other as object) })
    : [];
  const fields = ([one, other] as Readonly<Record<string, unknown>>[]).map(
    (value) => (name: string) => value[name],
  );
  for (const name of names) {
    const difference = differenceOf(fields[0]?.(name), fields[1]?.(name), `${path}/${name}`);
    if (difference !== undefined) return difference;
  }
  return `${path}: ${JSON.stringify(one)} became ${JSON.stringify(other)}`.slice(0, 1_000);
}
