import { expect, onTestFinished } from 'vitest';
import { LIMITS } from '../../../src/contract/limits.js';
import { CORE_VERSION } from '../../../src/contract/core-version.js';
import { startServer } from '../../../src/http/server/start.js';
import { stateFile } from '../../../src/sandbox/state-file.js';
import { RawConnection } from '../../helpers/http/http-raw.js';
import type { TestApi } from '../../helpers/http/api-client.js';
import { test } from '../../helpers/http/api-client.js';

const PATH = '/_sandbox/state';
function expectedOf({ sandbox }: TestApi): string {
  return JSON.stringify(stateFile({ world: sandbox.world, rate: sandbox.clock.rate }));
}

test('a state over its limit is refused before it is sent, with its size', async () => {
  const server = await startServer({ port: 0 });
  onTestFinished(() => server.close(0));
  await using connection = new RawConnection(server.port);
  const bytes = LIMITS.stateBodyBytes + 1;
  const lines = ['Host: localhost', 'Content-Type: application/json', `Content-Length: ${bytes}`];
  const { status, code, text } = await connection.request([`PUT ${PATH} HTTP/1.1`, ...lines]).response();
  expect([status, code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  expect(text).toContain(`The body is over the limit of ${LIMITS.stateBodyBytes} bytes; received ${bytes}.`);
});

test('a state that is nested too deep is refused', async ({ api }) => {
  const body = `{"format":"pix-sandbox-state","world":{"charges":${'['.repeat(100)}${']'.repeat(100)}}}`;
  const { status, body: answer } = await api.control('PUT', 'state', body);
  const message = `The body is nested deeper than ${LIMITS.jsonDepth} levels.`;
  expect([status, answer.error.message]).toEqual([400, message]);
});

test('GET state has the whole state, and HEAD no body', async ({ api }) => {
  api.sandbox.dispatch({ type: 'trigger', event: 'pix.settled' });
  const answer = await api.open('GET', PATH);
  expect(await answer.text()).toBe(expectedOf(api));
  const head = await api.open('HEAD', PATH);
  expect(await head.text()).toBe('');
  expect(head.headers.get('content-type')).toBe('application/json');
});

test('a state of another version of the core is refused, with what to use it with', async ({ api }) => {
  const { body } = await api.control('GET', 'state');
  const { status, body: answer } = await api.control('PUT', 'state', { ...body, core: 1, version: '0.0.9' });
  expect([status, answer.error.message, answer.error.hint]).toEqual([
    400,
    `The state was written by version 1 of the core, in pix-sandbox 0.0.9; this is version ${CORE_VERSION}.`,
    'Use it with npx pix-sandbox@0.0.9, or start over with a new sandbox.',
  ]);
});
