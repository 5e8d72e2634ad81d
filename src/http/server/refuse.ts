import type { IncomingMessage, ServerResponse } from 'node:http';
import { CONTROL_PREFIX } from '../../text/control-api.js';
import { answerFor, CONTROL_HEADERS, newRequestId } from '../operation/answer.js';
import type { RefusedRequest } from '../operation/refused-requests.js';
import { written } from '../operation/send.js';

/** What a refusal needs to know of its sandbox. */
export interface Refusing {
  /** The program as hints name it. */
  readonly program?: string | undefined;
  /** Gets every request that is refused before it reaches an API. */
  readonly onRefused?: ((refused: RefusedRequest) => void) | undefined;
}

/** Responds to a request with an error before any framework is involved. */
export function refuse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  reason: unknown,
  { program, onRefused }: Refusing = {},
): void {
  // The rest of a body is discarded: closing the connection could lose the response.
  incoming.resume();
  if (outgoing.headersSent) return;
  const requestId = newRequestId();
  const answer = answerFor(reason, requestId, program);
  const sent = written(requestId, answer);
  const { method = '', url: target = '', headers, rawHeaders } = incoming;
  onRefused?.({ requestId, method, target, headers, rawHeaders, error: answer.body.error, sent });
  const own = target.startsWith(CONTROL_PREFIX) ? CONTROL_HEADERS : {};
  outgoing.writeHead(sent.status, { ...sent.headers, ...own, 'content-length': sent.bytes });
  outgoing.end(sent.text);
}
