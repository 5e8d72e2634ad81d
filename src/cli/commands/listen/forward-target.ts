import { readForwardTarget } from '../../../text/forward-target.js';
import { withoutUrlSecrets } from '../../../text/redaction.js';
import { usageError } from '../../program/errors.js';

export function parseForwardTarget(text: string): URL {
  const read = readForwardTarget(text);
  if ('url' in read) return read.url;
  if (read.problem === 'password')
    throw usageError('--forward-to takes no user name or password in the URL.');
  throw usageError(
    `--forward-to takes a port, a path, host:port/path or an http URL; got ${withoutUrlSecrets(text)}.`,
    read.meant === undefined
      ? 'For example: --forward-to localhost:3000/webhooks'
      : `Did you mean ${withoutUrlSecrets(read.meant)}?`,
  );
}
