/** What an address asks of a list: a filter and a page of it. */
export type ListQuery = Readonly<Record<string, string>>;

/** The parameters of an address that a list has; `filter` is its own one. */
export function listQuery(search: string, filter: string): ListQuery {
  const asked = [...new URLSearchParams(search)].filter(([name]) =>
    [filter, 'after', 'before'].includes(name),
  );
  return Object.fromEntries(asked.filter(([, value]) => value !== ''));
}

/** The address of a list with these parameters. */
export function listPath(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((one): one is [string, string] => Boolean(one[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
