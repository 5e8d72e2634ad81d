import { Refusal } from '../../contract/refusals.js';
import type { TextForm } from '../../core/input/kinds.js';
import type { Call } from '../../sandbox/call-log.js';
import { matchesGlob } from '../../text/globs.js';

/**
 * Filters for API requests. `path` accepts `*` and ignores the query; `status` accepts a comma-separated list
 * such as `401,5xx`.
 */
interface CallExpectation {
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly status?: string | undefined;
  readonly api?: string | undefined;
}

/** Filterable properties of an API request. */
type CallTraits = Pick<Call, 'method' | 'path' | 'status' | 'api'>;

export const STATUS_FORM: TextForm = {
  pattern: /^[1-5](?:\d\d|[xX]{2})(?:,[1-5](?:\d\d|[xX]{2}))*$/,
  problem: (text) => `The status must be a code such as 401 or a class such as 4xx; got ${text}.`,
  examples: ['401', '4xx,5xx'],
};

type CallTest = (call: CallTraits) => boolean;

/** Returns one test per filter, keyed by filter name. Throws INVALID_REQUEST for an invalid status. */
export function createCallTests({
  method,
  path,
  status,
  api,
}: CallExpectation): Readonly<Record<string, CallTest>> {
  const wantedMethod = method?.toUpperCase();
  const pattern = parseStatusPattern(status);
  return {
    ...(wantedMethod === undefined ? {} : { method: (call: CallTraits) => call.method === wantedMethod }),
    ...(path === undefined ? {} : { path: (call: CallTraits) => matchesGlob(path, barePath(call)) }),
    ...(pattern === undefined ? {} : { status: (call: CallTraits) => pattern.test(String(call.status)) }),
    ...(api === undefined ? {} : { api: (call: CallTraits) => call.api === api }),
  };
}

function barePath({ path }: CallTraits): string {
  return path.split('?')[0] ?? '';
}

/** Parses a list of HTTP statuses such as `401` or `4xx,5xx`. Throws INVALID_REQUEST for invalid text. */
export function parseStatusPattern(given: string | undefined): RegExp | undefined {
  const text = given?.toLowerCase();
  if (text === undefined) return undefined;
  const { pattern, problem } = STATUS_FORM;
  if (!pattern.test(text)) throw new Refusal('INVALID_REQUEST', problem(text));
  return new RegExp(`^(?:${text.replaceAll('x', '\\d').replaceAll(',', '|')})$`);
}

/** Paths that browsers request automatically. */
const BROWSER_PATHS = new Set(['/favicon.ico']);

/** Returns true if a request matched no route: the integrator's code used an unknown path or method. */
export function isUnmatched({ path, matched }: Pick<Call, 'path' | 'matched'>): boolean {
  return !matched && !BROWSER_PATHS.has(path);
}
