import type { Context } from 'hono';
import { Refusal } from '../core/refusal.js';

/** Where an answer may be had, with `:name` for a part of the path that varies. */
interface Place {
  readonly method: string;
  readonly path: string;
}

/** Why no route answered, and the methods that the path has. */
export interface Unrouted {
  readonly refusal: Refusal;
  readonly headers: Readonly<Record<string, string>>;
}

/** Tells the requests that no route takes: METHOD_NOT_ALLOWED where the path has other methods, else NOT_FOUND. */
export function createFallback(prefix: string, places: readonly Place[]) {
  const known = places.map(({ method, path }) => ({
    methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
    pattern: new RegExp(`^${(prefix + path).replaceAll(/:\w+/g, '[^/]+')}$`),
  }));
  return ({ req }: Context): Unrouted => {
    const here = known.filter(({ pattern }) => pattern.test(req.path));
    if (here.length === 0) {
      return { refusal: new Refusal('NOT_FOUND', `There is no ${req.method} ${req.path}.`), headers: {} };
    }
    const allow = [...new Set(here.flatMap(({ methods }) => methods))].join(', ');
    const refusal = new Refusal('METHOD_NOT_ALLOWED', `${req.method} is not possible here; ${allow} is.`);
    return { refusal, headers: { allow } };
  };
}
