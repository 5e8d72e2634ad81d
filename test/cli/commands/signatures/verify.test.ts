import { createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { CliError, EXIT_CODES } from '../../../../src/cli/program/errors.js';
import { signWebhook } from '../../../../src/signing/webhook.js';
import { type FakeIoOptions, runBody } from '../../../helpers/cli/cli-io.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { tempFolder } from '../../../helpers/temp-folder.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

const AT = 1_760_000_000;
const BODY = Buffer.from('{"id": "evt_1", "name": "João"}\n');
const secretOf = (text: string) => `whsec_${Buffer.from(text.padEnd(24, '.')).toString('base64')}`;
const SECRET = secretOf('the secret');
const OTHER = secretOf('the secret of another');
const NOBODY = 'http://127.0.0.1:1';

afterEach(() => void vi.useRealTimers());

interface Case extends Omit<FakeIoOptions, 'stdin'> {
  readonly secrets?: readonly string[];
  readonly signedBody?: Uint8Array;
  readonly body?: Uint8Array;
  readonly timestampS?: number;
  readonly options?: Readonly<Record<string, unknown>>;
}

function signed(secrets: readonly string[] = [SECRET], body: Uint8Array = BODY, timestampS = AT) {
  return signWebhook({ id: 'msg_1', timestampS, body, secrets });
}

/** The signature of the body by a program that uses a text as the key. */
function signatureBy(key: string): string {
  const content = Buffer.concat([Buffer.from(`msg_1.${AT}.`), BODY]);
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

function flagsOf(headers: ReturnType<typeof signed>) {
  return {
    id: headers['webhook-id'],
    timestamp: headers['webhook-timestamp'],
    signature: headers['webhook-signature'],
  };
}

/** Verifies a body from stdin with the headers as flags, ten seconds after it was signed. */
function run({ secrets, signedBody, body = BODY, timestampS, options = {}, ...io }: Case = {}) {
  const headers = signed(secrets, signedBody ?? BODY, timestampS);
  return runBody('verify', {
    ...io,
    stdin: body,
    options: { ...flagsOf(headers), secret: [SECRET], at: String(AT + 10), ...options },
  });
}

async function runJson(options: Case = {}): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await run({ ...options, json: true });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Record<string, unknown>;
}

async function usage(work: Promise<unknown>): Promise<{ message: string; hint: string }> {
  const { exitCode, message, hint = '' } = await rejectionOf(work, CliError);
  expect(exitCode).toBe(EXIT_CODES.usage);
  expect(hint).not.toBe('');
  return { message, hint };
}

describe('a valid webhook', () => {
  test('shows its secret, its signature and its age', async () => {
    const { exitCode, stdout, stderr } = await run({
      secrets: [OTHER, SECRET],
      options: { secret: [secretOf('a third'), SECRET], strict: true },
    });
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      [
        '✓ The signature is valid.',
        `secret     2 of 2, ${SECRET.slice(0, 8)}…${SECRET.slice(-2)} (--secret)`,
        'signature  2 of 2',
        'age        10s',
        '',
      ].join('\n'),
    );
    expect(stderr).toBe('');
  });

  test('shows that only receivers of several signatures accept it', async () => {
    const { stdout } = await run({ secrets: [OTHER, SECRET] });
    expect(stdout).toContain('did       Signature 2 of 2 matches;');
  });

  test('a valid webhook is compared with the current time by default', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: (AT + 61) * 1000 });
    const { stdout } = await run({ options: { at: undefined } });
    expect(stdout).toContain('age        1m 1s');
  });
});

describe('an invalid webhook', () => {
  test('matches the secret in the environment if another one was provided', async () => {
    const env = { SANDBOX_WEBHOOK_SECRET: OTHER };
    const { findings } = await runJson({ secrets: [OTHER], env });
    expect(findings).toMatchObject([{ id: 'secret-of-other-endpoint' }]);
  });

  test('matches other credentials of the environment', async () => {
    const env = { SANDBOX_SIGNING_SECRET: 'a signing secret' };
    const signature = signatureBy('a signing secret');
    const { findings } = await runJson({ env, options: { signature } });
    expect(findings).toMatchObject([
      {
        id: 'secret-is-other-credential',
        did: 'Another credential was used as the key: SANDBOX_SIGNING_SECRET.',
      },
    ]);
  });

  test('matches other credentials of the running sandbox', async () => {
    await using sandbox = await cliSandbox();
    const signature = signatureBy(sandbox.server.env.SANDBOX_KYC_TOKEN);
    const env = { SANDBOX_URL: sandbox.server.url };
    const { findings } = await runJson({ env, options: { signature } });
    expect(findings).toMatchObject([{ id: 'secret-is-other-credential' }]);
  });

  test('shows what to type for an old capture, unless a time was provided', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: (AT + 4000) * 1000 });
    const old = await run({ options: { at: undefined } });
    expect(old.exitCode).toBe(EXIT_CODES.no);
    expect(old.stderr).toContain(`--at ${AT}.`);
    const dated = await run({ options: { at: String(AT + 4000) } });
    expect(dated.stderr).toBe('');
  });
});

