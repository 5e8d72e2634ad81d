import type { App } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Schema } from '../../schema/schema.js';
import type { Answer } from '../operation/answer.js';
import type { QuerySchema } from '../operation/query.js';
import type { Operation } from './checks.js';

/** A request that passed all checks, as read by its route. */
export interface ApiRequest<Body = unknown, Query = unknown> {
  readonly sandbox: Sandbox;
  readonly app: App;
  readonly bytes: Buffer;
  /** Adds a warning to the call log about something accepted but probably not meant. */
  readonly warn: (warning: string) => void;
  readonly param: (name: string) => string;
  readonly body: Body;
  readonly query: Query;
}

interface Rules<Body, Query> extends Operation {
  readonly body?: Schema<Body>;
  readonly query?: QuerySchema<Query>;
}

/** An operation of the public API with its route. */
export interface Route extends Rules<unknown, unknown> {
  readonly method: 'GET' | 'POST';
  /** Below `/api/public/v1`. */
  readonly path: string;
  readonly handle: (request: ApiRequest<never, never>) => Answer | Promise<Answer>;
}

/** A route whose `handle` takes what its body and query are read as. */
export function route<Body = undefined, Query = undefined>(
  method: Route['method'],
  path: string,
  rules: Rules<Body, Query>,
  handle: (request: ApiRequest<Body, Query>) => Answer | Promise<Answer>,
): Route {
  return { method, path, ...rules, handle };
}
