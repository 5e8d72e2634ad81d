/** The pages of the console; the browser tells them apart, and gets the same shell for each. */
const LIST_PAGE =
  /^\/(?:charges|withdrawals|ledger|endpoints|faults|identity|time|saved|scenarios|check|setup)(?:\?|$)/;
const ROW_PAGE = /^\/(?:calls|events|deliveries|charges|withdrawals|endpoints|identity)\/[^/?#]+(?:\?|$)/;
const FRONT_PAGE = /^\/(?:\?|$)/;

/**
 * Whether a request is for the console: one of its files, the index of doors, or a person's navigation to one
 * of its pages.
 */
export function isConsoleRequest(target: string, method: string, headers: ConsoleHeaders): boolean {
  if (target.startsWith('/console/')) return true;
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (FRONT_PAGE.test(target)) return true;
  return (LIST_PAGE.test(target) || ROW_PAGE.test(target)) && isNavigation(headers);
}

/** The headers that tell a navigation from other requests. */
export interface ConsoleHeaders {
  readonly accept?: string | undefined;
  readonly 'sec-fetch-mode'?: string | undefined;
}

/** A browser that shows a page to a person; older ones do not say the mode. */
export function isNavigation({ accept = '', 'sec-fetch-mode': mode = 'navigate' }: ConsoleHeaders): boolean {
  return mode === 'navigate' && /(?:^|,)\s*text\/html\s*(?:[;,]|$)/i.test(accept);
}
