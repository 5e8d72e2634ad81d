import { parseUrl } from './urls.js';
import { findNearest } from './closest.js';

/** Target of a path without a host, such as `/hook`. */
const DEFAULT_ORIGIN = 'http://localhost:3000';

/** The URL of a target; or a problem with the probably intended URL; or a URL containing a password. */
type ForwardTargetRead =
  | { readonly url: URL }
  | { readonly problem: 'form'; readonly meant: string | undefined }
  | { readonly problem: 'password' };

/** Reads `3000`, `:3000/hook`, `/hook`, `host:port/path`, or a whole http URL, whose query is kept. */
export function readForwardTarget(text: string): ForwardTargetRead {
  const url = urlOf(text);
  if (url === undefined) return { problem: 'form', meant: meantBy(text) };
  return url.username === '' && url.password === '' ? { url } : { problem: 'password' };
}

/** A host, optionally with port and path. Only digits would be an address: 3000 is 0.0.11.184. */
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

/** The URL behind a slip in `http://`, such as `http:/localhost:3000`. */
function meantBy(text: string): string | undefined {
  const [start = '', word = ''] = /^([^/:.]{2,8})(?::\/*|\/+)/.exec(text) ?? [];
  const [scheme] = findNearest(word, ['http', 'https']);
  if (scheme === undefined) return undefined;
  const rest = text.slice(start.length);
  const url = urlOf(rest) ?? (rest === '' ? new URL(DEFAULT_ORIGIN) : undefined);
  if (url === undefined || url.username !== '') return undefined;
  return `${scheme}://${url.host}${url.href.slice(url.origin.length).replace(/^\/$/, '')}`;
}
