/** Returns the names assigned in a dotenv file, ignoring comments. */
export function parseVariableNames(dotenv: string): ReadonlySet<string> {
  const assignments = dotenv.matchAll(
    /^[^\S\r\n\u2028\u2029]*(?:export[^\S\n]+)?([A-Za-z_][\w.-]*)[^\S\n]*[=:]/gm,
  );
  return new Set(Array.from(assignments, ([, name = '']) => name));
}

/** Creates the lines to append to a dotenv file, skipping existing names. */
export function createDotenvAddition(dotenv: string, lines: Readonly<Record<string, string>>) {
  const known = parseVariableNames(dotenv);
  const names = Object.keys(lines);
  const added = names.filter((name) => !known.has(name));
  const kept = names.filter((name) => known.has(name));
  if (added.length === 0) return { text: '', added, kept };
  const gap = dotenv === '' ? '' : dotenv.endsWith('\n') ? '\n' : '\n\n';
  const title = '# Published test values of pix-sandbox; not secret.';
  return { text: `${gap}${[title, ...added.map((name) => lines[name])].join('\n')}\n`, added, kept };
}
