import * as fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { CliError, EXIT } from '../../../../src/cli/program/errors.js';
import type { SignedRequest } from '../../../../src/signing/request.js';
import { verifyWebhook } from '../../../../src/signing/webhook.js';
import { runBody } from '../../../helpers/cli/cli-io.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { tempFolder } from '../../../helpers/temp-folder.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

const AT = 1_760_000_000;
const BODY = '{"id":"evt_1"}';
const SECRETS = ['one', 'two'].map((text) => `whsec_${Buffer.from(text.padEnd(24, '.')).toString('base64')}`);
const SIGNING_SECRET = 'a signing secret';
const NOBODY = { SANDBOX_URL: 'http://127.0.0.1:1' };
const PATH = '/api/public/v1/pix';

afterEach(() => void vi.useRealTimers());

async function usage(work: Promise<unknown>): Promise<{ message: string; hint: string }> {
  const { exitCode, message, hint = '' } = await rejectionOf(work, CliError);
  expect(exitCode).toBe(EXIT.usage);
  return { message, hint };
}

/** Header lines as a program reads them. */
function headersOf(stdout: string): Record<string, string> {
  const lines = stdout.trimEnd().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(': ') as [string, string]));
}

describe('sign webhook', () => {
  const run = (options: object, stdin: string | Uint8Array = BODY) =>
    runBody('sign webhook', { stdin, env: NOBODY, options: { secret: SECRETS, ...options } });

  test('draws an id and takes the time where none are given', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: AT * 1000 });
    const [one, two] = [headersOf((await run({})).stdout), headersOf((await run({})).stdout)];
    expect(one['webhook-id']).toMatch(/^msg_[0-9a-f]{32}$/);
    expect(one['webhook-id']).not.toBe(two['webhook-id']);
    expect(one['webhook-timestamp']).toBe(String(AT));
  });

  test('signs any bytes, and prints no secret', async () => {
    const property = fc.asyncProperty(
      fc.uint8Array({ minLength: 1 }),
      fc.uint8Array({ minLength: 8 }),
      fc.boolean(),
      async (body, key, json) => {
        const secret = `whsec_${Buffer.from(key).toString('base64')}`;
        const options = { secret: [secret], timestamp: String(AT), curl: 'http://localhost/hook' };
        const { stdout, stderr } = await runBody('sign webhook', { json, stdin: body, options });
        expect(stdout + stderr).not.toContain(secret.slice('whsec_'.length));
        const plain = await runBody('sign webhook', {
          stdin: body,
          options: { ...options, curl: undefined },
        });
        const headers = headersOf(plain.stdout);
        expect(verifyWebhook({ body, headers, secrets: secret, nowS: AT })).toMatchObject({ ok: true });
      },
    );
    await fc.assert(property, { numRuns: 30 });
  });

  test('prints the whole command: the body by its file, or from stdin as it is', async () => {
    using folder = tempFolder();
    folder.write('my body.json', BODY);
    const options = {
      secret: SECRETS,
      id: 'msg_1',
      timestamp: String(AT),
      curl: 'http://localhost:3000/hook',
    };
    const byFile = await runBody('sign webhook', { cwd: folder.path, args: ['my body.json'], options });
    expect(byFile.stdout).toMatch(/^curl -X POST http:\/\/localhost:3000\/hook \\\n/);
    expect(byFile.stdout).toContain("-H 'content-type: application/json' \\\n  -H 'webhook-id: msg_1' \\\n");
    expect(byFile.stdout).toContain("--data-binary '@my body.json'\n");
    expect((await run(options)).stdout).toContain(`--data-raw '${BODY}'\n`);
  });

  test('bad use', async () => {
    expect((await usage(run({ secret: [] }))).hint).toContain('--secret whsec_…');
    expect((await usage(run({ secret: ['whsec_!'] }))).message).toContain('not base64');
    expect((await usage(run({ id: 'a b' }))).message).toContain('webhook id');
    expect((await usage(run({ timestamp: `${AT}123` }))).hint).toBe(`Write --timestamp ${AT}.`);
    expect((await usage(run({ curl: 'localhost:3000' }))).hint).toContain('--curl http://localhost:3000');
    expect((await usage(run({}, ''))).message).toContain('got no bytes from stdin');
    const long = 'a'.repeat(100_001);
    expect((await usage(run({ curl: 'http://localhost/hook' }, long))).hint).toContain('as a file');
    expect((await run({}, long)).exitCode).toBe(0);
    const terminal = runBody('sign webhook', { options: { secret: SECRETS } });
    expect((await usage(terminal)).message).toContain('got a terminal');
    expect((await usage(run({ secretFile: '-' }))).message).toContain('Only one thing can come from stdin');
  });
});

