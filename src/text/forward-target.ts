import { parseUrl } from './urls.js';
import { findNearest } from './closest.js';

/** Default origin for a path such as `/hook`. */
const DEFAULT_ORIGIN = 'http://localhost:3000';

/** The parsed URL, or the problem: an invalid format with a guessed URL, or a password in the URL. */
type ForwardTargetRead =
  | { readonly url: URL }
  | { readonly problem: 'form'; readonly meant: string | undefined }
  | { readonly problem: 'password' };

/** Parses `3000`, `:3000/hook`, `/hook`, `host:port/path` or a full http URL. Preserves the query. */
export function readForwardTarget(text: string): ForwardTargetRead {
  const url = urlOf(text);
  if (url === undefined) return { problem: 'form', meant: guessUrl(text) };
  return url.username === '' && url.password === '' ? { url } : { problem: 'password' };
}

/**
 * Matches a host with optional port and path. Excludes plain numbers, which URL parsers read as IP addresses,
 * e.g. 3000 as 0.0.11.184.
 */
const BARE =
  /^(?!https?(?:[/?#]|$))(?!\d+(?:[/?#:]|$))(?:[\p{L}\p{N}_][\p{L}\p{N}._-]*|\[[\da-f:.]+\])(?::\d{1,5})?(?:[?#]|\/(?!\/)|$)/iu;
const PORT = /^:?(\d{1,5}(?:[/?].*)?)$/;

function urlOf(text: string): URL | undefined {
  const port = PORT.exec(text)?.[1];
  if (port !== undefined) return parseUrl(`http://localhost:${port}`);
  if (/^\/(?!\/)/.test(text)) return parseUrl(DEFAULT_ORIGIN + text);
  if (/^https?:\/\//i.test(text))
    return /^https?:\/\/\d+(?:[/?#:]|$)/i.test(text) ? undefined : parseUrl(text);
  return BARE.test(text) ? parseUrl(`http://${text}`) : undefined;
}

/** Guesses the intended URL for a typo such as `http:/localhost:3000`. */
function guessUrl(text: string): string | undefined {
  const [start = '', word = ''] = /^([^/:.]{2,8})(?::\/*|\/+)/.exec(text) ?? [];
  const [scheme] = findNearest(word, ['http', 'https']);
  if (scheme === undefined) return undefined;
  const rest = text.slice(start.length);
  const url = urlOf(rest) ?? (rest === '' ? new URL(DEFAULT_ORIGIN) : undefined);
  if (url === undefined || url.username !== '') return undefined;
  return `${scheme}://${url.host}${url.href.slice(url.origin.length).replace(/^\/$/, '')}`;
}
