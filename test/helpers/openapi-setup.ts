import { afterEach, expect, vi } from 'vitest';
import { requestTarget } from '../../src/http/target.js';
import type { SeenAnswer, SeenMessage } from './answer-validator.js';

/**
 * For every unit test: whatever a door answers in this process, and every message of its streams, is held to the OpenAPI
 * documents when the test is over.
 */
const answers: SeenAnswer[] = [];
const messages: SeenMessage[] = [];

vi.mock(import('../../src/http/send.js'), async (original) => {
  const { send } = await original();
  return {
    send: (c, requestId, answer) => {
      const { status, body, headers } = answer;
      const mediaType = headers?.['content-type'] ?? 'application/json';
      answers.push({ method: c.req.method, target: requestTarget(c), status, mediaType, text: JSON.stringify(body) });
      return send(c, requestId, answer);
    },
  };
});

vi.mock(import('../../src/http/control/sse.js'), async (original) => {
  const real = await original();
  return {
    ...real,
    eventStream: (c, open) => {
      const target = requestTarget(c);
      return real.eventStream(c, (stream) =>
        open({
          ...stream,
          send: (message) => {
            messages.push({ target, message: JSON.parse(JSON.stringify(message)) as object });
            stream.send(message);
          },
        }),
      );
    },
  };
});

afterEach(async () => {
  const seen = answers.splice(0);
  const told = messages.splice(0);
  if (seen.length + told.length === 0) return;
  const { answerValidator } = await import('./answer-validator.js');
  const validator = await answerValidator();
  answers.length = 0;
  const problems = [
    ...seen.map((answer) => validator.problemOf(answer)),
    ...told.map((message) => validator.problemOfMessage(message)),
  ].filter((problem) => problem !== undefined);
  expect([...new Set(problems)], 'what the OpenAPI documents do not say').toEqual([]);
});