describe('sign request', () => {
  const OPTIONS = { secret: SIGNING_SECRET, nonce: 'a-nonce-of-some-length', timestamp: String(AT) };
  const run = (args: readonly string[], options: object = {}, io: object = {}) =>
    runBody('sign request', { args, env: NOBODY, options: { ...OPTIONS, ...options }, ...io });

  test('has no body unless one is named', async () => {
    const { stderr } = await run(['POST', '/a']);
    expect(stderr).toContain('(hex, 0 bytes)');
  });

  test('signs the target of a URL byte for byte', async () => {
    for (const [place, path] of [
      ['http://localhost:7490/a/%2f/../b?x#part', '/a/%2f/../b'],
      ['https://pay.example', '/'],
      ['https://pay.example?x=1', '/'],
    ]) {
      const { stdout } = await run(['GET', place ?? ''], {}, { json: true });
      expect((JSON.parse(stdout) as SignedRequest).parts.path).toBe(path);
    }
  });

  test('prints the whole command, with the token that is given or the name of its variable', async () => {
    const given = await run(['POST', PATH, '-'], { curl: true, token: 't-1' }, { stdin: BODY });
    expect(given.stdout).toContain(`curl -X POST http://127.0.0.1:1${PATH} \\\n`);
    expect(given.stdout).toContain(
      "-H 'authorization: Bearer t-1' \\\n  -H 'content-type: application/json'",
    );
    const env = { SANDBOX_TOKEN: 'hidden', SANDBOX_BASE_URL: 'https://pay.example/', ...NOBODY };
    const named = await run(['POST', PATH], { curl: true }, { env });
    expect(named.stdout).toContain(`curl -X POST https://pay.example${PATH} \\\n`);
    expect(named.stdout).toContain('-H "authorization: Bearer $SANDBOX_TOKEN" \\\n');
    expect(named.stdout).not.toContain('hidden');
    expect(named.stdout).not.toContain('--data');
  });

  test('is accepted by the running sandbox, whatever scheme it assumes', async () => {
    await using sandbox = await cliSandbox({
      assume: {
        'signature.encoding': 'base64',
        'signature.digest_encoding': 'base64',
        'signature.path': 'target',
      },
    });
    const env = await sandbox.runJson('env');
    const body = JSON.stringify({ code: 'order-1', account_id: env.SANDBOX_ACCOUNT_ID, amount: '10.00' });
    const { stdout } = await runBody('sign request', {
      args: ['POST', `${PATH}?x=1`, '-'],
      stdin: body,
      env: { SANDBOX_URL: sandbox.server.url },
    });
    const headers = {
      ...headersOf(stdout),
      host: new URL(sandbox.server.url).host,
      authorization: `Bearer ${String(env.SANDBOX_TOKEN)}`,
      'content-type': 'application/json',
    };
    const request = new Request(`${sandbox.server.url}${PATH}?x=1`, { method: 'POST', headers, body });
    const response = await fetch(request);
    expect(response.status).toBe(201);
  });

  test('bad use', async () => {
    const bad = (args: readonly string[], options: object = {}) => usage(run(args, options));
    expect((await bad(['POST', '/a'], { secret: undefined })).hint).toContain('npx sandbox start');
    expect((await bad(['POST', 'a b'])).hint).toBe('Write /a%20b');
    expect((await bad(['POST', 'http://h/a b'])).hint).toBe('Write http://h/a%20b');
    expect((await bad(['P-T', '/a'])).message).toContain('a method in capitals');
    expect((await bad(['POST', '/a'], { nonce: 'short' })).message).toContain('16 to 128');
    expect((await bad(['POST', '/a', 'nowhere'])).message).toContain('there is no such file');
    const { stderr } = await run(['POST', '/a'], { secret: SECRETS[0] });
    expect(stderr).toContain('This is a webhook secret');
  });
});
