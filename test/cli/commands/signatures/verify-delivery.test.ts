import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../../../src/cli/program/errors.js';
import { runBody } from '../../../helpers/cli/cli-io.js';
import { type CliSandbox, cliSandbox, LOCAL, settledFor } from '../../../helpers/cli/cli-sandbox.js';
import { freePort } from '../../../helpers/free-port.js';
import { tempFolder } from '../../../helpers/temp-folder.js';

const UNKNOWN = `whsec_${Buffer.alloc(32).toString('base64')}`;

interface Receiver {
  readonly status: number;
  readonly body?: string;
  readonly date?: string;
}

/** Delivers the event of `order-1` to a receiver that responds like this, or to nobody. */
async function delivered(cli: CliSandbox, receiver?: Receiver) {
  const port = await freePort();
  const { status = 200, body = '', date } = receiver ?? {};
  const server = createServer((_, response) => {
    response.sendDate = false;
    response.writeHead(status, date === undefined ? {} : { date }).end(body);
  });
  if (receiver !== undefined) await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  try {
    return await settledFor(cli, `http://127.0.0.1:${port}/hook`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

interface Explained {
  readonly ok: boolean;
  readonly attempt: number;
  readonly hint: string | null;
  readonly receiver?: {
    readonly message: string;
    readonly suspects: readonly string[];
    readonly evidence: readonly { readonly message: string; readonly fix: string }[];
  };
}

function verify(cli: CliSandbox, given: object = {}, io: object = {}) {
  const env = { SANDBOX_URL: cli.server.url, ...('env' in io ? (io.env as object) : {}) };
  return runBody('verify', { ...io, env, options: { delivery: 'order-1', ...given } });
}

async function explain(cli: CliSandbox, io: object = {}): Promise<Explained> {
  return JSON.parse((await verify(cli, {}, { ...io, json: true })).stdout) as Explained;
}

describe('verify --delivery', () => {
  test('accepts the delivery as the only argument, unless it names a file', async () => {
    await using cli = await cliSandbox(LOCAL);
    const { delivery } = await delivered(cli, { status: 401, body: '' });
    const env = { SANDBOX_URL: cli.server.url };
    const { stdout } = await runBody('verify', { env, args: [delivery.id] });
    expect(stdout).toContain(`delivery ${delivery.id}\n`);
    const file = runBody('verify', { env, args: ['package.json'], cwd: process.cwd() });
    await expect(file).rejects.toThrow('Expected the webhook headers, got none.');
  });

  test('verifies with the secret of the endpoint, and names the suspects in the receiver', async () => {
    await using cli = await cliSandbox(LOCAL);
    const { endpoint, delivery } = await delivered(cli, { status: 401, body: '{"error":"bad signature"}' });
    const { stdout, stderr, exitCode } = await verify(cli, {}, { columns: 80 });
    expect(exitCode).toBe(EXIT_CODES.done);
    expect(stdout).toMatch(/^✓ The signature is valid\.\nsecret +1 of 1, whsec_\S+ \(the endpoint\)\n/);
    expect(stdout).toContain(`delivery ${delivery.id}\n`);
    expect(stdout).toContain('response   401: {"error":"bad signature"}\n');
    expect(stdout).toMatch(
      /\n1\. The secret is used as text .*\n2\. The application has a different secret /s,
    );
    expect(stderr).toContain(`verify --delivery ${delivery.id} --attempt 1 --signature …`);
    expect(stderr).toMatch(/`npx sandbox check --forward-to http:\S+\/hook --secret whsec_…`\.\n$/);
    const shown = (await cli.run('deliveries show', { args: ['order-1'] })).stdout;
    expect(shown).toMatch(
      /Most likely, the secret is used as text .*, or the application has a different secret/,
    );
    expect(stdout + stderr).not.toContain(endpoint.secret.slice(10, -4));
    // A computed signature is compared with the same secret.
    const compared = await verify(cli, { signature: 'AAAA' });
    expect(compared.stdout).toContain('the signature in the webhook is valid');
    expect(compared.exitCode).toBe(EXIT_CODES.no);
  });

  test.for(['.env.test', 'the environment'])('names another secret in %s first', async (place) => {
    using folder = tempFolder();
    await using cli = await cliSandbox(LOCAL);
    await delivered(cli, { status: 401 });
    const isFile = place.startsWith('.');
    folder.write(isFile ? place : 'other', `SANDBOX_WEBHOOK_SECRET='${UNKNOWN}'\n`);
    folder.write('.env.example', 'SANDBOX_WEBHOOK_SECRET=whsec_...');
    const io = { cwd: folder.path, env: isFile ? {} : { SANDBOX_WEBHOOK_SECRET: UNKNOWN } };
    const { ok, receiver, hint } = await explain(cli, io);
    expect(ok).toBe(true);
    expect(hint).toMatch(/^To find the exact cause by experiment: `npx sandbox check --forward-to /);
    const [first, ...others] = receiver?.evidence ?? [];
    expect(first?.message).toMatch(
      new RegExp(`^SANDBOX_WEBHOOK_SECRET in ${place} is whsec_AA…A=; the endpoint’s secret is whsec_`),
    );
    expect(first?.fix).toMatch(/^Set it to the secret returned when the endpoint was created/);
    expect(others).toEqual([]);
    expect(receiver?.suspects.join()).not.toContain('different secret');
    const { stdout } = await verify(cli, {}, io);
    expect(stdout).toMatch(/\n1\. SANDBOX_WEBHOOK_SECRET in .*\n2\. The secret is used as text/);
    expect(stdout).not.toContain(UNKNOWN);
  });

  test('names another secret in a variable that the setting env maps', async () => {
    using folder = tempFolder();
    await using cli = await cliSandbox(LOCAL);
    await delivered(cli, { status: 403 });
    const env = {
      PSP_SECRET: 'SANDBOX_WEBHOOK_SECRET',
      PSP_KEY: '{SANDBOX_WEBHOOK_SECRET}',
      PSP_TOKEN: 'SANDBOX_TOKEN',
    };
    folder.write('package.json', '{}');
    folder.write('sandbox.config.json', JSON.stringify({ env }));
    folder.write('.env', `PSP_SECRET=${UNKNOWN}\nPSP_TOKEN=x\n`);
    const { receiver } = await explain(cli, { cwd: folder.path, env: { PSP_KEY: 'abc' } });
    expect(receiver?.evidence.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^PSP_KEY in the environment is malformed/),
      expect.stringMatching(/^PSP_SECRET in \.env is whsec_AA…A=; the endpoint’s secret is whsec_/),
    ]);
  });

  test('suspects the secret last if an .env file contains the right one', async () => {
    using folder = tempFolder();
    await using cli = await cliSandbox(LOCAL);
    const { endpoint } = await delivered(cli, { status: 401 });
    folder.write('.env', `PIX_WEBHOOK_SECRET=${endpoint.secret}\n`);
    const { receiver } = await explain(cli, { cwd: folder.path });
    expect(receiver?.suspects[0]).toMatch(/secret is used as text/);
    expect(receiver?.suspects.at(-1)).toMatch(/different secret/);
    expect(receiver?.evidence).toEqual([]);
  });

  test('names a malformed secret, and a receiver’s clock outside the tolerance', async () => {
    using folder = tempFolder();
    folder.write('.env', 'WEBHOOK_SECRET=abc\n');
    await using cli = await cliSandbox(LOCAL);
    await delivered(cli, { status: 400, date: new Date(Date.now() - 3_600_000).toUTCString() });
    const { receiver } = await explain(cli, { cwd: folder.path });
    expect(receiver?.evidence.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^WEBHOOK_SECRET in \.env is malformed\. Expected .*without the prefix/),
      expect.stringMatching(/^The receiver's clock is 3(?:599|600|601) s behind the sandbox's/),
    ]);
  });

  test('names a cause that the response proves before all others', async () => {
    await using cli = await cliSandbox(LOCAL);
    await delivered(cli, { status: 404, body: 'Cannot POST /hook' });
    const env = { SANDBOX_WEBHOOK_SECRET: UNKNOWN };
    const { stdout } = await verify(cli, {}, { env });
    expect(stdout).toMatch(/\n1\. POST \/hook does not exist \(404\)\..*\n2\. SANDBOX_WEBHOOK_SECRET in/);
    await using unreachable = await cliSandbox(LOCAL);
    await delivered(unreachable);
    expect((await verify(unreachable)).stdout).toMatch(
      /cause is in the receiver\.\nNothing is listening on /,
    );
  });

  test('explains the last failed attempt, even if a later one succeeded', async () => {
    await using cli = await cliSandbox(LOCAL);
    const { delivery } = await delivered(cli, { status: 500, body: '<title>KeyError at /hook</title>' });
    await cli.run('faults add', { args: ['answer'], options: { status: '200' } });
    await cli.server.sandbox.travel.advanceTo(cli.server.sandbox.clock.now() + 60_000);
    expect(delivery).toMatchObject({ attempts: 2, status: 'DELIVERED' });
    const { stdout } = await verify(cli);
    expect(stdout).toContain('attempt    1 of 8, delivery');
    expect(stdout).toContain('response   500: KeyError at /hook\n');
    const second = await verify(cli, { attempt: '2' });
    expect(second.stdout).toMatch(/fault +answer: /);
    expect(second.stdout).not.toContain('cause is in the receiver');
  });

  test('blames no receiver for an injected signature or response', async () => {
    await using cli = await cliSandbox(LOCAL);
    await cli.run('faults add', { args: ['wrong-signature'], options: {} });
    await delivered(cli, { status: 401 });
    const { exitCode, stdout } = await verify(cli);
    expect(exitCode).toBe(EXIT_CODES.no);
    expect(stdout).toContain('the fault wrong-signature was injected');
    expect(stdout).not.toContain('cause is in the receiver');
  });
});
