/** Matches a text against a pattern in which `*` is any text, even an empty one. */
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

/**
 * Checks whether a pattern with `*` matches some path of a route, in which `:name` is any part without a
 * slash.
 */
export function matchesRoute(pattern: string, route: string): boolean {
  const steps = stepsOf(route);
  let places = withSkipped(steps, new Set([0]));
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
    places = withSkipped(steps, next);
  }
  return places.has(steps.length);
}

/** One character without a slash, and any number of them. */
const ANY_ONE = 'one';
const ANY_MORE = 'more';

function stepsOf(route: string): readonly string[] {
  return route
    .split(/(:\w+)/)
    .flatMap((part) => (part.startsWith(':') ? [ANY_ONE, ANY_MORE] : Array.from(part)));
}

/** The places and those behind them that nothing needs to fill. */
function withSkipped(steps: readonly string[], places: ReadonlySet<number>): Set<number> {
  const all = new Set(places);
  for (const at of all) if (steps[at] === ANY_MORE) all.add(at + 1);
  return all;
}