describe('headers and body', () => {
  test('reports a missing header of a capture as an error of the webhook, and finds a misnamed one', async () => {
    using folder = tempFolder();
    const { 'webhook-id': id, ...others } = signed();
    folder.write('headers.json', JSON.stringify({ ...others, 'X-Webhook-Id': id }));
    const { exitCode, stdout } = await runBody('verify', {
      cwd: folder.path,
      stdin: BODY,
      options: { headers: 'headers.json', secret: [SECRET], at: String(AT) },
    });
    expect(exitCode).toBe(EXIT_CODES.no);
    expect(stdout).toContain('missing_header');
    expect(stdout).toContain('webhook-id was sent under the name "X-Webhook-Id".');
  });
});

describe('the secret', () => {
  test('comes from the environment, unless one is provided', async () => {
    const env = { SANDBOX_WEBHOOK_SECRET: SECRET };
    const { stdout } = await run({ env, options: { secret: [] } });
    expect(stdout).toContain('(SANDBOX_WEBHOOK_SECRET)');
    expect((await run({ env, options: { secret: [OTHER] } })).exitCode).toBe(EXIT_CODES.no);
  });
});

describe('an empty body', () => {
  const none = Buffer.alloc(0);

  test('shows how to provide another signed body', async () => {
    const { exitCode, stderr } = await run({ body: none });
    expect(exitCode).toBe(EXIT_CODES.no);
    expect(stderr).toContain('< body.json');
  });
});

describe('usage errors with a suggested command', () => {
  test('rejects the id of a delivery without a sandbox', async () => {
    const options = { delivery: 'order-1', secret: [SECRET] };
    const { message, hint } = await usage(runBody('verify', { options, env: { SANDBOX_URL: NOBODY } }));
    expect(message).toBe('No running sandbox has delivery order-1.');
    expect(hint).toContain('deliveries show <id> --json');
  });

  test('rejects a missing secret', async () => {
    const { message, hint } = await usage(run({ options: { secret: [] }, env: { SANDBOX_URL: NOBODY } }));
    expect(message).toContain('found none');
    expect(hint).toContain('--secret whsec_…');
  });

  test('rejects a terminal as stdin', async () => {
    const options = { ...flagsOf(signed()), secret: [SECRET] };
    const terminal = await usage(runBody('verify', { options }));
    expect(terminal.message).toBe('Expected piped input on stdin, got a terminal.');
    expect(terminal.hint).toContain('< body.json');
  });
});

test('never prints a secret or an expected signature', async () => {
  const key = fc.uint8Array({ minLength: 8, maxLength: 64 });
  const issues = fc.constantFrom('none', 'body', 'key', 'late', 'version');
  const properties = fc.asyncProperty(key, key, issues, fc.boolean(), async (one, two, mistake, json) => {
    const secret = `whsec_${Buffer.from(one).toString('base64')}`;
    const other = `whsec_${Buffer.from(two).toString('base64')}`;
    const right = signed([secret]);
    const sent = signed([mistake === 'key' ? other : secret], mistake === 'body' ? Buffer.from('{}') : BODY);
    const headers = mistake === 'version' ? { ...sent, 'webhook-signature': `v2,${'A'.repeat(43)}=` } : sent;
    const { stdout, stderr } = await runBody('verify', {
      json,
      stdin: BODY,
      env: { SANDBOX_WEBHOOK_SECRET: other },
      options: { ...flagsOf(headers), secret: [secret], at: String(mistake === 'late' ? AT + 1e6 : AT) },
    });
    const hidden = [
      ...[secret, other].flatMap((whole) => [whole, whole.slice('whsec_'.length)]),
      ...[one, two].map((bytes) => Buffer.from(bytes).toString('hex')),
      right['webhook-signature'].slice('v1,'.length),
    ];
    for (const text of hidden) expect(stdout + stderr).not.toContain(text);
  });
  await fc.assert(properties, { numRuns: 12 });
});
