import { isSuggestible, mistakesBetween, nearest } from '../../text/closest.js';

/** A route: its method and its whole path, with `:name` for a part that varies. */
export interface RoutePath {
  readonly method: string;
  readonly path: string;
}

/** The characters of a path that are compared; the rest says nothing about what was meant. */
const COMPARED_LENGTH = 200;

/** The route that an unmatched request was probably meant for, as `POST /api/public/v1/pix`; undefined where none is near and suggestible. */
export function nearestRoute(asked: RoutePath, routes: readonly RoutePath[]): string | undefined {
  const path = asked.path.slice(0, COMPARED_LENGTH);
  const [meant] = nearest(path, routes, (route) => mistakesIn({ ...asked, path }, route));
  return meant === undefined || !isSuggestible(meant.path) ? undefined : shownRoute(meant);
}

/** A route as people read it: `GET /accounts/{id}/transactions`. */
export function shownRoute({ method, path }: RoutePath): string {
  return `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;
}

/** How many characters are wrong. Variable parts always match, and so does a path without its prefix. */
function mistakesIn(asked: RoutePath, route: RoutePath): number {
  const parts = asked.path.split('/');
  const whole = route.path.split('/');
  const end = whole.slice(1 - parts.length);
  const isEnd = parts.length < whole.length && end[0]?.startsWith(':') === false;
  const wanted = isEnd ? [whole, ['', ...end]] : [whole];
  const mistakes = wanted.map((own) =>
    mistakesBetween(asked.path, own.map((part, at) => filled(part, parts[at])).join('/')),
  );
  return mistakesBetween(asked.method, route.method) + Math.min(...mistakes);
}

function filled(part: string, asked: string | undefined): string {
  return part.startsWith(':') && asked ? asked : part;
}
