import { describe, expect, test } from 'vitest';
import { createSandbox } from '../../src/index.js';
import { readForwardTarget } from '../../src/text/forward-target.js';
import { runLine } from '../helpers/cli/cli-line.js';
import { thrownBy } from '../helpers/thrown-by.js';

const GOOD = [
  ['3000', 'http://localhost:3000/'],
  ['3000/hook', 'http://localhost:3000/hook'],
  [':4000/in?x=1', 'http://localhost:4000/in?x=1'],
  ['/hook', 'http://localhost:3000/hook'],
  ['shop_app:8080/pix', 'http://shop_app:8080/pix'],
  ['localhost', 'http://localhost/'],
  ['127.0.0.1:3000', 'http://127.0.0.1:3000/'],
  ['[::1]:3000/hook', 'http://[::1]:3000/hook'],
  ['café.example/hook', 'http://xn--caf-dma.example/hook'],
  ['HTTPS://shop.example/a?b=c', 'https://shop.example/a?b=c'],
] as const;

const BAD = [
  ['ht!tp://', 'http://localhost:3000'],
  ['http:/localhost:3000', 'http://localhost:3000'],
  ['http//localhost:3000', 'http://localhost:3000'],
  ['http:localhost:3000/hook', 'http://localhost:3000/hook'],
  ['htp://localhost:3000', 'http://localhost:3000'],
  ['https:/shop.example/a', 'https://shop.example/a'],
  ['http://3000/hook', 'http://localhost:3000/hook'],
  ['ws://localhost:3000', undefined],
  ['localhost:/hook', undefined],
  ['local host:3000', undefined],
  ['//localhost:3000', undefined],
  ['70000', undefined],
] as const;

describe('a forward target', () => {
  test.each(GOOD)('normalizes %s to %s, in the library as in the commands', async (text, url) => {
    expect(readForwardTarget(text)).toEqual({ url: new URL(url) });
    await using sandbox = await createSandbox({ port: false });
    sandbox.forwardTo(text);
    expect(await sandbox.endpoints.list()).toMatchObject([{ description: `listener → ${url}` }]);
  });

  test.each(BAD)('rejects %s and suggests %s', async (text, meant) => {
    const suggestion = meant === undefined ? 'For example: ' : `Did you mean ${meant}?`;
    const refused = { exitCode: 2, stdout: '', stderr: expect.stringContaining(suggestion) as string };
    expect(await runLine(['listen', '--forward-to', text])).toEqual(refused);
    expect(await runLine(['exec', '--forward-to', text, '--', 'true'])).toEqual(refused);
    expect(await runLine(['listen'], { env: { SANDBOX_FORWARD_TO: text } })).toEqual(refused);
    await using sandbox = await createSandbox({ port: false });
    const { message } = thrownBy(() => sandbox.forwardTo(text), TypeError);
    expect(message).toContain(meant === undefined ? 'forwardTo expects a URL' : suggestion);
    expect(await sandbox.endpoints.list()).toEqual([]);
  });

  test('contains no password, in the library as in the commands', async () => {
    await using sandbox = await createSandbox({ port: false });
    const { message } = thrownBy(() => sandbox.forwardTo('http://me:secret@localhost/'), TypeError);
    expect(message).toBe('forwardTo does not accept a user name or password in the URL.');
  });
});
