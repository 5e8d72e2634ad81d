import type { IncomingMessage, Server } from 'node:http';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';

/** Lets a server see every header line: by default Node silently drops those after the thousandth. */
export function seeAllHeaders<Opened extends Server>(server: Opened): Opened {
  server.maxHeadersCount = 0;
  return server;
}

/** Refuses with HEADERS_TOO_LARGE a request with too many header lines. */
export function guardHeaderCount({ rawHeaders }: IncomingMessage): Refusal | undefined {
  const count = rawHeaders.length / 2;
  if (count <= LIMITS.requestHeaders) return undefined;
  return new Refusal(
    'HEADERS_TOO_LARGE',
    `A request may have ${LIMITS.requestHeaders} header lines; this one has ${count}.`,
    { hint: 'Send fewer headers; those that a proxy adds count too.' },
  );
}
