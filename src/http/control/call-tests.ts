import { Refusal } from '../../contract/refusals.js';
import type { TextForm } from '../../core/input/kinds.js';
import type { Call } from '../../sandbox/call-log.js';
import { matchesGlob } from '../../text/globs.js';

/**
 * Filters for API requests: `method`, `path` (with `*`, without the query), `status` (`401`, `4xx`, several
 * separated by commas), `api`.
 */
interface CallExpectation {
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly status?: string | undefined;
  readonly api?: string | undefined;
}

/** The parts of a call that filters test. */
type CallTraits = Pick<Call, 'method' | 'path' | 'status' | 'api'>;

export const STATUS_FORM: TextForm = {
  pattern: /^[1-5](?:\d\d|xx)(?:,[1-5](?:\d\d|xx))*$/,
  problem: (text) => `status must be such as 401 or 4xx; got ${text}.`,
  examples: ['401', '4xx,5xx'],
};

type CallTest = (call: CallTraits) => boolean;

/** A test for each given filter, by its name. Refuses an invalid status (INVALID_REQUEST). */
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

/** A pattern for HTTP statuses such as `401` or `4xx,5xx`; refuses anything else (INVALID_REQUEST). */
export function parseStatusPattern(text: string | undefined): RegExp | undefined {
  if (text === undefined) return undefined;
  const { pattern, problem } = STATUS_FORM;
  if (!pattern.test(text)) throw new Refusal('INVALID_REQUEST', problem(text));
  return new RegExp(`^(?:${text.replaceAll('x', '\\d').replaceAll(',', '|')})$`);
}

/** Paths that browsers request on their own. */
const UNASKED = new Set(['/favicon.ico']);

/** True for a request without a route, meaning a wrong path or method in the integrator's code. */
export function isUnmatched({ path, matched }: Pick<Call, 'path' | 'matched'>): boolean {
  return !matched && !UNASKED.has(path);
}
