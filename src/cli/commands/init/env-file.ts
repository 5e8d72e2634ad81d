/** The names that a dotenv file assigns; comments do not count. */
export function namesIn(dotenv: string): ReadonlySet<string> {
  const assignments = dotenv.matchAll(
    /^[^\S\r\n\u2028\u2029]*(?:export[^\S\n]+)?([A-Za-z_][\w.-]*)[^\S\n]*[=:]/gm,
  );
  return new Set(Array.from(assignments, ([, name = '']) => name));
}

/** What to append to a dotenv file so that it has these lines, too; existing names are kept. */
export function additionTo(
  dotenv: string,
  lines: Readonly<Record<string, string>>,
): { readonly text: string; readonly added: readonly string[]; readonly kept: readonly string[] } {
  const known = namesIn(dotenv);
  const names = Object.keys(lines);
  const added = names.filter((name) => !known.has(name));
  const kept = names.filter((name) => known.has(name));
  if (added.length === 0) return { text: '', added, kept };
  const gap = dotenv === '' ? '' : dotenv.endsWith('\n') ? '\n' : '\n\n';
  const block = [
    '# Published test values of pix-sandbox; they protect nothing.',
    ...added.map((name) => lines[name]),
  ];
  return { text: `${gap}${block.join('\n')}\n`, added, kept };
}
