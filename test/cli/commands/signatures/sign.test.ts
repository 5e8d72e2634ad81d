import * as fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { SignedRequest } from '../../../../src/signing/request.js';
import { verifyWebhook } from '../../../../src/signing/webhook.js';
import { runBody } from '../../../helpers/cli/cli-io.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';

const AT = 1_760_000_000;
const BODY = '{"id":"evt_1"}';
const SECRETS = ['one', 'two'].map((text) => `whsec_${Buffer.from(text.padEnd(24, '.')).toString('base64')}`);
const SIGNING_SECRET = 'a signing secret';
const NOBODY = { SANDBOX_URL: 'http://127.0.0.1:1' };
const PATH = '/api/public/v1/pix';

afterEach(() => void vi.useRealTimers());

/** Header lines as a program reads them. */
function headersOf(stdout: string): Record<string, string> {
  const lines = stdout.trimEnd().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(': ') as [string, string]));
}

describe('sign webhook', () => {
  const run = (options: object, stdin: string | Uint8Array = BODY) =>
    runBody('sign webhook', { stdin, env: NOBODY, options: { secret: SECRETS, ...options } });

  test('generates an id and uses the current time by default', async () => {
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
});

describe('sign request', () => {
  const OPTIONS = { secret: SIGNING_SECRET, nonce: 'a-nonce-of-some-length', timestamp: String(AT) };
  const run = (args: readonly string[], options: object = {}, io: object = {}) =>
    runBody('sign request', { args, env: NOBODY, options: { ...OPTIONS, ...options }, ...io });

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

  test('prints the whole command, with the provided token or the name of its variable', async () => {
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

  test('a signed request is accepted by the running sandbox, whatever scheme it assumes', async () => {
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
});
