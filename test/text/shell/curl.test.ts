import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCurlCommand } from '../../../src/text/shell/curl.js';
import { tries } from '../../helpers/soak-scale.js';

const URL_TEXT = 'http://localhost:3000/hook?a=1&b=2';

/** What a shell hands to curl: its arguments, and what it finds on stdin where the command pipes something in. */
function handedOver(command: string, env: Record<string, string> = {}) {
  const script = `curl() { for word do printf '%s\\0' "$word"; done; printf '\\0'; cat; }\n${command}`;
  const { stdout, status, stderr } = spawnSync('sh', ['-c', script], { env, input: '' });
  expect(stderr.toString()).toBe('');
  expect(status).toBe(0);
  const end = stdout.indexOf('\0\0');
  return { words: stdout.subarray(0, end).toString('utf8').split('\0'), piped: stdout.subarray(end + 2) };
}

function after(words: readonly string[], flag: string): string | undefined {
  return words[words.indexOf(flag) + 1];
}

/** The bytes that curl would send. */
function sentBody(command: string): Buffer {
  const { words, piped } = handedOver(command);
  if (words.includes('--data-raw')) return Buffer.from(after(words, '--data-raw') ?? '');
  expect(after(words, '--data-binary')).toBe('@-');
  return piped;
}

describe('a curl command', () => {
  test('a curl command has one line per header, and quotes special characters of the shell', () => {
    const headers = ['content-type: application/json', "x-note: it's $HOME"];
    const command = createCurlCommand({
      method: 'POST',
      url: URL_TEXT,
      headers,
      body: { file: 'my body.json' },
    });
    expect(command.split('\n')).toEqual([
      String.raw`curl -X POST 'http://localhost:3000/hook?a=1&b=2' \ `.trimEnd(),
      String.raw`  -H 'content-type: application/json' \ `.trimEnd(),
      String.raw`  -H 'x-note: it'\''s $HOME' \ `.trimEnd(),
      `  --data-binary '@my body.json'`,
    ]);
    expect(handedOver(command).words).toEqual([
      '-X',
      'POST',
      URL_TEXT,
      ...headers.flatMap((header) => ['-H', header]),
      '--data-binary',
      '@my body.json',
    ]);
  });

  test('lets the shell expand variables', () => {
    const command = createCurlCommand({
      method: 'GET',
      url: URL_TEXT,
      headers: [{ shell: '"authorization: Bearer $TOKEN"' }],
    });
    expect(handedOver(command, { TOKEN: 'a b' }).words).toContain('authorization: Bearer a b');
  });

  test('prevents curl from normalizing the path', () => {
    const command = (url: string) => handedOver(createCurlCommand({ method: 'GET', url, headers: [] })).words;
    expect(command('http://h/a/../b')).toContain('--path-as-is');
    expect(command('http://h/a..b?c=[1]')).toEqual(['-X', 'GET', 'http://h/a..b?c=[1]', '--globoff']);
  });

  test('sends any bytes unchanged', () => {
    const bodyBytes = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 60 }),
      fc.string({ minLength: 1, unit: 'binary' }).map((text) => Buffer.from(text)),
      fc.constantFrom('@file', "it's", '%s\\n', '-', '\n\n', '{"a":"ç"}').map((text) => Buffer.from(text)),
    );
    const property = fc.property(bodyBytes, (bytes) => {
      const body = Buffer.from(bytes);
      const command = createCurlCommand({
        method: 'POST',
        url: URL_TEXT,
        headers: [],
        body: { bytes: body },
      });
      expect(sentBody(command).toString('hex')).toBe(body.toString('hex'));
      expect(command).not.toMatch(/[^\P{Cc}\n\t]/u);
    });
    fc.assert(property, { numRuns: tries({ part: 20, whole: 200 }) });
  });

  test('sends bytes that begin with a dash, which printf would read as an option', () => {
    const bytes = Buffer.from('-n\0');
    const command = createCurlCommand({ method: 'POST', url: URL_TEXT, headers: [], body: { bytes } });
    expect(sentBody(command).toString('hex')).toBe(bytes.toString('hex'));
  });

  test('requests only the headers with HEAD, because curl would wait for the announced body', () => {
    const command = createCurlCommand({ method: 'HEAD', url: URL_TEXT, headers: [] });
    expect(handedOver(command).words).toEqual(['-I', URL_TEXT]);
  });
});
