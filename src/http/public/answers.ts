import { Refusal } from '../../contract/refusals.js';
import { responseTo } from '../operation/answer.js';
import type { ErrorBody } from '../operation/error-body.js';

/** The same answer for everything that does not exist; it reveals nothing about the request. */
export function nothingHere(requestId: string): Response {
  return responseTo(new Refusal('NOT_FOUND', 'There is nothing here.'), requestId);
}

export function tooManyCalls(afterS: number): Response {
  const refusal = new Refusal('RATE_LIMITED', 'Too many calls come through the tunnel.');
  return responseTo(refusal, undefined, { 'retry-after': String(afterS) });
}

/** The same answer without its hint, which would reveal this machine's sandbox. */
export async function withoutHint(response: Response): Promise<Response> {
  const { status, headers } = response;
  if (status < 400 || headers.get('content-type') !== 'application/json') return response;
  const text = await response.text();
  // The answer to a HEAD has no body.
  if (text === '') return new Response(null, { status, headers });
  const { error } = JSON.parse(text) as ErrorBody;
  const { code, message, request_id, details } = error;
  return new Response(JSON.stringify({ error: { code, message, request_id, details } }), { status, headers });
}
