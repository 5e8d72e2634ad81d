import type { IncomingMessage, ServerResponse } from 'node:http';
import { CONTROL_PREFIX } from '../../text/control-api.js';
import { answerFor, CONTROL_HEADERS, jsonHeaders, newRequestId } from '../operation/answer.js';

/** Responds to a request with an error before any framework is involved. */
export function refuse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  error: unknown,
  program?: string,
): void {
  // The rest of a body is discarded: closing the connection could lose the response.
  incoming.resume();
  if (outgoing.headersSent) return;
  const requestId = newRequestId();
  const { status, body } = answerFor(error, requestId, program);
  const text = JSON.stringify(body);
  const own = incoming.url?.startsWith(CONTROL_PREFIX) ? CONTROL_HEADERS : {};
  const length = Buffer.byteLength(text);
  outgoing.writeHead(status, { ...jsonHeaders(requestId), ...own, 'content-length': length });
  outgoing.end(text);
}
