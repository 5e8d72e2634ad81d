import type { Context } from 'hono';
import { isNoCursor } from '../../core/page.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Schema } from '../../schema/schema.js';
import type { Answer } from '../operation/answer.js';
import type { QuerySchema } from '../operation/query.js';
import { queryOf } from '../operation/query.js';
import { readServiceBody } from '../operation/service-body.js';
import type { Caller } from './call.js';
import type { Operation } from './checks.js';

/** A request as its route reads it. */
export interface RouteRequest<Body = undefined, Query = undefined> {
  readonly param: (name: string) => string;
  readonly body: Body;
  readonly query: Query;
}

interface RouteOf<Body, Query> extends Operation {
  readonly method: 'GET' | 'POST';
  /** Below `/api/public/v1`. */
  readonly path: string;
  readonly body?: Schema<Body>;
  readonly query?: QuerySchema<Query>;
  readonly handle: (
    sandbox: Sandbox,
    caller: Caller,
    request: RouteRequest<Body, Query>,
  ) => Answer | Promise<Answer>;
}

/** An operation of the public API with its route. */
export interface Route extends Omit<RouteOf<unknown, unknown>, 'handle'> {
  readonly answer: (sandbox: Sandbox, caller: Caller, c: Context) => Answer | Promise<Answer>;
}

/** A route that is handed what it reads of body and query. */
export function route<Body = undefined, Query = undefined>(parts: RouteOf<Body, Query>): Route {
  const { body, query, handle, ...rest } = parts;
  return {
    ...rest,
    ...(body === undefined ? {} : { body }),
    ...(query === undefined ? {} : { query }),
    answer: (sandbox, caller, c) => {
      if (query !== undefined) warnOfNoCursor(caller, c);
      return handle(sandbox, caller, {
        param: (name) => c.req.param(name) ?? '',
        // What reads nothing has undefined for its type.
        query: query === undefined ? (undefined as Query) : queryOf(c, query),
        body: body === undefined ? (undefined as Body) : readServiceBody(sandbox, caller, body),
      });
    },
  };
}

/** A client that walks on with the null of the last page would begin again and again. */
function warnOfNoCursor({ warn }: Caller, c: Context): void {
  for (const name of ['after', 'before']) {
    const text = c.req.query(name);
    if (text === undefined || !isNoCursor(text)) continue;
    const end = `A walk has ended where paging.${name} is null.`;
    warn(`${name}=${text} asks for the first page: for that, leave ${name} out. ${end}`);
  }
}
