import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SandboxError } from '../../../src/client/control.js';
import { CliError, EXIT_CODES } from '../../../src/cli/program/errors.js';
import { type CliSandbox, cliSandbox } from '../../helpers/cli/cli-sandbox.js';
import { chargeBody, otherApp, type Sent, TestApi } from '../../helpers/http/api-client.js';
import { tempFolder } from '../../helpers/temp-folder.js';
import { rejectionOf } from '../../helpers/thrown-by.js';

let cli: CliSandbox;
let api: TestApi;

beforeAll(async () => {
  const nowMs = Date.parse('2026-01-01T12:00:00Z');
  cli = await cliSandbox({ realNow: () => nowMs });
  api = new TestApi(cli.server, { nowMs });
});

afterAll(() => cli[Symbol.asyncDispose]());

async function sent(path: string, one: Sent = {}, method = 'POST'): Promise<string> {
  return (await api.call(method, path, one)).headers.get('x-request-id') ?? '';
}

/** A call that creates a charge of a code of its own. */
function charge(fields: object = {}, more: Sent = {}): Promise<string> {
  return sent('/pix', { body: chargeBody({ code: randomUUID(), ...fields }), ...more });
}

const newest = () => cli.server.sandbox.calls.newest()[0];
const show = (id: string) => cli.run('calls show', { args: [id], options: { curl: true } });

async function usage(work: Promise<unknown>): Promise<{ message: string; hint: string }> {
  const { exitCode, message, hint = '' } = await rejectionOf(work, CliError);
  expect(exitCode).toBe(EXIT_CODES.usage);
  return { message, hint };
}

describe('calls replay', () => {
  test('prints the changes, the result and how to compare them', async () => {
    const id = await charge();
    const { stdout, stderr } = await cli.run('calls replay', { args: [id], options: { newCode: true } });
    const again = newest()?.requestId ?? '';
    expect(stdout).toMatch(new RegExp(`^replay of ${id}\nchanged  code: "[^"]+" -> "[^"]+"\n`));
    expect(stdout).toContain('\nchanged  x-timestamp, x-nonce, x-signature: new\n');
    expect(stdout).toContain('201 POST /api/public/v1/pix\n');
    expect(stderr).toBe(`To compare the requests: \`npx sandbox calls diff ${id} ${again}\`.\n`);
  });

  test('reads another body from an argument, a file and stdin', async () => {
    using folder = tempFolder();
    const id = await charge();
    const body = (amount: string) => JSON.stringify(chargeBody({ code: randomUUID(), amount }));
    const [text, file, piped] = [body('1.00'), body('2.00'), body('3.00')];
    folder.write('charge.json', file);
    for (const [given, expected] of [
      [text, text],
      ['@charge.json', file],
      ['-', piped],
    ] as const) {
      const options = { body: given, app: 'default' };
      await cli.run('calls replay', { args: [id], options, cwd: folder.path, stdin: piped });
      const { body: sentBody } = newest()?.exchange?.request ?? {};
      expect(newest()?.status).toBe(201);
      expect(String(sentBody)).toBe(expected);
    }
    folder.write('bytes', Buffer.from([0xff]));
    const bad = (given: string) =>
      usage(cli.run('calls replay', { args: [id], options: { body: given }, cwd: folder.path }));
    expect((await bad('@bytes')).message).toBe('--body must be UTF-8 text; bytes is not UTF-8.');
    expect((await bad('@nothing')).message).toContain('there is no such file');
    expect((await bad('bytes')).hint).toBe('To send the content of the file, use `--body @bytes`.');
  });

  test('rejects a request that is not stored completely', async () => {
    const id = await charge({ metadata: { token: 'a-secret-of-someone' } });
    const error = await rejectionOf(cli.run('calls replay', { args: [id] }), SandboxError);
    expect([error.status, error.body.hint]).toEqual([409, expect.stringContaining('--body @file')]);
  });
});

describe('calls show --curl', () => {
  test('says what to do for a request that is not stored completely', async () => {
    const cut = await charge({ code: 'x'.repeat(20_000) });
    expect(await usage(show(cut))).toEqual({
      message: expect.stringMatching(/^Only part of the \d+-byte body is stored\.$/) as string,
      hint: 'Sign the complete body: `sign request POST /api/public/v1/pix body.json --curl`.',
    });
    const hidden = await charge({ metadata: { token: 'a-secret-of-someone' } });
    expect((await usage(show(hidden))).message).toBe('The log redacts a secret in the request body.');
    const path = await sent('/withdrawals?token=a-secret-of-someone', {}, 'GET');
    expect((await usage(show(path))).message).toContain('redacts part of this request’s path');
    const page = await cli.server.fetch(new Request(`${cli.server.url}/session/kyc_1`), {});
    expect(page.status).toBe(404);
    const hosted = newest();
    expect(hosted?.api).toBe('hosted');
    expect((await usage(show(hosted?.requestId ?? ''))).message).toBe('This request’s body is not stored.');
  });

  test('prints on stderr what is omitted, and whose secrets are needed', async () => {
    const shop = await otherApp(api, { name: 'shop' });
    const id = await sent(
      '/withdrawals',
      { caller: shop, headers: { cookie: 'a-secret-of-someone' } },
      'GET',
    );
    const { stdout, stderr } = await show(id);
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      '(',
      '  : "${SANDBOX_TOKEN:?is not set; sandbox env prints the value for the default application}"',
    ]);
    expect(stderr).toBe(
      'Omitted, because the log redacts their values: cookie.\nThe request belongs to application shop; set the variables to its secrets.\n',
    );
  });
});

test('no command shows a secret that a client sent', async () => {
  const secret = fc.stringMatching(/^[A-Za-z0-9]{24}$/);
  const property = fc.asyncProperty(
    secret,
    fc.constantFrom('token', 'cookie', 'body', 'query', 'nothing'),
    async (planted, where) => {
      const known = cli.server.sandbox.credentials;
      const headers: Record<string, string> = {
        ...(where === 'token' ? { authorization: `Bearer ${planted}` } : {}),
        ...(where === 'cookie' ? { cookie: planted } : {}),
      };
      const fields = where === 'body' ? { api_token: planted, metadata: { note: known.signingSecret } } : {};
      const path = where === 'query' ? `/pix?session=${planted}` : '/pix';
      const id = await sent(path, { body: chargeBody({ code: randomUUID(), ...fields }), headers });
      const other = await charge();
      const printed: string[] = [];
      for (const [command, args, options] of [
        ['calls replay', [id], { app: 'default', newCode: true }],
        ['calls diff', [id, other], {}],
        ['calls show', [id], { curl: true }],
      ] as const) {
        const ran = await cli.run(command, { args, options }).catch((error: unknown) => error as CliError);
        printed.push('stdout' in ran ? ran.stdout + ran.stderr : `${ran.message} ${String(ran.hint)}`);
      }
      const secrets = [planted, known.token, known.signingSecret, known.webhookSecret, known.kycToken];
      expect(printed.filter((text) => secrets.some((one) => text.includes(one)))).toEqual([]);
    },
  );
  await fc.assert(property, { numRuns: 12 });
});

test('calls show preserves the layout of JSON on a terminal of 80 columns', async () => {
  const { stdout } = await cli.run('calls show', { args: [await charge()], columns: 80 });
  expect(stdout).toContain('\n  {\n    "code": ');
  expect(stdout).toContain('\n    "fees": {\n      "provider_fee": ');
});
