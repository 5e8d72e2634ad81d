/** A request as it is kept: without secrets. */
export interface KeptRequest {
  readonly door: string;
  readonly method: string;
  /** Its target. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export const SIGNATURE_HEADERS: readonly string[] = ['x-timestamp', 'x-nonce', 'x-signature'];
/** What a log shows in place of a secret; no request can hold it outside its body. */
export const HIDDEN = '…';

/** Whether a part of a kept request lacks what the log hides. */
export function isHidden(text: string): boolean {
  return text.includes(HIDDEN);
}

/** Whether a kept call is signed when it is sent again: as it was before, and where the payments API asks for it (§5.2). */
export function isSignedAgain({ door, method, headers }: KeptRequest): boolean {
  if (door !== 'api') return false;
  const changes = method !== 'GET' && method !== 'HEAD';
  return changes || headers.some(([name]) => SIGNATURE_HEADERS.includes(name.toLowerCase()));
}

/** Headers for a request that is sent again, and the names of those that are left out because the log hides their values. */
export interface HeadersAgain<Value> {
  readonly headers: [name: string, value: Value | string][];
  readonly leftOut: string[];
}

/** The kept headers in their order, with the fresh values in the places of the old ones or after all; a fresh undefined leaves one out. */
export function headersAgain<Value>(
  kept: KeptRequest['headers'],
  fresh: Readonly<Record<string, Value | undefined>>,
): HeadersAgain<Value> {
  const given = new Map(Object.entries(fresh));
  const isReplaced = new Set(given.keys());
  const headers: [string, Value | string][] = [];
  const leftOut: string[] = [];
  for (const [name, value] of kept) {
    const key = name.toLowerCase();
    const now = given.get(key);
    given.delete(key);
    if (now !== undefined) headers.push([name, now]);
    else if (isReplaced.has(key)) continue;
    else if (isHidden(value)) leftOut.push(key);
    else headers.push([name, value]);
  }
  for (const [name, value] of given) if (value !== undefined) headers.push([name, value]);
  return { headers, leftOut };
}
