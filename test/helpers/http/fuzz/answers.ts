import type { AnswerValidator } from '../answer-validator.js';
import type { WireResponse } from '../in-process-http.js';
import type { Draft } from './draft.js';

/** What faults do to a connection instead of answering. */
const CUTTING = new Set(['reset', 'empty', 'cut', 'lose-response']);
const ERROR_FIELDS = new Set(['code', 'message', 'request_id', 'details', 'hint']);
const MALFORMED = 'The request is not valid HTTP';

/** What is wrong with an answer to a request; undefined when nothing is. */
export function problemOf(
  answer: WireResponse | undefined,
  draft: Draft,
  validator: AnswerValidator,
  faults: readonly string[],
): string | undefined {
  const isCut = faults.some((action) => CUTTING.has(action));
  if (answer === undefined) return isCut ? undefined : 'The connection was closed without an answer.';
  const { status, headers, text } = answer;
  if (isCut && !answer.isWhole) return undefined;
  const isBodiless = draft.method === 'HEAD' || status === 204;
  if (!answer.isWhole && !isBodiless) return `The body is not as long as was said: ${text.slice(0, 200)}`;
  if (answer.rest !== '') return `More came than the answer: ${answer.rest.slice(0, 200)}`;
  if (status >= 500 && faults.length === 0 && status !== 503) return `It answered ${status}: ${text}`;
  const mediaType = headers.get('content-type') ?? '';
  if (status < 400 && mediaType !== 'application/json') return undefined;
  if (isBodiless || text === '') return isBodiless ? undefined : `It answered ${status} without a body.`;
  const malformed = status >= 400 ? problemOfError(text, headers) : undefined;
  if (malformed !== undefined || text.includes(MALFORMED)) return malformed;
  const [, target = '/'] = /^\S+ (\S+)/.exec(requestLineOf(draft)) ?? [];
  return target.startsWith('/')
    ? validator.problemOf({ method: draft.method, target, status, mediaType, text })
    : undefined;
}

function requestLineOf({ method, path }: Draft): string {
  return `${method} ${path}`;
}

function problemOfError(text: string, headers: ReadonlyMap<string, string>): string | undefined {
  if (headers.get('content-type') !== 'application/json')
    return `An error of type ${headers.get('content-type')}: ${text}`;
  const { error } = JSON.parse(text) as { readonly error?: Readonly<Record<string, unknown>> };
  if (typeof error?.['code'] !== 'string' || typeof error['message'] !== 'string')
    return `No error body: ${text}`;
  const strange = Object.keys(error).filter((name) => !ERROR_FIELDS.has(name));
  if (strange.length > 0 || !Array.isArray(error['details'])) return `Another error body: ${text}`;
  return error['request_id'] === headers.get('x-request-id') ? undefined : `Two request ids: ${text}`;
}
