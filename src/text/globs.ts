/** Returns true if text matches a pattern in which `*` stands for any text, including none. */
export function matchesGlob(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return text === pattern;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  const last = rest.pop() ?? '';
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - at >= last.length && text.endsWith(last);
}

/** Returns true if a pattern with `*` matches any path of a route with `:name` parameters. */
export function matchesRoute(pattern: string, route: string): boolean {
  const steps = stepsOf(route);
  let places = addReachable(steps, new Set([0]));
  for (const character of pattern) {
    if (character === '*') {
      const first = Math.min(...places);
      places = new Set(Array.from({ length: steps.length + 1 - first }, (_, at) => first + at));
      continue;
    }
    const next = new Set<number>();
    for (const at of places) {
      const step = steps[at];
      if (step === ANY_MORE && character !== '/') next.add(at);
      if (step === character || (step === ANY_ONE && character !== '/')) next.add(at + 1);
    }
    if (next.size === 0) return false;
    places = addReachable(steps, next);
  }
  return places.has(steps.length);
}

/** Steps for one character except a slash, and for any number of such characters. */
const ANY_ONE = 'one';
const ANY_MORE = 'more';

function stepsOf(route: string): readonly string[] {
  return route
    .split(/(:\w+)/)
    .flatMap((part) => (part.startsWith(':') ? [ANY_ONE, ANY_MORE] : Array.from(part)));
}

/** Adds positions reachable without consuming another character. */
function addReachable(steps: readonly string[], places: ReadonlySet<number>): Set<number> {
  const all = new Set(places);
  for (const at of all) if (steps[at] === ANY_MORE) all.add(at + 1);
  return all;
}
