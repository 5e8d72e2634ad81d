import { matchesGlob } from '../../core/globs.js';
import { Refusal } from '../../core/refusal.js';
import type { Call } from '../../sandbox/call-log.js';

/** Which calls somebody asks for: `method`, `path` (with `*`, without the query), `status` (`401`, `4xx`), `door`. */
export interface CallWish {
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly status?: string | undefined;
  readonly door?: string | undefined;
}

/** What a call is told by. */
export type CallTraits = Pick<Call, 'method' | 'path' | 'status' | 'door'>;

export type CallTest = (call: CallTraits) => boolean;

/** A test for each thing that is asked for, by its name. Refuses a status that is none (INVALID_REQUEST). */
export function callTests({ method, path, status, door }: CallWish): Readonly<Record<string, CallTest>> {
  const wantedMethod = method?.toUpperCase();
  const pattern = statusPattern(status);
  return {
    ...(wantedMethod === undefined ? {} : { method: (call: CallTraits) => call.method === wantedMethod }),
    ...(path === undefined ? {} : { path: (call: CallTraits) => matchesGlob(path, barePath(call)) }),
    ...(pattern === undefined ? {} : { status: (call: CallTraits) => pattern.test(String(call.status)) }),
    ...(door === undefined ? {} : { door: (call: CallTraits) => call.door === door }),
  };
}

function barePath({ path }: CallTraits): string {
  return path.split('?')[0] ?? '';
}

function statusPattern(text: string | undefined): RegExp | undefined {
  if (text === undefined) return undefined;
  if (/^[1-5](?:\d\d|xx)$/.test(text)) return new RegExp(`^${text.replaceAll('x', '\\d')}$`);
  throw new Refusal('INVALID_REQUEST', `status must be such as 401 or 4xx; got ${text}.`);
}
