import { afterEach, vi } from 'vitest';
import { getRequestTarget } from '../../../src/http/shared/read-request.js';

interface Sent {
  readonly method: string;
  readonly target: string;
  readonly status: number;
  readonly mediaType: string;
  readonly text: string;
}

interface Told {
  readonly method: string;
  readonly target: string;
  readonly message: object;
}

/** Messages of streams that are looked at in one test; more of them are more of the same. */
const MOST_MESSAGES = 200;

/** Test files share what they load, also the modules that are replaced here: they all write to the same place. */
const shared = globalThis as { openapiSeen?: { answers: Sent[]; messages: Told[] } };
const { answers, messages } = (shared.openapiSeen ??= { answers: [], messages: [] });

// Whatever the sandbox responds in this process, and every message of its streams, is held to the OpenAPI documents when the
// test is over.
vi.mock(import('../../../src/http/shared/response.js'), async (original) => {
  const real = await original();
  return {
    ...real,
    sendResponse: (c, sent) => {
      const { status, text, headers } = sent;
      const mediaType = headers['content-type'] ?? '';
      answers.push({ method: c.req.method, target: getRequestTarget(c), status, mediaType, text });
      return real.sendResponse(c, sent);
    },
  };
});

vi.mock(import('../../../src/http/streams/sse.js'), async (original) => {
  const real = await original();
  return {
    ...real,
    createEventStream: (c, open) =>
      real.createEventStream(c, (stream) =>
        open({
          ...stream,
          send: (message, id) => {
            // Pay pages are for people, and no document describes them.
            if (messages.length < MOST_MESSAGES && !getRequestTarget(c).startsWith('/pay/'))
              messages.push({ method: c.req.method, target: getRequestTarget(c), message });
            stream.send(message, id);
          },
        }),
      ),
  };
});

afterEach(async () => {
  const seen = answers.splice(0);
  const told = messages.splice(0);
  if (seen.length + told.length === 0) return;
  const { answerValidator } = await import('../http/response-validator.js');
  const validator = await answerValidator();
  // The documents are answers, too.
  answers.length = 0;
  const problems = [
    ...seen.map((answer) => validator.problemOf(answer)),
    ...told.map(({ message, ...call }) =>
      validator.problemOfMessage({ ...call, text: JSON.stringify(message) }),
    ),
  ].filter((problem) => problem !== undefined);
  if (problems.length === 0) return;
  throw new Error(`The OpenAPI documents do not say this.\n${[...new Set(problems)].join('\n')}`);
});
