import type { PageView } from '../http/control/schema.js';
import type { ErrorBody } from '../http/operation/error-body.js';

/** Answers a request of the public API, the identity API or the control API in this process. */
export type LocalFetch = (request: Request) => Response | Promise<Response>;

/** The sandbox said no: `code` and `status` as in §7, `details` by field, and `hint` for what to do next. */
export class SandboxError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: ErrorBody['error']['details'];
  readonly hint: string | undefined;

  constructor(status: number, { code, message, details, hint }: ErrorBody['error']) {
    const problems = details.map(({ field, message: problem }) => `\n  ${field}: ${problem}`);
    super(`${message}${problems.join('')}${hint === undefined ? '' : `\n${hint}`}`);
    this.name = 'SandboxError';
    this.status = status;
    this.code = code;
    this.details = details;
    this.hint = hint;
  }
}

/** What a list may be asked for; rows come newest first. */
export interface ListLimit {
  /** How many rows at most; by default all. */
  readonly limit?: number | undefined;
}

type Query = Readonly<Record<string, string | number | undefined>>;

const ROWS_PER_PAGE = 50;

/** The control API of a sandbox in this process: the verbs of the library do what the commands do. */
export class Control {
  readonly #origin: string;
  readonly #fetch: LocalFetch;

  constructor(origin: string, fetch: LocalFetch) {
    this.#origin = origin;
    this.#fetch = fetch;
  }

  get<Body>(path: string, query: Query = {}): Promise<Body> {
    return this.#send('GET', path, query);
  }

  post<Body>(path: string, body: object = {}, query: Query = {}): Promise<Body> {
    return this.#send('POST', path, query, body);
  }

  put<Body>(path: string, body: object): Promise<Body> {
    return this.#send('PUT', path, {}, body);
  }

  delete<Body>(path: string): Promise<Body> {
    return this.#send('DELETE', path, {});
  }

  /** The rows of all pages, newest first. */
  async list<Row>(path: string, { limit = Infinity, ...query }: Query & ListLimit = {}): Promise<Row[]> {
    const rows: Row[] = [];
    let after: string | undefined;
    while (rows.length < limit) {
      const most = Math.min(limit - rows.length, ROWS_PER_PAGE);
      const page = await this.get<PageView<Row>>(path, { ...query, limit: most, after });
      rows.push(...page.data);
      if (page.paging.after === null) break;
      after = page.paging.after;
    }
    return rows;
  }

  async #send<Body>(method: string, path: string, query: Query, body?: object): Promise<Body> {
    const url = new URL(`/_sandbox/${path}`, this.#origin);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const sent =
      body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await this.#fetch(new Request(url, { method, ...sent }));
    const answer: unknown = await response.json();
    if (!response.ok) throw new SandboxError(response.status, (answer as ErrorBody).error);
    return answer as Body;
  }
}

/** A path below the control API, whose parts may hold any character. */
export function pathOf(...parts: readonly string[]): string {
  return parts.map((part) => encodeURIComponent(part)).join('/');
}
