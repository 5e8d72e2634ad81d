import { answerValidator } from '../http/response-validator.js';

/** Test files of one worker share the global: what it was before any of them. */
const shared = globalThis as { unwatchedFetch?: typeof fetch };
const send = (shared.unwatchedFetch ??= globalThis.fetch);

/** Holds what a sandbox answers to the OpenAPI documents, as soon as it has come. */
async function checkedFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const response = await send(input, init);
  const mediaType = response.headers.get('content-type') ?? '';
  if (mediaType !== 'application/json') return response;
  const isRequest = input instanceof Request;
  const method = init?.method ?? (isRequest ? input.method : 'GET');
  const { pathname: target } = new URL(isRequest ? input.url : input);
  // A fault may have cut the answer off; whoever reads it is told so.
  const text =
    method === 'HEAD'
      ? ''
      : await response
          .clone()
          .text()
          .catch(() => '');
  if (text === '') return response;
  const validator = await answerValidator();
  const problem = validator.problemOf({ method, target, status: response.status, mediaType, text });
  if (problem !== undefined) throw new Error(`The OpenAPI documents do not say this. ${problem}`);
  return response;
}

globalThis.fetch = checkedFetch;
