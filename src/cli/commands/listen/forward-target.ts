import { withoutUrlSecrets } from '../../../text/redaction.js';
import { usageError } from '../../program/errors.js';

const DEFAULT_ORIGIN = 'http://localhost:3000';

/** The URL that a `--forward-to` means: `3000`, `3000/hook`, `/hook`, `host:port/path`, or a whole URL, whose query is kept. */
export function parseForwardTarget(text: string): URL {
  const url = safeUrl(expand(text));
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw usageError(
      `--forward-to takes a port, a path, host:port/path or an http URL; got ${withoutUrlSecrets(text)}.`,
      'For example: --forward-to localhost:3000/webhooks',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw usageError('--forward-to takes no user name or password in the URL.');
  }
  return url;
}

function expand(text: string): string {
  const port = /^:?(\d{1,5}(?:[/?].*)?)$/.exec(text)?.[1];
  if (port !== undefined) return `http://localhost:${port}`;
  if (text.startsWith('/')) return DEFAULT_ORIGIN + text;
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
}

function safeUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
