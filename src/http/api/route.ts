import type { App } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Schema } from '../../schema/schema.js';
import type { Answer } from '../operation/answer.js';
import type { QuerySchema } from '../operation/query.js';
import type { Operation } from './checks.js';

/** A request that passed all checks. */
export interface Caller {
  readonly app: App;
  readonly body: Buffer;
  /** The JSON value of the body. */
  readonly json: () => unknown;
  /** Adds a warning to the call log about something accepted but probably not meant. */
  readonly warn: (warning: string) => void;
}

/** A request as read by its route. */
export interface RouteRequest<Body = undefined, Query = undefined> {
  readonly param: (name: string) => string;
  readonly body: Body;
  readonly query: Query;
}

interface RouteOf<Body, Query, TakenBody = Body, TakenQuery = Query> extends Operation {
  readonly method: 'GET' | 'POST';
  /** Below `/api/public/v1`. */
  readonly path: string;
  readonly body?: Schema<Body>;
  readonly query?: QuerySchema<Query>;
  readonly handle: (
    sandbox: Sandbox,
    caller: Caller,
    request: RouteRequest<TakenBody, TakenQuery>,
  ) => Answer | Promise<Answer>;
}

/** An operation of the public API with its route; `handle` takes what `body` and `query` read. */
export type Route = RouteOf<unknown, unknown, never, never>;

/** Checks that `handle` takes what `body` and `query` read. */
export function route<Body = undefined, Query = undefined>(parts: RouteOf<Body, Query>): Route {
  return parts;
}
