import type { PageView } from '../http/control/schema.js';
import type { Routes } from './routes.js';

/** The names in a path, such as `id` in `charges/:id`. */
type Named<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [Each in Name]: string } & Named<Rest>
  : Path extends `${string}:${infer Name}`
    ? { readonly [Each in Name]: string }
    : unknown;

type QueryOf<Route> = Route extends { query: infer Query } ? Query : unknown;
type BodyOf<Route> = Route extends { body: infer Body }
  ? Partial<Body> extends Body
    ? { readonly body?: Body }
    : { readonly body: Body }
  : { readonly body?: undefined };

/** The input of a request: the names in its path and its query together, its `body`, and a `signal` that ends it. */
export type Given<Table, Name extends keyof Table> = Named<Name> &
  QueryOf<Table[Name]> &
  BodyOf<Table[Name]> & { readonly signal?: AbortSignal | undefined };

/** The same as arguments of a function; optional when nothing is required. */
export type Arguments<Table, Name extends keyof Table> =
  Partial<Given<Table, Name>> extends Given<Table, Name>
    ? [given?: Given<Table, Name>]
    : [given: Given<Table, Name>];

export type AnswerOf<Table, Name extends keyof Table> = Table[Name] extends { answer: infer Answer }
  ? Answer
  : never;

/** The paths of a method, such as `charges/:id`. */
export type PathOf<Method extends string> = keyof Routes extends infer Name
  ? Name extends `${Method} ${infer Path}`
    ? Path
    : never
  : never;

/** The lists that come in pages, and the rows of each. */
export type ListPath = {
  [Name in keyof Routes]: Routes[Name] extends { answer: PageView<unknown> }
    ? Name extends `GET ${infer Path}`
      ? Path
      : never
    : never;
}[keyof Routes];

export type RowOf<Path extends ListPath> =
  AnswerOf<Routes, `GET ${Path}`> extends PageView<infer Row extends object> ? Row : never;
